// Refused requests as operators see, correct and replay them.

import { beforeEach, describe, expect, it } from 'vitest';
import { recordRefusedRequests } from '../../../../src/jobs/events/ingress/refused-requests.ts';
import {
  forgetRefusedRequests,
  KEPT_BYTES_PER_ROUTE,
  KEPT_PER_ROUTE,
  keepRefusedRequests,
  type NewRefusedRequest,
  refusedRequestId,
} from '../../../../src/jobs/events/store/refused-requests.ts';
import { type Announcer, createAnnouncer } from '../../../../src/jobs/outbox/store/announcer.ts';
import { operatorContext, startsEvents } from '../../../support/operator/context.ts';

const NUMBER = '+55 11 98765-4321';
const GOOD = JSON.stringify({ event_id: 'e1', phone: NUMBER });
const BAD = JSON.stringify({ event_id: 'e1', phoen: NUMBER });

let started: string[];
beforeEach(() => {
  started = [];
});
const tags = {
  account: 'acme',
  action: { type: 'tags', number: 'phone', defaultCountry: 'BR', add: ['vip'] },
};
const { db, operator } = operatorContext({
  yaml: {
    version: 1,
    accounts: { acme: { baseUrl: 'http://127.0.0.1:1/wapi', tokens: ['env:A'] } },
    routes: {
      site: { ...tags, http: { path: '/site', auth: { type: 'none' } } },
      other: { ...tags, http: { path: '/other', auth: { type: 'none' } } },
    },
  },
  temporal: () => startsEvents((events) => void started.push(...events)),
});

const request = (body: string, over: Partial<NewRefusedRequest> = {}): NewRefusedRequest => ({
  account: 'acme',
  route: 'site',
  code: 'MAPPING',
  reason: 'phone: is missing',
  content: {
    headers: { 'content-type': 'application/json', from: 'ana@crm.example' },
    body: Buffer.from(body),
    signature: null,
  },
  ...over,
});

async function kept(...requests: NewRefusedRequest[]): Promise<string> {
  await keepRefusedRequests(db, requests);
  return refusedRequestId(requests[0] as NewRefusedRequest);
}

const list = async (input: object = {}) => await operator.client.call('GET /refused-requests', input);
const replay = async (input: object) =>
  (await operator.client.call('POST /refused-requests/replay', input)).results;

describe('the list', () => {
  it('has a request once, however often it is sent, in pages by route', async () => {
    await kept(request(BAD), request(BAD), request('{}'), request(BAD, { route: 'other' }));
    const { requests, total } = await list();
    expect(total).toBe(3);
    expect(requests.map(({ route, count }) => [route, count])).toEqual([
      ['other', 1],
      ['site', 1],
      ['site', 2],
    ]);
    const first = await list({ limit: 1 });
    expect((await list({ limit: 5, before: first.next })).requests).toEqual(requests.slice(1));
    expect(await list({ route: 'other' })).toMatchObject({ total: 1, requests: [{ route: 'other' }] });
    expect(await list({ codes: ['SCHEMA'] })).toMatchObject({ total: 0 });
  });

  it('counts by route and code, also those that the filters leave out', async () => {
    const id = await kept(request(BAD), request('{}'), request(BAD, { route: 'other', code: 'SCHEMA' }));
    await operator.client.call('POST /refused-requests/discard', { ids: [id], reason: 'a test' });
    const count = async (input: object) =>
      (await list({ route: 'other', ...input })).counts.map(({ route, code, count: of }) => [
        route,
        code,
        of,
      ]);
    expect(await count({})).toEqual([
      ['other', 'SCHEMA', 1],
      ['site', 'MAPPING', 1],
    ]);
    expect(await count({ resolved: true })).toEqual([
      ['site', 'MAPPING', 2],
      ['other', 'SCHEMA', 1],
    ]);
    expect(await count({ account: 'none' })).toEqual([]);
  });

  it('is bounded by route, so that one sender displaces only its own', async () => {
    await kept(request('{}', { route: 'other' }));
    await db.query(
      `insert into refused_requests (id, account, route, code, reason, bytes, content)
       select 'rr_' || n, 'acme', 'site', 'MAPPING', '', 0, '' from generate_series(1, $1::int) n`,
      [KEPT_PER_ROUTE],
    );
    const id = await kept(request(BAD));
    const { requests, total } = await list({ limit: 1000 });
    expect([requests[0]?.id, total]).toEqual([id, KEPT_PER_ROUTE + 1]);
  });

  it('is bounded in bytes by route', async () => {
    await db.query(
      `insert into refused_requests (id, account, route, code, reason, bytes, content)
       select 'rr_' || n, 'acme', 'site', 'MAPPING', '', 1000000, '' from generate_series(1, 100) n`,
    );
    const id = await kept(request(BAD));
    const { requests, total } = await list({ limit: 1000 });
    expect(requests[0]?.id).toBe(id);
    expect(total).toBe(1 + Math.floor(KEPT_BYTES_PER_ROUTE / 1_000_000));
  });

  it('forgets what is older than configured', async () => {
    await kept(request(BAD), request('{}'));
    await db.query("update refused_requests set last_at = now() - interval '3 days' where bytes > 2");
    expect([await forgetRefusedRequests(db, 2), await forgetRefusedRequests(db, 2)]).toEqual([1, 0]);
    expect((await list()).total).toBe(1);
  });
});

