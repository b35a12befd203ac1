// A reload replaces the token of an account while a call waits for its slot.
import { expect, it } from 'vitest';
import type { TokenAccess } from '../../../../activities/shared/deps.ts';
import { ALL, context, said, tokens, useTwoTokens } from './api-call-context.ts';

useTwoTokens();

/** The account has the new token from this read on: at the start, before and after the intent, after a refusal. */
function replacedAt(read: number, account: { readonly tokens: readonly TokenAccess[] }): void {
  const [old, fresh] = account.tokens;
  let reads = 0;
  Object.defineProperty(account, 'tokens', { get: () => (++reads < read ? [old] : [fresh]) });
}

it('while the call is in progress: refused, it goes out once more, with the new token and one intent', async () => {
  await tokens({ ...ALL, revoked: true }, ALL);
  const { tags, answers, account } = context();
  await answers();
  replacedAt(4, account);
  let intents = 0;
  expect(await tags('contacts:read', async () => ++intents > 0)).not.toBeNull();
  expect(intents).toBe(1);
  expect(await answers()).toEqual([401, 200]);
  expect(said).toEqual([]);
});

it('the new token is refused, too: the call ends with that refusal', async () => {
  await tokens({ ...ALL, revoked: true }, { ...ALL, revoked: true });
  const { tags, answers, account } = context();
  await answers();
  replacedAt(4, account);
  await expect(tags('contacts:read', async () => true)).rejects.toMatchObject({ code: 'ERR_TOKEN_REVOKED' });
  expect(await answers()).toEqual([401, 401]);
});

it.each([
  ['before its intent', 2],
  ['after its intent', 3],
])('%s: the call uses only the new token, with one intent', async (_, read) => {
  await tokens({ ...ALL, revoked: true }, ALL);
  const { tags, answers, account } = context();
  await answers();
  replacedAt(read, account);
  let intents = 0;
  expect(await tags('contacts:read', async () => ++intents > 0)).not.toBeNull();
  expect(intents).toBe(1);
  expect(await answers()).toEqual([200]);
});
