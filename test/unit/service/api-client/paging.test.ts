// Reading whole lists that change between pages: nothing lost, nothing twice, always an end.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ApiResult,
  type InvalidItem,
  type Page,
  UnexpectedShapeError,
} from '../../../../src/service/api-client/index.ts';
import type { Window } from '../../../../src/service/api-client/page-cursor.ts';
import { iteratePages } from '../../../../src/service/api-client/paging.ts';

type Item = { readonly id: number };

/** What the service would answer for `window` of `list`. */
function pageOf(list: readonly Item[], { pageNumber, pageSize }: Window): ApiResult<Page<Item>> {
  const start = (pageNumber - 1) * pageSize;
  const items = list.slice(start, start + pageSize);
  const data = { items, invalid: [], count: list.length, hasMore: start + items.length < list.length };
  return { data, meta: { status: 200, requestId: null, rate: null, date: null, durationMs: 0 } };
}

async function readAll(
  fetchPage: (window: Window) => Promise<ApiResult<Page<Item>>>,
  pageSize = 100,
  onInvalid?: (item: InvalidItem) => void,
): Promise<{ ids: number[]; calls: number; error: unknown }> {
  const ids: number[] = [];
  let calls = 0;
  const counted = (window: Window) => {
    calls += 1;
    return fetchPage(window);
  };
  try {
    const keyOf = ({ id }: Item) => id;
    const list = { endpoint: '/v1/x', pageSize, maxPageSize: 100, keyOf, fetchPage: counted, onInvalid };
    for await (const { id } of iteratePages(list)) ids.push(id);
    return { ids, calls, error: null };
  } catch (error) {
    return { ids, calls, error };
  }
}

const listOf = (length: number): Item[] => Array.from({ length }, (_, n) => ({ id: n + 1 }));

describe('a list that stays as it is', () => {
  // Calls with overlap against the least possible without: the price of losing nothing.
  it.each([
    [0, 1],
    [1, 1],
    [100, 1],
    [101, 2],
    [1000, 11],
    [10_000, 114],
  ])('%i items take %i calls', async (length, calls) => {
    const list = listOf(length);
    const result = await readAll(async (window) => pageOf(list, window));
    expect(result).toEqual({ ids: list.map(({ id }) => id), calls, error: null });
  });
});

describe('a list that changes between pages', () => {
  const change = fc.record({
    remove: fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { maxLength: 60 }),
    insert: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 60 }),
    removeFirst: fc.integer({ min: 0, max: 80 }),
    insertFirst: fc.integer({ min: 0, max: 80 }),
  });

  it('what stays is yielded exactly once, whatever comes and goes around it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 400 }),
        fc.integer({ min: 1, max: 60 }),
        fc.array(change, { maxLength: 12 }),
        async (length, pageSize, changes) => {
          let list = listOf(length);
          let nextId = 1_000_000;
          const removed = new Set<number>();
          const pending = [...changes];
          const mutate = () => {
            const step = pending.shift();
            if (step === undefined) return;
            for (const at of step.remove) {
              const [gone] = list.splice(Math.floor(at * list.length), 1);
              if (gone !== undefined) removed.add(gone.id);
            }
            for (const gone of list.splice(0, step.removeFirst)) removed.add(gone.id);
            for (const at of step.insert) list.splice(Math.floor(at * list.length), 0, { id: nextId++ });
            list = [...Array.from({ length: step.insertFirst }, () => ({ id: nextId++ })), ...list];
          };
          const { ids, error } = await readAll(async (window) => {
            const page = pageOf(list, window);
            mutate();
            return page;
          }, pageSize);
          expect(new Set(ids).size).toBe(ids.length);
          // The first count bounds the calls: a list that grows far beyond it may end in an error, never in silence.
          if (list.length > 2 * length + 80 && error instanceof UnexpectedShapeError) return;
          expect(error).toBeNull();
          const stayed = listOf(length).filter(({ id }) => !removed.has(id));
          const found = new Set(ids);
          expect(stayed.filter(({ id }) => !found.has(id))).toEqual([]);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('a removal hidden by an insert at the end loses nothing, although the count stays', async () => {
    const list = listOf(250);
    let first = true;
    const { ids } = await readAll(async (window) => {
      const page = pageOf(list, window);
      if (first) {
        list.splice(0, 1);
        list.push({ id: 999 });
      }
      first = false;
      return page;
    });
    expect(ids).toContain(101);
    expect(ids).toHaveLength(251);
  });

  it('an unread item that jumps to the front is read there', async () => {
    const list = listOf(250);
    let first = true;
    const { ids } = await readAll(async (window) => {
      const page = pageOf(list, window);
      if (first) list.unshift(...list.splice(200, 1));
      first = false;
      return page;
    });
    expect([...ids].toSorted((a, b) => a - b)).toEqual(listOf(250).map(({ id }) => id));
  });

  it('a list that grows as fast as it is read comes to an end', async () => {
    let list = listOf(300);
    let nextId = 1000;
    const { error, calls } = await readAll(async (window) => {
      const page = pageOf(list, window);
      list = [...Array.from({ length: 100 }, () => ({ id: nextId++ })), ...list];
      return page;
    });
    expect(error === null || error instanceof UnexpectedShapeError).toBe(true);
    expect(calls).toBeLessThan(500);
  });
});

