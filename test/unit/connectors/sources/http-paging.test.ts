// Paging, pace and increment of the HTTP source against a real server.
import { describe, expect, it } from 'vitest';
import { nextLink } from '../../../../src/connectors/sources/http/http-tokens.ts';
import type { SourceCursor } from '../../../../src/core/source.ts';
import {
  type ApiAnswer,
  apiContext,
  failure,
  idsOf,
  people,
  serve,
  sourceOf,
  stillClock,
} from './http-support.ts';

const api = apiContext();

describe('paging', () => {
  const all = people(0, 25).map(({ id }) => id);

  it.each<[string, Record<string, unknown>]>([
    ['page, until an empty one', { type: 'page' }],
    ['page, while there is more', { type: 'page', hasMore: 'more' }],
    ['page, up to the total', { type: 'page', total: 'total', recheck: false }],
    ['offset', { type: 'offset' }],
    ['offset without overlap', { type: 'offset', overlap: 0 }],
    ['offset, while there is more', { type: 'offset', hasMore: 'more', overlap: 3 }],
    ['cursor', { type: 'cursor', cursorParam: 'after', next: 'next' }],
    ['cursor, while there is more', { type: 'cursor', cursorParam: 'after', next: 'next', hasMore: 'more' }],
    ['Link header', { type: 'link' }],
    ['link in the answer', { type: 'link', next: 'link' }],
  ])('by %s yields each row once, whatever the limit of a read', async (_name, pagination) => {
    api.script = serve;
    const config = { items: 'rows', pagination, auth: { query: { name: 'key', value: 'env:TOKEN' } } };
    for (const limit of [1, 12, 1000]) expect(await idsOf(sourceOf(api, config), limit)).toEqual(all);
    expect(api.requests.every(({ query }) => query.key === 'canary-token-value')).toBe(true);
  });

  it('continues in another process with the cursor alone, which contains no secret', async () => {
    api.script = serve;
    const config = {
      items: 'rows',
      pagination: { type: 'link' },
      auth: { query: { name: 'key', value: 'env:TOKEN' } },
    };
    const ids: unknown[] = [];
    let cursor: SourceCursor | null = null;
    do {
      const page = await sourceOf(api, config).read(cursor, { limit: 1 });
      ids.push(...page.rows.map(({ values }) => values?.id));
      cursor = page.next;
      expect(JSON.stringify(cursor)).not.toMatch(/canary|echo/);
    } while (cursor !== null);
    expect(ids).toEqual(all);
  });

  it('reports the progress if the answer counts rows', async () => {
    api.script = serve;
    const page = await sourceOf(api, { items: 'rows', pagination: { type: 'page', total: 'total' } }).read(
      null,
      { limit: 10 },
    );
    expect(page.progress).toBeCloseTo(10 / 25);
  });

  it.each<[string, Record<string, unknown>, () => ApiAnswer, string, RegExp]>([
    [
      'a page parameter that is not known',
      { type: 'page', pageParam: 'p' },
      () => ({ body: people(0, 3) }),
      'endless',
      /"p"/,
    ],
    [
      'an offset that is not known',
      { type: 'offset' },
      () => ({ body: people(0, 3) }),
      'endless',
      /"offset"/,
    ],
    [
      'a cursor that names itself',
      { type: 'cursor', cursorParam: 'c', next: 'n' },
      () => ({ body: { n: 'x', rows: [] } }),
      'endless',
      /circle/,
    ],
    [
      'a link that names itself',
      { type: 'link' },
      () => ({ body: [], headers: { link: '<?page=2>; rel=next' } }),
      'endless',
      /circle/,
    ],
    [
      'a link to another host',
      { type: 'link' },
      () => ({ body: [], headers: { link: '<http://127.0.0.2:1/leads>; rel="next"' } }),
      'bad_answer',
      /another host/,
    ],
    [
      'a cursor that is no text',
      { type: 'cursor', cursorParam: 'c', next: 'n' },
      () => ({ body: { n: {}, rows: [] } }),
      'bad_answer',
      /not a cursor/,
    ],
    [
      'a cursor too large for a number',
      { type: 'cursor', cursorParam: 'c', next: 'n' },
      () => ({ body: '{"n":1.2345678901234567e30,"rows":[]}' }),
      'bad_answer',
      /as text/,
    ],
    [
      'more rows without a cursor',
      { type: 'cursor', cursorParam: 'c', next: 'n', hasMore: 'm' },
      () => ({ body: { m: true, rows: [] } }),
      'bad_answer',
      /no cursor at "n"/,
    ],
    [
      'a cursor with the secret in it',
      { type: 'cursor', cursorParam: 'c', next: 'n' },
      () => ({ body: { n: 'x?t=canary-token-value', rows: [] } }),
      'bad_answer',
      /secret/,
    ],
  ])('refuses %s', async (_name, pagination, script, code, words) => {
    api.script = script;
    const items = pagination.type === 'cursor' ? { items: 'rows' } : {};
    const error = await failure(sourceOf(api, { pagination, auth: { bearer: 'env:TOKEN' }, ...items }));
    expect(error).toMatchObject({ code, retryable: false });
    expect(error.message).toMatch(words);
  });

  it('finds a circle of any length, and gives up after maxPages', async () => {
    api.script = ({ query }) => {
      const at = Number(query.c ?? 0);
      return { body: { n: String(at < 40 ? at + 1 : 17), rows: [] } };
    };
    const pagination = { type: 'cursor', cursorParam: 'c', next: 'n' };
    expect(await failure(sourceOf(api, { items: 'rows', pagination }))).toMatchObject({ code: 'endless' });
    expect(api.requests.length).toBeLessThan(200);
    api.script = (_request, count) => ({ body: { n: String(count), rows: [] } });
    const error = await failure(sourceOf(api, { items: 'rows', pagination, maxPages: 5 }));
    expect(error.message).toMatch(/after 5 requests/);
  });
});

