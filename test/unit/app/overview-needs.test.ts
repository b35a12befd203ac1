import { expect, it } from 'vitest';
import { createNeedsMemory } from '../../../src/app/overview-needs.ts';

const need = (count: number) => ({ account: 'acme', kind: 'blocked-sync' as const, count });

it('shows what the reading before found, one reading at a time, and nothing that is too old', async () => {
  let now = 0;
  const readings: PromiseWithResolvers<ReturnType<typeof need>[]>[] = [];
  const failures: unknown[] = [];
  const needs = createNeedsMemory(
    () => {
      const reading = Promise.withResolvers<ReturnType<typeof need>[]>();
      readings.push(reading);
      return reading.promise;
    },
    (error) => failures.push(error),
    () => now,
  );
  const settled = () => new Promise((done) => setImmediate(done));
  // A scrape does not wait, and the next one begins no second reading.
  expect(needs()).toBeNull();
  expect(needs()).toBeNull();
  expect(readings).toHaveLength(1);
  readings[0]?.resolve([need(1)]);
  await settled();
  expect(needs()).toEqual([need(1)]);
  // A reading that fails leaves the one before, until it is two minutes old.
  readings[1]?.reject(new Error('Temporal is away'));
  await settled();
  expect(failures).toEqual([new Error('Temporal is away')]);
  now = 119_999;
  expect(needs()).toEqual([need(1)]);
  now = 120_000;
  expect(needs()).toBeNull();
  // One that hangs is not begun again.
  expect(readings).toHaveLength(3);
  readings[2]?.resolve([]);
  await settled();
  expect(needs()).toEqual([]);
});
