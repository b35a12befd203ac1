// Lists that move while they are read page by page: nothing that stays in the list is missed, and reading ends.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HttpSource } from '../../../../src/connectors/sources/http/config.ts';
import { pagerOf } from '../../../../src/connectors/sources/http/http-pages.ts';

const SIZE = 5;

interface Entry {
  readonly id: number;
  readonly version: number;
}

/** Reads `list` as an API with pages of five would serve it; `between` changes it after each request. */
function readAll(
  pagination: object,
  list: Entry[],
  options: { hasMore?: boolean; total?: boolean; between?: (list: Entry[]) => void; id?: string } = {},
) {
  const { hasMore = false, total = false, between, id } = options;
  const paths = { ...(hasMore && { hasMore: 'more' }), ...(total && { total: 'count' }) };
  const config = HttpSource.parse({
    type: 'http',
    url: 'http://crm.example.com/leads',
    pagination: { ...pagination, ...paths },
    ...(id !== undefined && { id }),
  });
  const pager = pagerOf(config);
  const out: Entry[] = [];
  let state = pager.first as typeof pager.first | null;
  let requests = 0;
  while (state !== null) {
    requests += 1;
    if (requests > 2000) throw new Error('no end');
    const { params } = pager.ask(JSON.parse(JSON.stringify(state)));
    const from = 'page' in params ? (Number(params.page) - 1) * SIZE : Number(params.offset ?? 0);
    const items = list.slice(from, from + SIZE);
    const body = { more: from + SIZE < list.length, count: list.length };
    const taken = pager.take(state, { items, body, linkHeader: null });
    out.push(...(taken.fresh as Entry[]));
    state = taken.next;
    between?.(list);
  }
  return { out, requests };
}

const listOf = (length: number): Entry[] => Array.from({ length }, (_each, id) => ({ id, version: 0 }));
const kinds = [
  ['page', { type: 'page' }],
  ['offset', { type: 'offset', overlap: 2 }],
] as const;
const reported = fc.constantFrom({}, { hasMore: true }, { total: true }, { hasMore: true, total: true });

describe.each(kinds)('a list read by %s', (_name, pagination) => {
  it('is returned once and in order while it does not change', () => {
    fc.assert(
      fc.property(fc.nat(32), reported, (length, ends) => {
        const { out } = readAll(pagination, listOf(length), ends);
        expect(out.map(({ id }) => id)).toEqual(listOf(length).map(({ id }) => id));
      }),
    );
  });

  // Of pages read again, fewer rows than one holds move over three requests; of offsets, over one.
  const UP = ['leave', 'move last', 'come last', 'edit', 'none'] as const;
  const DOWN = ['come first', 'come last', 'edit', 'none'] as const;
  const ways: [string, readonly string[]][] = [
    // Who jumps to the end goes down while the others go up.
    ['up', pagination.type === 'page' ? UP.filter((kind) => kind !== 'move last') : UP],
    ['down', DOWN],
    // Pages have fixed edges: what slips over one and back again is seen by offset only.
    ...(pagination.type === 'offset'
      ? [['up and down', [...UP, ...DOWN]] as [string, readonly string[]]]
      : []),
  ];
  it.each(ways)('is missing nothing that stays while it moves %s', (_way, steps) => {
    const change = fc.record({
      kind: fc.constantFrom(...steps),
      at: fc.nat(40),
      times: fc.integer({ min: 1, max: pagination.type === 'page' ? 1 : 2 }),
    });
    fc.assert(
      fc.property(fc.nat(40), reported, fc.array(change, { maxLength: 30 }), (length, ends, changes) => {
        const list = listOf(length);
        const stays = new Set(list.map(({ id }) => id));
        const left = [...changes];
        let fresh = 1000;
        const between = () => {
          const step = left.shift() ?? { kind: 'none', at: 0, times: 0 };
          for (let n = 0; n < step.times; n += 1) {
            const at = list.length === 0 ? 0 : (step.at + n) % list.length;
            const entry = list[at];
            if (step.kind === 'come first') list.unshift({ id: fresh++, version: 0 });
            if (step.kind === 'come last') list.push({ id: fresh++, version: 0 });
            if (entry === undefined) continue;
            if (step.kind === 'edit') list[at] = { ...entry, version: entry.version + 1 };
            if (step.kind === 'leave' || step.kind === 'move last') list.splice(at, 1);
            if (step.kind === 'leave') stays.delete(entry.id);
            if (step.kind === 'move last') list.push(entry);
          }
        };
        let seen: Set<number>;
        try {
          seen = new Set(readAll(pagination, list, { ...ends, between, id: 'id' }).out.map(({ id }) => id));
        } catch (error) {
          // A list that grows at its top as fast as Sluice reads it resembles one that never moves on. Sluice reports it.
          expect(error).toMatchObject({ name: 'SourceError', code: 'endless' });
          return;
        }
        expect([...stays].filter((id) => !seen.has(id))).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });
});