describe('a service that misbehaves', () => {
  it('one that ignores the page number is found out in a few calls', async () => {
    const list = listOf(5000);
    const { error, calls } = await readAll(async () => pageOf(list, { pageNumber: 1, pageSize: 100 }));
    expect(error).toBeInstanceOf(UnexpectedShapeError);
    expect(calls).toBeLessThan(8);
  });

  it('one that says hasMore for ever on empty pages is left', async () => {
    const page = pageOf(listOf(100), { pageNumber: 1, pageSize: 100 });
    const empty = { ...page, data: { ...page.data, items: [], hasMore: true } };
    const { error, calls } = await readAll(async () => empty);
    expect(error).toBeInstanceOf(UnexpectedShapeError);
    expect(calls).toBeLessThan(40);
  });

  it('one that silently caps pages at 50 is read completely', async () => {
    const list = listOf(430);
    const { ids } = await readAll(async (window) =>
      pageOf(list, { ...window, pageSize: Math.min(50, window.pageSize) }),
    );
    expect(ids).toEqual(list.map(({ id }) => id));
  });
});

describe('items that can not be read', () => {
  const WRONG = { expected: 'expected string', assumption: null, seen: [] };
  const broken = new Set([3, 100, 140]);
  const withBroken = async (window: Window) => {
    const { data, meta } = pageOf(listOf(250), window);
    const invalid = data.items.flatMap(({ id }, index) =>
      broken.has(id) ? [{ index, id, path: `x[${index}].name`, ...WRONG }] : [],
    );
    return { data: { ...data, items: data.items.filter(({ id }) => !broken.has(id)), invalid }, meta };
  };

  it('are reported once each, and the others are returned', async () => {
    const reported: Array<number | null> = [];
    const { ids, error } = await readAll(withBroken, 100, ({ id }) => reported.push(id));
    expect(error).toBeNull();
    expect(reported).toEqual([3, 100, 140]);
    expect(ids).toHaveLength(247);
  });

  it('fail the reading at its end when nobody listens', async () => {
    const { ids, error } = await readAll(withBroken);
    expect(ids).toHaveLength(247);
    expect(error).toMatchObject({ name: 'UnexpectedShapeError', path: 'x[2].name' });
  });

  it('without a readable id still let the list end', async () => {
    const { error } = await readAll(async (window) => {
      const { data, meta } = pageOf(listOf(250), window);
      const invalid = data.items.map((_item, index) => ({
        index,
        id: null,
        path: `x[${index}].id`,
        ...WRONG,
      }));
      return { data: { ...data, items: [], invalid }, meta };
    });
    expect(error).toMatchObject({ path: 'x[0].id' });
  });
});
