// What other workflows may hand to `answer`: ids of events, and nothing that they say.
import { expect, expectTypeOf, it } from 'vitest';
import { type AnswerOptions, answer } from '../../../workflows/shared/answer.ts';

it('takes the account, the route and ids of events; no events start no workflow', async () => {
  expectTypeOf(answer).parameters.toEqualTypeOf<[string, string, readonly string[], AnswerOptions?]>();
  expectTypeOf(answer).returns.resolves.toBeVoid();
  await expect(answer('acme', '_campaign', [])).resolves.toBeUndefined();
});
