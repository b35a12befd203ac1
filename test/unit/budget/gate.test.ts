// The gate: an account whose service hangs fills its own places only.
import { expect, it } from 'vitest';
import { createGate, PLACES_A_TOKEN } from '../../../src/budget/gate.ts';
import { LANES } from '../../../src/contracts/run.ts';

const fill = (gate: ReturnType<typeof createGate>, account: string, lane: number) => {
  const leaves = [];
  for (let leave = gate.enter(account, lane); leave !== null; leave = gate.enter(account, lane))
    leaves.push(leave);
  return leaves;
};

it('an account that is full turns nobody of another one away', () => {
  const gate = createGate(
    new Map([
      ['slow', 1],
      ['fast', 2],
    ]),
  );
  expect(gate.places).toBe(3 * PLACES_A_TOKEN);
  fill(gate, 'slow', LANES.backfill);
  fill(gate, 'slow', LANES.lead);
  expect(gate.enter('slow', LANES.reply)).toBeNull();
  fill(gate, 'fast', LANES.backfill);
  expect(fill(gate, 'fast', LANES.reply).length).toBeGreaterThan(0);
});

it('syncs leave places for replies and leads', () => {
  const gate = createGate(new Map([['a', 1]]));
  const low = fill(gate, 'a', LANES.poll);
  expect(low.length).toBeLessThan(PLACES_A_TOKEN);
  expect(fill(gate, 'a', LANES.lead)).toHaveLength(PLACES_A_TOKEN - low.length);
});

it('a place that is given back twice is free once', () => {
  const gate = createGate(new Map([['a', 1]]));
  const [first] = fill(gate, 'a', LANES.reply);
  first?.();
  first?.();
  expect(fill(gate, 'a', LANES.reply)).toHaveLength(1);
});
