// Days of the filters of the audit log, as times of the server.
import { expect, it } from 'vitest';
import { dayStart } from '../../../src/console/format/day-start.ts';

it.each([
  ['2026-11-23', 'UTC', 0, '2026-11-23T00:00:00.000Z'],
  ['2026-11-23', 'UTC', 1, '2026-11-24T00:00:00.000Z'],
  ['2026-11-23', 'America/Sao_Paulo', 0, '2026-11-23T03:00:00.000Z'],
  ['2026-12-31', 'Asia/Kathmandu', 1, '2026-12-31T18:15:00.000Z'],
  // The night in which clocks are set: the day begins with the old offset, the next one with the new.
  ['2026-03-29', 'Europe/Berlin', 0, '2026-03-28T23:00:00.000Z'],
  ['2026-03-29', 'Europe/Berlin', 1, '2026-03-29T22:00:00.000Z'],
  ['', 'UTC', 0, undefined],
  [undefined, 'UTC', 0, undefined],
  ['2026-99-99', 'UTC', 0, undefined],
  ['<script>', 'UTC', 0, undefined],
])('%s in %s, %i days later, is %s', (day, zone, after, expected) => {
  expect(dayStart(day, zone, after)).toBe(expected);
});
