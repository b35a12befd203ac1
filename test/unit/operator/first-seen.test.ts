// Needs whose time nothing stores.
import { expect, it } from 'vitest';
import { createFirstSeen } from '../../../src/operator/service/overview/first-seen.ts';

const need = (name: string, since: string | null = null) => ({
  kind: 'blocked-sync' as const,
  account: 'acme',
  name,
  run: null,
  since,
});
const EARLY = '2026-11-27T10:00:00.000Z';
const NOW = '2026-11-27T12:00:00.000Z';
const LATER = '2026-11-27T13:00:00.000Z';
const times = (needs: readonly { name: string; since: string | null }[]) =>
  needs.map(({ name, since }) => [name, since]);

it('keeps the time of the first look, and a stored time as it is', () => {
  const fill = createFirstSeen();
  expect(times(fill(null, [need('a'), need('b', EARLY)], NOW))).toEqual([
    ['a', NOW],
    ['b', EARLY],
  ]);
  expect(times(fill(null, [need('a')], LATER))).toEqual([['a', NOW]]);
});

it('keeps a stored time that is forgotten before the need ends', () => {
  const fill = createFirstSeen();
  fill(null, [need('a', EARLY)], NOW);
  expect(times(fill(null, [need('a')], LATER))).toEqual([['a', EARLY]]);
});

it('begins again when it was gone, but not when only another account was asked for', () => {
  const fill = createFirstSeen();
  fill(null, [need('a')], NOW);
  fill('globex', [], LATER);
  expect(times(fill(null, [need('a')], LATER))).toEqual([['a', NOW]]);
  fill(null, [], LATER);
  expect(times(fill(null, [need('a')], LATER))).toEqual([['a', LATER]]);
});
