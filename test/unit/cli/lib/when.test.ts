// Points in time as operators write them, in the zone of the account.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { when } from '../../../../src/cli/lib/when.ts';

const NOW = new Date('2026-11-23T12:30:00Z');
const before = process.env.TZ;
beforeAll(() => {
  process.env.TZ = 'America/Sao_Paulo';
});
afterAll(() => {
  if (before === undefined) delete process.env.TZ;
  else process.env.TZ = before;
});

it.each([
  ['2h', '2026-11-23T10:30:00.000Z'],
  ['1w', '2026-11-16T12:30:00.000Z'],
  ['today', '2026-11-23T03:00:00.000Z'],
  ['yesterday', '2026-11-22T03:00:00.000Z'],
  // It is 9:30 in São Paulo: 20:00 was yesterday.
  ['20:00', '2026-11-22T23:00:00.000Z'],
  ['9:15', '2026-11-23T12:15:00.000Z'],
  ['yesterday 20:00', '2026-11-22T23:00:00.000Z'],
  ['today 08:00', '2026-11-23T11:00:00.000Z'],
  ['2026-11-20T06:00:00-03:00', '2026-11-20T09:00:00.000Z'],
])('%s is %s', (text, expected) => {
  expect(when(text, NOW).toISOString()).toBe(expected);
});

it.each([
  '',
  '24:00',
  '20:60',
  'todayx',
  'today20:00',
  'tomorrow',
  '2026-11-20',
  '2026-11-20T06:00:00',
  ' 20:00',
])('%j is refused with what to write', (text) => {
  expect(() => when(text, NOW)).toThrow(/yesterday, 20:00/);
});