describe('one request', () => {
  it('is masked, and shown in clear to an operator who asks', async () => {
    const id = await kept(request(BAD));
    const shown = await operator.client.call('GET /refused-requests/{id}', { id });
    expect(JSON.stringify(shown)).not.toMatch(/98765|ana@/);
    expect(shown).toMatchObject({
      code: 'MAPPING',
      bytes: BAD.length,
      now: { outcome: 'refused', code: 'MAPPING' },
    });
    const clear = await operator.client.call('GET /refused-requests/{id}', { id, unmask: true });
    expect([clear.body, clear.headers.from]).toEqual([BAD, 'ana@crm.example']);
    const viewer = operator.as({ role: 'viewer' });
    await expect(viewer.call('GET /refused-requests/{id}', { id, unmask: true })).rejects.toMatchObject({
      kind: 'forbidden',
    });
    await expect(viewer.call('POST /refused-requests/replay', { ids: [id] })).rejects.toMatchObject({
      kind: 'forbidden',
    });
  });

  it('hides names of fields and headers that name a person', async () => {
    const body = JSON.stringify({ '+5511987650001': 'x', 'maria@x.example': 1, plan: 'gold' });
    const headers = { 'content-type': 'application/json; name="maria@x.example"', ce_id: '+5511987650001' };
    const id = await kept(request(body, { content: { headers, body: Buffer.from(body), signature: null } }));
    const shown = await operator.as({ role: 'viewer' }).call('GET /refused-requests/{id}', { id });
    expect(JSON.stringify(shown)).not.toMatch(/98765|maria/);
    expect(shown.body).toContain('"plan": "<text, 4 characters>"');
  });

  it('that is not kept is not found', async () => {
    const id = refusedRequestId(request('{}'));
    const call = operator.client.call('GET /refused-requests/{id}', { id });
    await expect(call).rejects.toMatchObject({ kind: 'notFound', code: 'NO_SUCH_REQUEST' });
  });
});

