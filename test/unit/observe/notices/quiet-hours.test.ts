// Quiet hours over midnight and over changes of the clocks.
import { expect, it } from 'vitest';
import { isQuiet } from '../../../../src/observe/notices/quiet-hours.ts';

const BERLIN = 'Europe/Berlin';
// 2026-03-29: 02:00 becomes 03:00 (01:00 UTC). 2026-10-25: 03:00 becomes 02:00 (01:00 UTC).
it.each([
  ['22:00', '07:00', '2026-01-10T20:59:59Z', false],
  ['22:00', '07:00', '2026-01-10T21:00:00Z', true],
  ['22:00', '07:00', '2026-01-11T05:59:59Z', true],
  ['22:00', '07:00', '2026-01-11T06:00:00Z', false],
  ['12:00', '13:00', '2026-01-11T11:30:00Z', true],
  ['12:00', '13:00', '2026-01-11T12:00:00Z', false],
  ['22:00', '07:00', '2026-03-29T04:59:59Z', true],
  ['22:00', '07:00', '2026-03-29T05:00:00Z', false],
  ['22:00', '02:30', '2026-03-29T00:59:59Z', true],
  ['22:00', '02:30', '2026-03-29T01:30:00Z', false],
  ['02:30', '06:00', '2026-03-29T01:29:59Z', false],
  ['02:30', '06:00', '2026-03-29T01:30:00Z', true],
  ['22:00', '02:30', '2026-10-25T00:29:59Z', true],
  ['22:00', '02:30', '2026-10-25T00:30:00Z', false],
  // The second 02:15 of the night: quiet hours are over.
  ['22:00', '02:30', '2026-10-25T01:15:00Z', false],
  ['22:00', '07:00', '2026-10-25T05:59:59Z', true],
  ['22:00', '07:00', '2026-10-25T06:00:00Z', false],
])('from %s to %s in Berlin, %s is quiet: %s', (from, to, now, quiet) => {
  expect(isQuiet({ from, to, timeZone: BERLIN }, Date.parse(now))).toBe(quiet);
});
