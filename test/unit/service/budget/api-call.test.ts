// One call of an account with several tokens, against a service that refuses some of them.
import { CancelledFailure } from '@temporalio/activity';
import { describe, expect, it } from 'vitest';
import { callApi } from '../../../../activities/shared/api-call.ts';
import { withCallScope } from '../../../../activities/shared/call-scope.ts';
import { LANES } from '../../../../src/core/lanes.ts';
import { type Slot } from '../../../../src/service/budget/slots.ts';
import { ALL, context, db, panel, run, said, tokens, useTwoTokens } from './api-call-context.ts';

useTwoTokens();

const warnings = () => db.query('select code, reason from run_warnings order by code');

describe('a refused token is replaced by the other', () => {
  it.each([
    ['revoked', { ...ALL, revoked: true }, 401, 'ERR_TOKEN_REVOKED', 'token 1 of the account is refused'],
    [
      'without the scope',
      { ...ALL, scopes: ['cards:write'] },
      403,
      'ERR_SCOPE_MISSING',
      'token 1 of the account lacks the scope contacts:read',
    ],
  ])(
    '%s: once, in the same attempt, and the operator hears of it once',
    async (_, broken, status, code, what) => {
      await tokens(broken, ALL);
      const { tags, answers } = context();
      await answers();
      let intents = 0;
      const intent = async () => ++intents > 0;
      for (let n = 0; n < 6; n++) expect(await tags('contacts:read', intent)).not.toBeNull();
      expect(intents).toBe(6);
      const all = await answers();
      expect(all.filter((each) => each === status)).toHaveLength(1);
      expect(all.filter((each) => each === 200)).toHaveLength(6);
      expect(said).toMatchObject([{ token: 1, code }]);
      expect(await warnings()).toEqual([{ code, reason: `${what}; the others are used` }]);
    },
  );

  it('over its limit: the call uses the other one at once, and nothing is recorded against the first', async () => {
    await tokens(ALL, ALL);
    const { tags, deps, account } = context();
    const body = { error: 'too many', code: 'ERR_RATE_LIMITED' };
    await panel().fault({ kind: 'status', status: 429, body, times: 1, headers: { 'Retry-After': '30' } });
    for (let n = 0; n < 3; n++) expect(await tags()).not.toBeNull();
    const states = await deps.budget.snapshot(account.tokens.map(({ key }) => key));
    expect(states.filter(({ blockedMs }) => blockedMs > 20_000)).toHaveLength(1);
    expect(states.map(({ marks }) => marks)).toEqual([{}, {}]);
    expect(said).toEqual([]);
  });
});

it('one over its limit and one revoked: the call waits for the first, whichever answered last, and nothing stops', async () => {
  await tokens(ALL, { ...ALL, revoked: true });
  const { tags, deps, account } = context();
  const [a, b] = account.tokens.map(({ key }) => key);
  await db.query('insert into slots (token, call_limit) values ($1, 60000), ($2, 60000)', [a, b]);
  // The first token comes first, and the fault is its answer.
  await deps.budget.block(b as string, 300);
  const body = { error: 'too many', code: 'ERR_RATE_LIMITED' };
  const limited = { kind: 'status', status: 429, body, times: 1, headers: { 'Retry-After': '2' } };
  await panel().fault(limited);
  await expect(tags()).rejects.toMatchObject({ code: 'ERR_RATE_LIMITED' });
  const states = await deps.budget.snapshot(account.tokens.map(({ key }) => key));
  expect(states.map(({ marks }) => Object.values(marks))).toEqual([[], ['ERR_TOKEN_REVOKED']]);
  expect(await warnings()).toMatchObject([{ code: 'ERR_TOKEN_REVOKED' }]);
  // What is noted keeps the revoked one back: the next call waits for the end of the block.
  const began = performance.now();
  expect(await tags()).not.toBeNull();
  expect(performance.now() - began).toBeGreaterThan(1000);
});

