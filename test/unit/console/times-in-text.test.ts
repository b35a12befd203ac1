// Times in sentences of the server become times of the page.
import { expect, it } from 'vitest';
import { withTimes } from '../../../src/console/format/times-in-text.ts';

it.each([
  ['they said so on 2026-11-27T15:00:00.123Z', 'they said so on <2026-11-27T15:00:00.123Z>'],
  ['since 2026-11-27T15:00:00-03:00, twice', 'since <2026-11-27T18:00:00.000Z>, twice'],
  ['since 2026-11-27 15:00+02', 'since <2026-11-27T13:00:00.000Z>'],
  [
    'ended at 2026-11-20 10:00 (America/Sao_Paulo); set a later end',
    'ended at <2026-11-20T13:00:00.000Z>; set a later end',
  ],
  ['in 2026-11-20 10:00 (Nowhere/Land)', 'in 2026-11-20 10:00 (Nowhere/Land)'],
  ['the day 2026-11-27 has no clock', 'the day 2026-11-27 has no clock'],
  ['2026-99-27T15:00Z', '2026-99-27T15:00Z'],
])('%s', (text, shown) => {
  expect(withTimes(text, (at) => `<${at}>`)).toBe(shown);
});
