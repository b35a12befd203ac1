// The cursor over a list in motion, without a service: whatever comes and goes, nobody who stays is missed.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { firstPage, nextPage, windowOverlapping } from '../../../../src/service/api-client/page-cursor.ts';

interface Change {
  readonly kind: 'leave' | 'come';
  /** Where in the list, 0 to 1. */
  readonly at: number;
  readonly many: number;
}

const change = fc.record<Change>({
  kind: fc.constantFrom('leave' as const, 'come' as const),
  at: fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true })),
  many: fc.integer({ min: 1, max: 60 }),
});

/** Reads a list to its end; what happens before each page. */
function read(size: number, changes: readonly (readonly Change[])[], cap = 100, largest = 100) {
  let list = Array.from({ length: size }, (_, n) => n + 1);
  let newest = 10_000;
  const seen = new Set<number>();
  let cursor = firstPage(largest);
  for (;;) {
    for (const { kind, at, many } of changes[cursor.step] ?? []) {
      const place = Math.floor(at * list.length);
      const coming = Array.from({ length: kind === 'come' ? many : 0 }, () => ++newest);
      list = [...list.slice(0, place), ...coming, ...list.slice(place + (kind === 'leave' ? many : 0))];
    }
    const pageSize = Math.min(cursor.pageSize, cap);
    const from = (cursor.pageNumber - 1) * pageSize;
    const ids = list.slice(from, from + pageSize);
    const known = ids.filter((id) => seen.has(id)).length;
    const page = { count: list.length, hasMore: from + pageSize < list.length, ids, nameless: 0, known };
    const step = nextPage(cursor, page);
    if (step.take) for (const id of ids) seen.add(id);
    ({ cursor } = step);
    if (step.end !== null) {
      const missed = list.filter((id) => id <= size && !seen.has(id));
      return { missed, calls: cursor.step, unsteady: step.end !== 'complete' };
    }
  }
}

it('FAULTS 15: whoever is in the list from the first page to the last is read, or the cursor says that it is not sure', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 900 }),
      fc.array(fc.array(change, { maxLength: 2 }), { maxLength: 40 }),
      (size, changes) => {
        const { missed, unsteady } = read(size, changes);
        if (!unsteady) expect(missed).toEqual([]);
      },
    ),
    { numRuns: 500 },
  );
});

it.each([20, 21, 37, 100])(
  'of pages of %i, whatever arrives in front of a list at one time hides nobody and ends no reading early',
  (pageSize) => {
    for (let many = 1; many <= 3 * pageSize; many++) {
      const arriving = [[], [{ kind: 'come' as const, at: 0, many }]];
      expect(read(pageSize + 1, arriving, pageSize, pageSize)).toMatchObject({ missed: [], unsteady: false });
    }
  },
);

it('a short list that grows at every page is read to its end', () => {
  const arriving = Array.from({ length: 8 }, () => [{ kind: 'come' as const, at: 0, many: 60 }]);
  expect(read(21, arriving, 20, 20)).toMatchObject({ missed: [], unsteady: false });
});

it('one that leaves in front at every page is kept up with, and no warning is given', () => {
  const leaving = Array.from({ length: 100 }, () => [{ kind: 'leave' as const, at: 0, many: 1 }]);
  expect(read(1500, leaving)).toMatchObject({ missed: [], unsteady: false });
});

it.each([
  [100, 1],
  [1000, 12],
  [10_000, 116],
  [100_000, 1160],
])('a list of %i at rest takes at most %i calls', (size, calls) => {
  const result = read(size, []);
  expect(result).toMatchObject({ missed: [], unsteady: false });
  expect(result.calls).toBeLessThanOrEqual(calls);
});

it('every window starts inside what was read and reaches beyond it, whatever the offset', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000_000 }), fc.integer({ min: 20, max: 100 }), (offset, max) => {
      const { pageNumber, pageSize } = windowOverlapping(offset, max);
      expect(pageSize).toBeLessThanOrEqual(max);
      expect((pageNumber - 1) * pageSize).toBeLessThan(offset);
      expect(pageNumber * pageSize).toBeGreaterThan(offset);
    }),
  );
});
