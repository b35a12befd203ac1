// "Nothing stands still" is true only if nothing does, for whatever reason.
import { expect, it } from 'vitest';
import { standsStill } from '../../../src/console/screens/overview/stands-still.ts';

it.each([
  ['failed-run', 'critical', true],
  ['approval', 'info', true],
  ['paused-campaign', 'info', true],
  ['paused-sync', 'info', true],
  ['paused-poller', 'info', true],
  ['rejected-rows', 'warning', false],
  ['failing-batch', 'warning', false],
  ['failing-batch', 'critical', true],
] as const)('%s, %s: %s', (kind, severity, expected) => {
  expect(standsStill({ kind, severity })).toBe(expected);
});