it('a token that an earlier run noted is also in the report of the next run', async () => {
  await tokens({ ...ALL, revoked: true }, ALL);
  const { tags, account } = context();
  for (let n = 0; n < 3; n++) await tags();
  await db.query('delete from run_warnings');
  // A minute later it is tried again.
  await db.query("update token_marks set at = at - interval '61 seconds' where token = $1", [
    account.tokens[0]?.key,
  ]);
  // It has been free for longest.
  await db.query("update slots set next_at = next_at - interval '1 minute' where token = $1", [
    account.tokens[0]?.key,
  ]);
  for (let n = 0; n < 3; n++) await tags();
  expect(await warnings()).toMatchObject([{ code: 'ERR_TOKEN_REVOKED' }]);
});

it('when both are refused the call fails; after a repair the next call works and clears the marks', async () => {
  await tokens({ ...ALL, revoked: true }, { ...ALL, revoked: true });
  const { tags, answers, deps, account } = context();
  await answers();
  for (let n = 0; n < 2; n++) await expect(tags()).rejects.toMatchObject({ code: 'ERR_TOKEN_REVOKED' });
  expect(await answers()).toEqual([401, 401, 401, 401]);
  await tokens(ALL, ALL);
  for (let n = 0; n < 4; n++) expect(await tags()).not.toBeNull();
  expect(await answers()).toEqual([200, 200, 200, 200]);
  const marks = (await deps.budget.snapshot(account.tokens.map(({ key }) => key))).map(
    (state) => state.marks,
  );
  expect(marks).toContainEqual({});
});

it('the only token is marked with its first refusal, and a call that it accepts clears the mark', async () => {
  await tokens({ ...ALL, revoked: true }, ALL);
  const { deps, account, at } = context();
  const alone = { ...account, tokens: account.tokens.slice(0, 1) };
  const keys = alone.tokens.map(({ key }) => key);
  const marks = async () => (await deps.budget.snapshot(keys)).map((state) => state.marks);
  const tags = () =>
    at(LANES.lead).run(() =>
      callApi(deps, alone, run, 'contacts:read', (client, options) => client.tags.list(options)),
    );
  await expect(tags()).rejects.toMatchObject({ code: 'ERR_TOKEN_REVOKED' });
  expect(await marks()).toEqual([{ '': 'ERR_TOKEN_REVOKED' }]);
  // Nothing else is used, so nobody hears of it.
  expect(said).toEqual([]);
  expect(await warnings()).toEqual([]);
  await tokens(ALL, ALL);
  await tags();
  expect(await marks()).toEqual([{}]);
});

it('an answer about something else than the token clears its mark', async () => {
  await tokens({ ...ALL, revoked: true }, { ...ALL, revoked: true });
  const { deps, account, tags, at } = context();
  const marks = async () =>
    (await deps.budget.snapshot(account.tokens.map(({ key }) => key))).map((state) =>
      Object.values(state.marks),
    );
  for (const { key } of account.tokens) await deps.budget.refused(key, null, 'ERR_TOKEN_REVOKED');
  await expect(tags()).rejects.toMatchObject({ code: 'ERR_TOKEN_REVOKED' });
  expect(await marks()).toEqual([['ERR_TOKEN_REVOKED'], ['ERR_TOKEN_REVOKED']]);
  await tokens(ALL, ALL);
  const gone = () =>
    callApi(deps, account, run, 'contacts:read', (client, options) => client.contacts.get(1, options));
  await expect(at(LANES.lead).run(gone)).rejects.toMatchObject({ code: 'ERR_NO_CONTACT_FOUND' });
  expect(await marks()).toContainEqual([]);
});

it('a canceled call is not sent', async () => {
  await tokens(ALL, ALL);
  const { tags, answers } = context();
  await answers();
  expect(await tags('contacts:read', async () => false)).toBeNull();
  expect(await answers()).toEqual([]);
});

