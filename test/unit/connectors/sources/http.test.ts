// The HTTP source against a real server: what it asks, what it takes for rows, and what goes wrong.
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  type ApiAnswer,
  type ApiRequest,
  apiContext,
  failure,
  idsOf,
  people,
  serve,
  sourceOf,
  startApi,
  stillClock,
} from './http-support.ts';
import { outcomes, readAll } from './support.ts';

const api = apiContext();
const answer = (body: unknown): void => {
  api.script = () => ({ body });
};

describe('asking', () => {
  it.each<[string, Record<string, unknown>, Partial<ApiRequest['headers']>, Record<string, string>]>([
    ['a bearer token', { bearer: 'env:TOKEN' }, { authorization: 'Bearer canary-token-value' }, {}],
    ['a header', { header: { name: 'X-Key', value: 'env:TOKEN' } }, { 'x-key': 'canary-token-value' }, {}],
    ['a parameter', { query: { name: 'key', value: 'env:TOKEN' } }, {}, { key: 'canary-token-value' }],
    [
      'user and password',
      { basic: { username: 'env:USER', password: 'env:TOKEN' } },
      { authorization: `Basic ${btoa('canary-user:canary-token-value')}` },
      {},
    ],
    ['a user alone', { basic: { username: 'api' } }, { authorization: `Basic ${btoa('api:')}` }, {}],
  ])(
    'shows %s, beside the parameters and headers of the configuration',
    async (_name, auth, headers, query) => {
      answer([]);
      await readAll(
        sourceOf(api, { auth, query: { active: true, q: 'a b&c' }, headers: { 'X-Team': 'sales' } }),
      );
      expect(api.requests).toHaveLength(1);
      expect(api.requests[0]).toMatchObject({ method: 'GET', headers: { ...headers, 'x-team': 'sales' } });
      expect(api.requests[0]?.query).toEqual({ active: 'true', q: 'a b&c', ...query });
    },
  );

  it('puts page and increment into the body of a POST', async () => {
    api.script = (_request, count) => ({
      body: { rows: count === 1 ? people(0, 1) : [], next: count === 1 ? 'n' : null },
    });
    const pagination = {
      type: 'cursor',
      cursorParam: 'page.after',
      next: 'next',
      sizeParam: 'page.size',
      size: 50,
    };
    await readAll(
      sourceOf(api, {
        method: 'POST',
        body: { page: { kind: 'x' }, filter: [1] },
        items: 'rows',
        pagination,
      }),
    );
    expect(api.requests.map(({ body }) => JSON.parse(body))).toEqual([
      { page: { kind: 'x', size: 50 }, filter: [1] },
      { page: { kind: 'x', size: 50, after: 'n' }, filter: [1] },
    ]);
  });
});

describe('rows', () => {
  it('are at the configured path, and an entry that is not an object is a problem row', async () => {
    let deep: unknown = {};
    for (let level = 0; level < 70; level += 1) deep = { deep };
    answer({
      data: { edges: [{ node: { id: 1, a: { b: 2 } } }, { node: 7 }, {}, { node: { deep } }, { node: [] }] },
    });
    const rows = await readAll(sourceOf(api, { items: 'data.edges', item: 'node' }));
    const bad = 'malformed_row';
    expect(outcomes(rows)).toEqual([{ id: 1, a: { b: 2 } }, bad, bad, bad, bad]);
    expect(rows.map(({ row }) => row)).toEqual([1, 2, 3, 4, 5]);
  });

  it.each<[string, ApiAnswer]>([
    ['null for a list', { body: { rows: null } }],
    ['no content', { status: 204 }],
    ['an empty list', { body: { rows: [] } }],
  ])('are none after %s', async (_name, script) => {
    api.script = () => script;
    expect(await readAll(sourceOf(api, { items: 'rows' }))).toEqual([]);
  });

  it('come decompressed, and in the encoding that the answer names', async () => {
    api.script = (_request, count): ApiAnswer =>
      count === 1
        ? { body: gzipSync('[{"id":"é"}]'), headers: { 'content-encoding': 'gzip' } }
        : {
            body: Buffer.from('[{"id":"\xe9"}]', 'latin1'),
            headers: { 'content-type': 'application/json; charset=iso-8859-1' },
          };
    expect(await idsOf(sourceOf(api))).toEqual(['é']);
    expect(await idsOf(sourceOf(api))).toEqual(['é']);
  });
});

