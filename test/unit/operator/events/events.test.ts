// Incoming events as operators see and retry them: pages, roles, masks, and a Temporal server that is away.
import { describe, expect, it } from 'vitest';
import { endEvent } from '../../../../src/jobs/events/store/event-end.ts';
import { addEvents, markAccepted } from '../../../../src/jobs/events/store/events.ts';
import { openIntakeRun } from '../../../../src/jobs/events/store/intake-runs.ts';
import { operatorContext } from '../../../support/operator/context.ts';

const NUMBER = '5511987654321';
const TEXT = 'canary text';
const { db, operator } = operatorContext();

async function received(count: number, route = 'site'): Promise<string[]> {
  const drafts = Array.from({ length: count }, (_, n) => ({
    account: 'acme',
    route,
    id: `${route}-${n}`,
    subject: `person/${n}`,
    rank: null,
    request: {
      type: 'message' as const,
      to: { number: NUMBER, key: NUMBER },
      text: TEXT,
      saveOnTicket: true,
    },
  }));
  await addEvents(db, await openIntakeRun(db, { account: 'acme', sync: `@${route}` }), drafts);
  return drafts.map(({ id }) => id);
}

const client = () => operator.client;

describe('the list', () => {
  it('of an empty ledger is empty', async () => {
    expect(await client().call('GET /events', {})).toEqual({ events: [], next: null });
    expect(await client().call('GET /deliveries', {})).toEqual({ messages: [], next: null });
  });

  it('can be filtered by each route and code that an event has, once and in order', async () => {
    expect(await client().call('GET /event-values', {})).toEqual({ routes: [], codes: [] });
    const ids = await received(4);
    await received(2, "a'; drop");
    await endEvent(db, ids[0] as string, { outcome: 'failed', code: 'ERR_B' });
    await endEvent(db, ids[1] as string, { outcome: 'failed', code: 'ERR_B' });
    await endEvent(db, ids[2] as string, { outcome: 'done' });
    await db.query("update events set state = 'accepted', block_code = 'ERR_A' where id = $1", [ids[3]]);
    expect(await client().call('GET /event-values', {})).toEqual({
      routes: ["a'; drop", 'site'],
      codes: ['ERR_A', 'ERR_B'],
    });
  });

  it('comes in pages, each event once, whatever its state', async () => {
    const ids = await received(5);
    await markAccepted(db, [ids[0] as string]);
    await endEvent(db, ids[1] as string, { outcome: 'done' });
    const seen: string[] = [];
    let before: string | undefined;
    do {
      const page = await client().call('GET /events', { limit: 2, before });
      seen.push(...page.events.map(({ id }) => id));
      before = page.next ?? undefined;
    } while (before !== undefined);
    expect(seen).toEqual(ids.toReversed());
  });

  it.each<[string, object, string[]]>([
    ['a state', { states: ['failed'] }, ['site-2']],
    ['several states', { states: ['failed', 'done'] }, ['site-2', 'site-1']],
    ['blocked ones', { states: ['blocked'] }, []],
    ['not accepted ones', { states: ['received'] }, ['shop-0', 'site-3']],
    ['a code', { codes: ['ERR_A'] }, ['site-2']],
    ['a route', { route: 'shop' }, ['shop-0']],
    ['another account', { account: "acme' or true --" }, []],
    ['a time to come', { since: '2999-01-01T00:00:00Z' }, []],
    ['a time that is over', { until: '2001-01-01T00:00:00Z' }, []],
  ])('of %s', async (_, filter, expected) => {
    const ids = await received(4);
    await received(1, 'shop');
    await markAccepted(db, ids.slice(0, 1));
    await endEvent(db, ids[1] as string, { outcome: 'done' });
    await endEvent(db, ids[2] as string, { outcome: 'failed', code: 'ERR_A', reason: 'refused' });
    const { events } = await client().call('GET /events', filter);
    expect(events.map(({ id }) => id)).toEqual(expected);
  });

  it.each<[string, 'GET /events' | 'GET /deliveries', object]>([
    ['another cursor', 'GET /events', { before: '1; drop table events' }],
    ['a cursor of messages that is none', 'GET /deliveries', { before: 'x' }],
    ['a state that is none', 'GET /events', { states: ['lost'] }],
    ['too much at once', 'GET /events', { limit: 1001 }],
    ['an unknown field', 'GET /events', { order: 'id' }],
  ])('refuses %s', async (_, route, input) => {
    await expect(client().call(route, input as never)).rejects.toMatchObject({ kind: 'invalid' });
  });
});

