// Commands of operators to a poller: who gave them is logged, why is not, because people write names there.
import { expect, it } from 'vitest';
import { createPollControlActivities } from '../../../../activities/conversations/index.ts';
import { pollingContext } from './context.ts';
import { environment } from './support.ts';

const { hire } = pollingContext();

it("pausing and resuming logs the operator, and not the operator's words", async () => {
  const hand = await hire();
  const { pausePoller, resumePoller } = createPollControlActivities(hand.deps);
  const command = { account: 'acme', poller: 'chats', by: 'ana', reason: 'Zuleica Quaresma called' };
  await environment().run(() => pausePoller(command));
  await environment().run(() => resumePoller(command));
  expect(hand.log).toEqual([
    { account: 'acme', poller: 'chats', by: 'ana' },
    { account: 'acme', poller: 'chats', by: 'ana' },
  ]);
});