describe('a replay', () => {
  it('with a corrected body makes one event, and says by whom', async () => {
    const id = await kept(request(BAD));
    const { now } = await operator.client.call('POST /refused-requests/{id}/dry-run', { id, body: GOOD });
    expect(now).toMatchObject({ outcome: 'accepted', events: [{ action: 'tags' }] });
    expect(started).toEqual([]);
    const [result] = await replay({ ids: [id], body: GOOD });
    expect(result).toMatchObject({ id, outcome: 'accepted', events: [{ duplicate: false }] });
    expect(started).toHaveLength(1);
    const { requests } = await list({ resolved: true });
    expect(requests).toMatchObject([{ id, resolution: { how: 'replayed', by: 'unix:tester' } }]);
    expect((await list()).total).toBe(0);
    await expect(replay({ ids: [id], body: GOOD })).rejects.toMatchObject({
      kind: 'conflict',
      code: 'REQUEST_SETTLED',
    });
    expect(started).toHaveLength(1);
  });

  it('that a crash repeats makes no second event, also without a key', async () => {
    const body = JSON.stringify({ phone: NUMBER });
    const id = await kept(request(body));
    await replay({ ids: [id] });
    // The claim of a process that died ends after a minute.
    await db.query(
      "update refused_requests set settled_how = null, claimed_until = now() - interval '1 second'",
    );
    expect(await replay({ ids: [id] })).toMatchObject([{ outcome: 'accepted' }]);
    expect(new Set(started).size).toBe(1);
  });

  it('at the same time as another, with another correction, makes one event', async () => {
    const id = await kept(request(BAD));
    const correction = (key: string) => JSON.stringify({ event_id: key, phone: NUMBER });
    const both = await Promise.allSettled(
      ['a', 'b'].map((key) => replay({ ids: [id], body: correction(key) })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { kind: 'conflict', code: 'REQUEST_SETTLED' },
    });
    expect(started).toHaveLength(1);
  });

  it('that is refused again can be repeated at once', async () => {
    const id = await kept(request(BAD));
    expect(await replay({ ids: [id] })).toMatchObject([{ outcome: 'refused' }]);
    expect(await replay({ ids: [id], body: GOOD })).toMatchObject([{ outcome: 'accepted' }]);
  });

  it('of all that match leaves open what is still refused', async () => {
    const good = await kept(request(GOOD), request(BAD));
    const results = await replay({ route: 'site' });
    expect(results).toMatchObject([
      { id: good, outcome: 'accepted' },
      { outcome: 'refused', code: 'MAPPING' },
    ]);
    expect((await list()).requests).toMatchObject([{ id: refusedRequestId(request(BAD)) }]);
  });

  it('of many goes on behind those that are refused again', async () => {
    const [bad, empty] = [request(BAD), request('{}')];
    const good = request(GOOD);
    await kept(bad, empty, good);
    const call = async (after?: string) =>
      await operator.client.call('POST /refused-requests/replay', { route: 'site', limit: 2, after });
    const first = await call();
    expect(first.results.map(({ id, outcome }) => [id, outcome])).toEqual([
      [refusedRequestId(bad), 'refused'],
      [refusedRequestId(empty), 'refused'],
    ]);
    expect(await call(first.next ?? undefined)).toMatchObject({
      results: [{ id: refusedRequestId(good), outcome: 'accepted' }],
      next: null,
    });
  });

  it.each([
    ['a body for several', { body: GOOD, route: 'site' }, 'ONE_REQUEST'],
    ['an id that is none', { ids: ['17'] }, undefined],
    ['more than 100', { limit: 101 }, undefined],
  ])('refuses %s', async (_, input, code) => {
    await kept(request(BAD), request('{}'));
    const call = replay(input);
    await expect(call).rejects.toMatchObject({ kind: 'invalid', ...(code !== undefined && { code }) });
    expect(started).toEqual([]);
  });

  it('of a route that is gone says so, and keeps the request', async () => {
    const id = await kept(request(GOOD, { route: 'gone' }));
    expect(await replay({ ids: [id] })).toMatchObject([{ outcome: 'no route' }]);
    expect((await list()).total).toBe(1);
  });
});

it('a discarded request leaves the list, also when it is sent again', async () => {
  const id = await kept(request(BAD));
  const discarded = await operator.client.call('POST /refused-requests/discard', {
    ids: [id],
    reason: 'a test',
  });
  expect(discarded).toEqual({ count: 1 });
  await kept(request(BAD));
  expect((await list()).total).toBe(0);
  expect((await list({ resolved: true })).requests).toMatchObject([
    { count: 2, resolution: { how: 'discarded', reason: 'a test' } },
  ]);
});

describe('the recorder', () => {
  const warned: object[] = [];
  const log = { warn: (fields: object) => void warned.push(fields) };
  beforeEach(() => void warned.splice(0));
  const announce: Announcer = (work) =>
    createAnnouncer({ db, rulesOf: () => [], wake: async () => undefined })(work);

  it('writes what is left when it closes', async () => {
    const recorder = recordRefusedRequests({ announce, log, flushMs: 60_000 });
    recorder.keep(request(BAD));
    await recorder.close();
    expect([(await list()).total, warned]).toEqual([1, []]);
  });

  it('keeps 16 MiB at most until they are written, and counts the rest', async () => {
    const recorder = recordRefusedRequests({ announce, log, flushMs: 60_000 });
    for (let n = 0; n < 20; n++) recorder.keep(request(`${n}`.padEnd(1_048_576)));
    await recorder.close();
    expect([(await list()).total, warned]).toEqual([16, [{ refused: 4 }]]);
  });

  it('says when the ledger is away, and goes on', async () => {
    const away = () => Promise.reject(new Error('away'));
    const recorder = recordRefusedRequests({ announce: away, log, flushMs: 60_000 });
    recorder.keep(request(BAD));
    await recorder.close();
    expect(warned).toMatchObject([{ refused: 1 }]);
  });
});
