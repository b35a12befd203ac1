// A busy process reads requests late. What the sender has waited counts from two turns of the event loop ago.
import { expect, it } from 'vitest';
import { watchLoop } from '../../../../../../src/jobs/events/ingress/http/loop-lag.ts';

it('a request that is read now may have waited for the last turn and the one before', () => {
  let [ms, tick, isClosed] = [1000, () => undefined as void, false];
  const lag = watchLoop(
    () => ms,
    (_, each) => {
      tick = each;
      return () => {
        isClosed = true;
      };
    },
  );
  expect(lag.readAfter()).toBe(1000);
  ms = 1050;
  tick();
  ms = 4000;
  // This turn has taken 2.95 s.
  expect(lag.readAfter()).toBe(1000);
  tick();
  expect(lag.readAfter()).toBe(1050);
  ms = 4050;
  tick();
  expect(lag.readAfter()).toBe(4000);
  lag.close();
  expect(isClosed).toBe(true);
});
