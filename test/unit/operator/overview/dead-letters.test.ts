// Open dead letters are counted in the background: whoever asks never waits for Kafka.
import { expect, it, vi } from 'vitest';
import type { DeadLetterSummary } from '../../../../src/jobs/events/contract/refusals.ts';
import { createDeadLetters } from '../../../../src/jobs/events/operator/letters.ts';
import type { OperatorDeps } from '../../../../src/operator/service/deps.ts';

const letter = (over: Partial<DeadLetterSummary> = {}): DeadLetterSummary => ({
  id: '0-1',
  failedAt: '2026-11-22T03:00:00.000Z',
  route: 'leads',
  code: 'SCHEMA',
  reason: 'no phone',
  origin: { topic: 'crm', partition: 0, offset: '1', timestamp: '0' },
  resolution: null,
  ...over,
});
const RESOLVED = { how: 'discarded', by: 'ana', at: '2026-11-22T04:00:00.000Z', reason: null } as const;

function depsOf(clusters: readonly string[], over: Partial<OperatorDeps> = {}) {
  const warned: object[] = [];
  const kafka = Object.fromEntries(clusters.map((name) => [name, {}]));
  const deps = {
    config: () => ({ config: { ingress: { kafka } } }),
    consoleUrl: () => 'http://127.0.0.1:8233',
    log: { warn: (fields: object) => void warned.push(fields) },
    ...over,
  } as unknown as OperatorDeps;
  return { deps, warned };
}

it('counts open ones by route, and a count serves until somebody changes them', async () => {
  const { deps } = depsOf(['bus']);
  const list = vi.fn(async () => [
    letter({ failedAt: '2026-11-22T05:00:00.000Z' }),
    letter({ id: '0-2', code: 'MAPPING' }),
    letter({ id: '0-3', resolution: RESOLVED }),
    letter({ id: '0-4', route: 'tags' }),
  ]);
  const letters = createDeadLetters(deps, list);
  expect(letters.open()).toEqual([]);
  await vi.waitFor(() => expect(letters.open()).toHaveLength(2));
  expect(letters.open()).toMatchObject([
    { cluster: 'bus', route: 'leads', count: 2, since: '2026-11-22T03:00:00.000Z', code: 'MAPPING' },
    { cluster: 'bus', route: 'tags', count: 1 },
  ]);
  expect(list).toHaveBeenCalledTimes(1);
  letters.forget();
  letters.open();
  expect(list).toHaveBeenCalledTimes(2);
});

it('a cluster that is away keeps its last count and does not hide another one', async () => {
  const { deps, warned } = depsOf(['bus', 'gone']);
  let isAway = false;
  const letters = createDeadLetters(deps, async (cluster) => {
    if (isAway || cluster === 'gone') throw new Error('no broker answers');
    return [letter()];
  });
  letters.open();
  await vi.waitFor(() => expect(letters.open()).toHaveLength(1));
  isAway = true;
  letters.forget();
  letters.open();
  await vi.waitFor(() => expect(warned).toHaveLength(3));
  expect(letters.open()).toHaveLength(1);
});

it('a count that is slow is not begun twice', async () => {
  const { deps } = depsOf(['bus']);
  const list = vi.fn(async () => await new Promise<never>(() => undefined));
  const letters = createDeadLetters(deps, list);
  for (let n = 0; n < 3; n++) {
    letters.forget();
    letters.open();
  }
  expect(list).toHaveBeenCalledTimes(1);
});

it.each([
  ['without a cluster', depsOf([])],
  ['in a command, which serves no console', depsOf(['bus'], { consoleUrl: () => null })],
])('%s, nothing is read', (_, { deps }) => {
  const list = vi.fn(async () => []);
  expect(createDeadLetters(deps, list).open()).toEqual([]);
  expect(list).not.toHaveBeenCalled();
});