describe('the pace', () => {
  it('is even, and kept from one process to the next', async () => {
    api.script = serve;
    const clock = stillClock();
    const config = {
      items: 'rows',
      rate: { perMinute: 30 },
      pagination: { type: 'cursor', cursorParam: 'after', next: 'next' },
    };
    const first = await sourceOf(api, config, clock).read(null, { limit: 20 });
    expect(clock.slept).toEqual([2000]);
    await sourceOf(api, config, clock).read(first.next, { limit: 20 });
    expect(clock.slept).toEqual([2000, 2000]);
  });

  it('that is slow is left to the caller to wait for', async () => {
    api.script = serve;
    const clock = stillClock();
    const config = {
      items: 'rows',
      rate: { perMinute: 1 },
      pagination: { type: 'cursor', cursorParam: 'after', next: 'next' },
    };
    const first = await sourceOf(api, config, clock).read(null, { limit: 1000 });
    expect(first.rows).toHaveLength(10);
    await expect(sourceOf(api, config, clock).read(first.next, { limit: 1 })).rejects.toMatchObject({
      code: 'busy',
      retryAfterMs: 60_000,
    });
    api.script = () => ({ status: 500 });
    expect((await failure(sourceOf(api, config, clock))).retryAfterMs).toBe(60_000);
  });
});

describe('the increment', () => {
  const changed = (updatedAt: unknown, id = 1) => ({ id, meta: { updatedAt } });
  const DATE = 'Fri, 20 Nov 2026 10:00:00 GMT';
  const DATE_MS = Date.parse(DATE);
  const config = { incremental: { param: 'since', column: 'meta.updatedAt', overlap: '1m' } };
  const run = async (rows: unknown[], since: SourceCursor | null, over = {}) => {
    api.script = () => ({ body: rows, headers: { date: DATE } });
    const { watermark } = await sourceOf(api, { ...config, ...over }).read(null, { limit: 10, since });
    return { since: watermark ?? null, asked: api.requests.at(-1)?.query.since };
  };

  it('asks for all first, then for what changed since the newest row and a little before', async () => {
    const first = await run(
      [changed('2026-11-20T06:00:00-03:00'), changed('2026-11-20 08:00:00'), changed(null)],
      null,
    );
    expect(first.asked).toBeUndefined();
    const second = await run([], first.since);
    expect(second.asked).toBe('2026-11-20T08:59:00.000Z');
    expect((await run([], second.since)).asked).toBe('2026-11-20T08:59:00.000Z');
  });

  it('never begins behind the moment at which the last run began, as rows may have moved while it read', async () => {
    const { since } = await run([changed('2026-11-20T10:00:30Z'), changed('2099-01-01')], null);
    expect((await run([], since)).asked).toBe('2026-11-20T09:59:00.000Z');
  });

  it.each([
    ['date', '2026-11-19'],
    ['epoch', '1795165140'],
    ['epoch-ms', '1795165140000'],
  ])('writes the time as %s', async (format, expected) => {
    const over = { incremental: { ...config.incremental, format } };
    const { since } = await run([changed(1795165200)], null, over);
    expect((await run([], since, over)).asked).toBe(expected);
  });

  it('reads all again when the list is another one', async () => {
    const { since } = await run([changed(DATE_MS)], null);
    expect((await run([], since, { query: { owner: 'me' } })).asked).toBeUndefined();
    expect((await run([], since)).asked).toBeDefined();
  });

  it('refuses a column that no row has', async () => {
    api.script = () => ({ body: [{ id: 1 }] });
    expect(await failure(sourceOf(api, config))).toMatchObject({ code: 'bad_config' });
  });
});

it.each([
  ['</a?x=1,2;3>; rel="next"', '/a?x=1,2;3'],
  ['<a>; title="; rel=next, <b>; rel=next"; rel=prev, <c>; rel="last next"', 'c'],
  ['<a>; REL=NEXT', 'a'],
  ['<a>; rel="nextish"', null],
  ['<a', null],
  [null, null],
])('the Link header %j leads to %j', (header, target) => {
  expect(nextLink(header)).toBe(target);
});