describe('one event', () => {
  it('hides what it asks for, and reveals it to an operator only', async () => {
    const [event = ''] = await received(1);
    const masked = JSON.stringify(await client().call('GET /events/{event}', { event }));
    for (const personal of [NUMBER, TEXT]) expect(masked).not.toContain(personal);
    const open = await operator.as({ role: 'operator' }).call('GET /events/{event}', { event, unmask: true });
    expect(open.request).toMatchObject({ text: TEXT, to: { number: NUMBER } });
    const viewer = operator.as({ role: 'viewer' });
    await expect(viewer.call('GET /events/{event}', { event, unmask: true })).rejects.toMatchObject({
      kind: 'forbidden',
    });
    const [audited] = await db.query('select action, outcome from operator_audit order by id limit 1');
    expect(audited).toEqual({ action: 'reveal', outcome: 'ok' });
  });

  it('has its calls', async () => {
    const [event = ''] = await received(1);
    await db.query(
      `insert into calls (at, account, token, run_id, lane, method, route, status, code, request_id, event_id, wait_ms, took_ms)
       values (now(), 'acme', 't', 'r', 1, 'POST', '/v1/messages/send', 422, 'ERR_A', 'req_1', $1, 5, 10)`,
      [event],
    );
    const { calls } = await client().call('GET /events/{event}', { event });
    expect(calls).toMatchObject([{ route: '/v1/messages/send', status: 422, requestId: 'req_1' }]);
  });

  it('names its trace, if it has one', async () => {
    const [event = '', other = ''] = await received(2);
    const trace = 'a'.repeat(32);
    await db.query(`update events set traceparent = '00-' || $2 || '-bbbbbbbbbbbbbbbb-01' where id = $1`, [
      event,
      trace,
    ]);
    expect((await client().call('GET /events/{event}', { event })).trace).toBe(trace);
    expect((await client().call('GET /events/{event}', { event: other })).trace).toBeNull();
  });

  it('that is not there is not found, with an id that hurts nobody', async () => {
    await expect(
      client().call('GET /events/{event}', { event: `<script>'"; drop table events` }),
    ).rejects.toMatchObject({
      kind: 'notFound',
    });
  });
});

describe('a retry', () => {
  it('needs no Temporal server when there is nothing to retry', async () => {
    const [event = ''] = await received(1);
    await endEvent(db, event, { outcome: 'done' });
    expect(await client().call('POST /events/retry', { ids: [event] })).toEqual({
      retried: [],
      continued: [],
      workflows: 0,
      left: [event],
    });
  });

  it('changes nothing while there is no Temporal server', async () => {
    const [event = ''] = await received(1);
    await endEvent(db, event, { outcome: 'failed', code: 'ERR_A', reason: 'refused' });
    await expect(client().call('POST /events/retry', { ids: [event] })).rejects.toThrow();
    const { events } = await client().call('GET /events', {});
    expect(events).toMatchObject([{ state: 'ended', outcome: 'failed' }]);
  });

  it('of an event that is not there names it', async () => {
    await expect(client().call('POST /events/retry', { ids: ['none'] })).rejects.toThrow(
      /there is no event "none"/,
    );
  });

  it('is refused to a viewer, and the refusal is in the audit log', async () => {
    const viewer = operator.as({ role: 'viewer' });
    await expect(viewer.call('POST /events/retry', {})).rejects.toMatchObject({ kind: 'forbidden' });
    expect(await db.query('select action, outcome from operator_audit')).toEqual([
      { action: 'POST /events/retry', outcome: 'denied' },
    ]);
  });
});
