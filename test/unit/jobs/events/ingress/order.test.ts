// What is done together and what one after the other: groups of a batch, and things of one subject.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBatcher } from '../../../../../src/jobs/events/ingress/batcher.ts';
import { eachInOrder } from '../../../../../src/jobs/events/ingress/in-order.ts';

/** Lets other work go first, by so many turns. */
async function steps(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await Promise.resolve();
}

describe('things of one subject', () => {
  it('are done in the order given, never more than the limit at once, and after an error nothing begins', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ subject: fc.nat(3), steps: fc.nat(9), fails: fc.integer({ min: 0, max: 12 }) })),
        fc.integer({ min: 1, max: 5 }),
        async (things, limit) => {
          const begun: typeof things = [];
          let [atOnce, most, failures] = [0, 0, 0];
          const busy = new Set<number>();
          const { done, failure } = await eachInOrder(
            things,
            ({ subject }) => String(subject),
            limit,
            async (thing) => {
              expect(failures).toBe(0);
              expect(busy.has(thing.subject)).toBe(false);
              busy.add(thing.subject);
              begun.push(thing);
              most = Math.max(most, ++atOnce);
              await steps(thing.steps);
              atOnce--;
              busy.delete(thing.subject);
              if (thing.fails === 0) {
                failures++;
                throw new Error('no');
              }
            },
          );
          expect(most).toBeLessThanOrEqual(limit);
          for (const subject of [0, 1, 2, 3]) {
            const mine = things.filter((thing) => thing.subject === subject);
            const ran = begun.filter((thing) => thing.subject === subject);
            expect(ran).toEqual(mine.slice(0, ran.length));
          }
          const good = begun.filter(({ fails }) => fails !== 0);
          expect(new Set(done)).toEqual(new Set(good));
          expect(failure !== null).toBe(begun.some(({ fails }) => fails === 0));
          if (failure === null) expect(done).toHaveLength(things.length);
        },
      ),
    );
  });
});

describe('a batcher', () => {
  it('answers each sender for its own things, in groups that never leave one behind', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.nat(), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 8 }),
        async (senders, max) => {
          let [groups, atOnce, most] = [0, 0, 0];
          const batcher = createBatcher<number, number>({
            max,
            waitMs: () => 1,
            groups: 2,
            async handOn(group) {
              most = Math.max(most, ++atOnce);
              groups++;
              await steps(5);
              atOnce--;
              return group.map((thing) => thing * 2);
            },
          });
          const answers = senders.map((things) => batcher.add(things));
          await batcher.flush();
          expect(await Promise.all(answers)).toEqual(
            senders.map((things) => things.map((thing) => thing * 2)),
          );
          expect(groups).toBeLessThanOrEqual(senders.length);
          expect(most).toBeLessThanOrEqual(2);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('reports the error of a group only to the members of that group', async () => {
    const batcher = createBatcher<number, number>({
      max: 1,
      waitMs: () => 1000,
      groups: 1,
      handOn: async (group) => {
        if (group.includes(13)) throw new Error('no');
        return group;
      },
    });
    // One a group: the next group grows while one is under way, so they are added one after the other.
    expect(await batcher.add([1])).toEqual([1]);
    await expect(batcher.add([13])).rejects.toThrow('no');
    expect(await batcher.add([2])).toEqual([2]);
  });
});