describe('trouble', () => {
  const html = { headers: { 'content-type': 'text/html' }, body: '<html>Maria, log in' };
  it.each<[string, ApiAnswer, string, boolean, RegExp]>([
    ['no login', { status: 401 }, 'denied', false, /check `auth`/],
    ['no right', { status: 403 }, 'denied', false, /rights/],
    ['no such address', { status: 404 }, 'not_found', false, /check `url`/],
    ['a refusal', { status: 422 }, 'bad_config', false, /422/],
    ['a failure', { status: 500 }, 'unreachable', true, /500/],
    ['too many requests', { status: 429 }, 'busy', true, /rate/],
    [
      'a redirect',
      { status: 302, headers: { location: 'http://evil.example.com/x?t=Maria' } },
      'bad_config',
      false,
      /evil\.example\.com\/x,/,
    ],
    ['a login page', html, 'bad_answer', false, /login page/],
    ['a login page called JSON', { body: '\n <!doctype html>Maria' }, 'bad_answer', false, /login page/],
    ['what is no JSON', { body: 'Maria, 12' }, 'bad_answer', false, /not valid JSON/],
    ['nothing', { body: '' }, 'bad_answer', false, /empty/],
    ['JSON that is cut', { body: '[{"name":"Mari' }, 'bad_answer', true, /cut off/],
    ['a connection cut in the body', { body: '[{"name":"Mari', cut: 'after' }, 'unreachable', true, /broke/],
    ['a connection cut before', { cut: 'before' }, 'unreachable', true, /broke/],
    ['broken bytes', { body: Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]) }, 'bad_answer', false, /encoding/],
    ['no list', { body: { error: 'Maria is unknown' } }, 'bad_answer', false, /it has error/],
    ['an object of people', { body: { 'maria@example.com': 1 } }, 'bad_answer', false, /is not a list;/],
    [
      'a bomb',
      { body: gzipSync(Buffer.alloc(40 * 1024 * 1024, 32)), headers: { 'content-encoding': 'gzip' } },
      'too_large',
      false,
      /32 MB/,
    ],
  ])(
    'of the kind "%s" says what it is, and no secret and no value',
    async (_name, script, code, retryable, words) => {
      api.script = () => script;
      const error = await failure(sourceOf(api, { auth: { query: { name: 'key', value: 'env:TOKEN' } } }));
      expect(error).toMatchObject({ code, retryable });
      expect(error.message).toMatch(words);
      expect(`${error.message} ${String(error.cause)}`).not.toMatch(/canary|maria|\?/i);
      expect(api.requests).toHaveLength(1);
    },
  );

  it.each([
    ['seconds', { 'retry-after': '7' }, 7000],
    [
      'a date, by the answer’s own clock',
      { 'retry-after': 'Wed, 21 Oct 2015 07:28:30 GMT', date: 'Wed, 21 Oct 2015 07:28:00 GMT' },
      30_000,
    ],
    ['a year', { 'retry-after': '31536000' }, 3_600_000],
    ['garbage', { 'retry-after': 'soon' }, undefined],
  ])('hands on a wait of %s', async (_name, headers, expected) => {
    api.script = () => ({ status: 503, headers });
    expect((await failure(sourceOf(api))).retryAfterMs).toBe(expected);
  });

  it('after some pages keeps their rows, and meets the trouble at the next read', async () => {
    api.script = (request, count) =>
      count === 3 ? { status: 429, headers: { 'retry-after': '60' } } : serve(request);
    const clock = stillClock();
    const source = sourceOf(
      api,
      { items: 'rows', pagination: { type: 'cursor', cursorParam: 'after', next: 'next' } },
      clock,
    );
    const page = await source.read(null, { limit: 1000 });
    expect(page.rows).toHaveLength(20);
    await expect(source.read(page.next, { limit: 1000 })).rejects.toMatchObject({
      code: 'busy',
      retryable: true,
      retryAfterMs: 60_000,
    });
    await clock.sleep(60_000, undefined);
    expect((await source.read(page.next, { limit: 1000 })).rows).toHaveLength(5);
  });

  it('with the host, the deadline and the secret', async () => {
    const at = (url: string, config = {}) => failure(sourceOf({ ...api, url }, config));
    expect(await at('http://127.0.0.1:1/x')).toMatchObject({ code: 'bad_config' });
    const { port } = new URL(api.url);
    expect(await at(`https://127.0.0.1:${port}/x`)).toMatchObject({ code: 'bad_answer', retryable: false });
    const gone = await startApi();
    await gone.close();
    expect(await at(gone.url)).toMatchObject({ code: 'unreachable', retryable: true });
    api.script = () => ({ hang: true });
    expect(await at(api.url, { timeout: '20ms' })).toMatchObject({ code: 'unreachable', retryable: true });
    expect(await at(api.url, { auth: { bearer: 'env:NONE' } })).toMatchObject({
      code: 'secret',
      retryable: false,
    });
    const odd = await at(api.url, { auth: { bearer: 'env:ODD' } });
    expect(odd.message).toMatch(/header authorization/);
    expect(odd.message).not.toMatch(/ün/);
  });

  it('ends at once when the caller gives up', async () => {
    const abort = new AbortController();
    api.script = () => {
      abort.abort(new Error('given up'));
      return { hang: true };
    };
    await expect(sourceOf(api).read(null, { limit: 1, signal: abort.signal })).rejects.toThrow('given up');
  });

  it('with a cursor of another list is an error', async () => {
    const other = { format: 'http-1', source: 'x', row: 1 };
    await expect(sourceOf(api).read(other, { limit: 1 })).rejects.toMatchObject({ code: 'changed' });
  });
});