describe('a canceled call', () => {
  const pause = new CancelledFailure('CANCELLED');
  /** A call inside a scope that the test aborts. */
  function start(beforeSend?: () => Promise<boolean>) {
    const { deps, account, answers } = context();
    const controller = new AbortController();
    const call = () =>
      withCallScope({ lane: LANES.lead, signal: controller.signal }, () =>
        callApi(
          deps,
          account,
          run,
          'contacts:read',
          (client, options) => client.tags.list(options),
          beforeSend,
        ),
      );
    return { deps, account, answers, controller, call };
  }
  const blocked = async () => {
    const started = start();
    const keys = started.account.tokens.map(({ key }) => key);
    for (const key of keys) await started.deps.budget.reserve([key], LANES.reply);
    for (const key of keys) await started.deps.budget.block(key, 600_000);
    await started.answers();
    return started;
  };

  it('stops at once while it waits for a slot, however far away, and sends nothing', async () => {
    const { call, controller, answers } = await blocked();
    const result = call();
    setTimeout(() => controller.abort(pause), 50);
    // The slot is further away than the time limit of a test.
    await expect(result).rejects.toBe(pause);
    expect(await answers()).toEqual([]);
  });

  it('waits for its answer once it was sent', async () => {
    await tokens(ALL, ALL);
    const { call, controller, answers } = start();
    await answers();
    await panel().fault({ kind: 'delay', ms: 300 });
    const result = call();
    setTimeout(() => controller.abort(pause), 150);
    expect(await result).not.toBeNull();
    expect(await answers()).toEqual([200]);
  });

  it('is aborted by a worker that shuts down', async () => {
    await tokens(ALL, ALL);
    const { call, controller } = start();
    await panel().fault({ kind: 'hang' });
    const result = call();
    setTimeout(() => controller.abort(new CancelledFailure('WORKER_SHUTDOWN')), 150);
    await expect(result).rejects.toThrow();
  });
});

describe('a process that was stopped', () => {
  /** Stops the process for `ms`, as a full machine does. */
  const stop = (ms: number) => {
    for (const until = performance.now() + ms; performance.now() < until; );
  };

  it('while its call waited for the slot → the call uses another slot, once', async () => {
    await tokens(ALL, ALL);
    const { deps, tags, answers } = context();
    await answers();
    const reserve = deps.budget.reserve.bind(deps.budget);
    const slots: Slot[] = [];
    Object.assign(deps.budget, {
      async reserve(...args: Parameters<typeof reserve>) {
        const slot = await reserve(...args);
        slots.push(slot);
        if (slots.length === 1) stop(300);
        return slot;
      },
    });
    expect(await tags()).not.toBeNull();
    // A slot that the machine itself misses is replaced too.
    expect(slots.length).toBeGreaterThan(1);
    expect(await answers()).toEqual([200]);
  });

  it('while it took its intent → the intent is taken once, and the call uses another slot', async () => {
    await tokens(ALL, ALL);
    const { tags, answers } = context();
    await answers();
    let intents = 0;
    const intent = async () => {
      stop(300);
      return ++intents > 0;
    };
    expect(await tags('contacts:read', intent)).not.toBeNull();
    expect(intents).toBe(1);
    expect(await answers()).toEqual([200]);
  });

  it('whenever it gets a slot → asks for slack, and still calls', async () => {
    await tokens(ALL, ALL);
    const { deps, tags } = context();
    const reserve = deps.budget.reserve.bind(deps.budget);
    const slack: number[] = [];
    Object.assign(deps.budget, {
      async reserve(...[tokens, lane, options]: Parameters<typeof reserve>) {
        slack.push(options?.slackMs ?? 0);
        const slot = await reserve(tokens, lane, options);
        stop(300);
        return slot;
      },
    });
    expect(await tags()).not.toBeNull();
    expect(slack).toEqual([0, 0, expect.any(Number)]);
    expect(slack[2]).toBeGreaterThan(500);
  });
});
