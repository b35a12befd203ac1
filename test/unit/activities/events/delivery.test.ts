// Following messages that were sent, against the sandbox and its clock: what is published, and what it costs.
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { closeEvent } from '../../../../activities/events/intake.ts';
import { followMessages, noteSeenStatuses } from '../../../../src/jobs/events/store/deliveries.ts';
import { dueChecks } from '../../../../src/jobs/events/store/delivery-checks.ts';
import { addEvents } from '../../../../src/jobs/events/store/events.ts';
import { openIntakeRun } from '../../../../src/jobs/events/store/intake-runs.ts';
import { HOUR, NOWHERE, openDeliveryContext, SECOND, type Sent } from './delivery-context.ts';

const NEVER = 1e12;

const context = await openDeliveryContext();
const { db, clock, now, progressMs, woken, client, panel, deps, fault } = context;
const { next, check, batch, watch, newNumber, send, published, entry } = context;

beforeEach(context.fresh);
afterAll(context.close);

describe('a sent message', () => {
  it('is published as delivered and read, with the event that sent it, with two calls', async () => {
    const { id, conversation } = await send();
    expect(await watch()).toBe(2);
    expect(await published(id)).toEqual(['delivered', 'read']);
    const [row] = await db.query<{ event: object; sink: string; stream: string }>(
      'select sink, stream, event from outbox order by seq limit 1',
    );
    expect(row).toMatchObject({ sink: 'bus', stream: `acme/${conversation}` });
    expect(row?.event).toMatchObject({
      id: `message.status/acme/${conversation}/id:${id}/delivered`,
      data: {
        conversationId: conversation,
        message: { key: `id:${id}`, id, status: 'delivered', previous: 'queued', ack: 3 },
        event: `event of ${id}`,
      },
    });
    expect(woken).toEqual(['bus', 'bus']);
    expect(await entry(id)).toMatchObject({ status: 'read', ack: 4, nextAt: null, endCode: null });
    expect(await next()).toEqual({ nextMs: null, due: false });
  });

  it('that fails is published as failed', async () => {
    const { id } = await send(NOWHERE);
    expect(await watch()).toBe(1);
    expect(await published(id)).toEqual(['failed']);
  });

  it('that failed at once is published without a call', async () => {
    const messages = [{ id: 'm1', status: 'failed', ack: 5 }];
    await followMessages(db, { account: 'acme', event: 'e', conversation: 7, messages }, now());
    expect(await watch()).toBe(0);
    expect(await published('m1')).toEqual(['failed']);
  });

  it('that is never read costs six calls in three days, and keeps its last status', async () => {
    progressMs.read = NEVER;
    const sentAt = clock.at;
    const { id } = await send();
    expect(await watch()).toBe(6);
    expect(await entry(id)).toMatchObject({ status: 'delivered', endCode: 'DEADLINE', nextAt: null });
    expect(clock.at - sentAt).toBe(72 * HOUR);
    expect(await published(id)).toEqual(['delivered']);
  });

  it('that never leaves costs eight calls', async () => {
    const { id } = await send(newNumber(), { whatsappId: 2 });
    expect(await watch()).toBe(8);
    expect(await entry(id)).toMatchObject({ status: 'queued', endCode: 'DEADLINE' });
    expect(await published(id)).toEqual([]);
  });

  it('that the service does not show yet is searched for until the settle time is over', async () => {
    const { id } = await send();
    const body = { error: 'x', code: 'ERR_MESSAGE_NOT_FOUND' };
    await fault({ path: '/status$', status: 404, body, times: 2 });
    expect(await watch()).toBe(3);
    expect(await entry(id)).toMatchObject({ status: 'read', endCode: null });
  });

  it('that the service does not have is no longer followed', async () => {
    const messages = [{ id: 'gone', status: 'queued', ack: 0 }];
    await followMessages(db, { account: 'acme', event: 'e', conversation: 7, messages }, now());
    expect(await watch()).toBe(3);
    expect(await entry('gone')).toMatchObject({ status: 'queued', endCode: 'NOT_FOUND', nextAt: null });
  });

  it('without a conversation is followed, and published once a page shows its conversation', async () => {
    const { id, conversation } = await send();
    await db.query('update deliveries set conversation_id = null');
    await watch(clock.at + 10 * SECOND);
    expect(await entry(id)).toMatchObject({ status: 'delivered', conversation: null });
    expect(await published(id)).toEqual([]);
    await noteSeenStatuses(db, 'acme', conversation, [{ messageId: id, status: 'delivered', ack: 3 }], now());
    await watch();
    expect(await published(id)).toEqual(['delivered', 'read']);
  });

  it('whose watch did not run for a week gets one last check', async () => {
    const { id } = await send();
    clock.at += 73 * HOUR;
    expect(await watch()).toBe(1);
    expect(await entry(id)).toMatchObject({ status: 'read' });
    const later = await send();
    clock.at += 7 * 24 * HOUR;
    expect(await watch()).toBe(0);
    expect(await entry(later.id)).toMatchObject({ status: 'queued', endCode: 'DEADLINE' });
  });

  it.each([
    ['another word than the text has', 'played', 9, 'played'],
    ['an ack that says read beside a status that does not', 'server_ack', 4, 'server_ack'],
  ])('%s is stored as it is, and ends nothing', async (_case, status, ack, kept) => {
    const { id } = await send();
    await fault({ path: '/status$', status: 200, body: { requestId: 'r', status, ack }, times: 1 });
    await watch(clock.at + 6 * SECOND);
    expect(await entry(id)).toMatchObject({ status: kept, ack });
    expect((await entry(id)).nextAt).not.toBeNull();
    await watch();
    expect(await published(id)).toEqual([kept, 'read']);
  });
});

describe('a check that fails', () => {
  it('FAULTS 12: a refusal of the account is reported, and changes nothing', async () => {
    const { id } = await send();
    clock.at += 10 * SECOND;
    for (const [status, code] of [
      [401, 'ERR_TOKEN_REVOKED'],
      [403, 'ERR_SCOPE_MISSING'],
      [404, undefined],
    ] as const) {
      await panel.clearFaults();
      await fault({ status, body: { error: 'x', ...(code && { code }) } });
      const failed = await check().catch((error: unknown) => error);
      expect(failed).toMatchObject({ nonRetryable: true, type: code ?? 'HTTP_404' });
    }
    expect(await entry(id)).toMatchObject({ status: 'queued', endCode: null });
    await panel.clearFaults();
    await watch();
    expect(await published(id)).toEqual(['delivered', 'read']);
  });

  it('FAULTS 5: a 500 is retried, and after five attempts other checks run', async () => {
    const { id } = await send();
    clock.at += 10 * SECOND;
    await fault({ status: 500, body: { error: 'oops' } });
    const failed = await check(4).catch((error: unknown) => error);
    expect(failed).toMatchObject({ nonRetryable: false, type: 'HTTP_500' });
    await check(5);
    expect(await next()).toEqual({ due: false, nextMs: 20 * SECOND });
    expect(await entry(id)).toMatchObject({ status: 'queued', endCode: null });
  });

  it.each([
    ['a page', { kind: 'html' }],
    ['an answer without a status', { kind: 'status', status: 200, body: { requestId: 'r', ack: 4 } }],
  ])('FAULTS 6: %s says nothing about the message', async (_case, over) => {
    const { id } = await send();
    clock.at += 10 * SECOND;
    await fault({ ...over, times: 1 });
    await check(5);
    expect(await entry(id)).toMatchObject({ status: 'queued', endCode: null });
    await watch();
    expect(await published(id)).toEqual(['read']);
  });

  it('a refusal of this message alone ends it with its code', async () => {
    const { id } = await send();
    await fault({ path: '/status$', status: 422, body: { error: 'x', code: 'ERR_OTHER' }, times: 1 });
    await watch();
    expect(await entry(id)).toMatchObject({ status: 'queued', endCode: 'ERR_OTHER' });
  });

  it.each([
    ['is followed by the page of its conversation', 'read', null],
    ['ends, once, when the page does not show it', 'queued', 'INVALID_ARGUMENT'],
  ])('with an id that cannot be part of a path %s', async (_case, status, endCode) => {
    const { conversation } = await send();
    await watch();
    const id = 'wamid.aGVs/bG8+==';
    const messages = [{ id, status: 'queued', ack: 0 }];
    await followMessages(db, { account: 'acme', event: 'e', conversation, messages }, now());
    const items =
      status === 'read'
        ? [{ id, fromMe: true, body: 'x', createdAt: now().toISOString(), status, ack: 4 }]
        : [];
    const body = { requestId: 'r', count: items.length, hasMore: false, messages: items };
    await fault({ path: '/messages$', status: 200, body });
    await watch();
    expect(await entry(id)).toMatchObject({ status, endCode, nextAt: null });
  });

  it('the next attempt wakes sinks that an attempt published to but did not wake', async () => {
    await batch(2);
    expect(woken).toEqual(['bus']);
  });
});

describe('several messages of one conversation', () => {
  const paths = async (since: number) =>
    (await panel.requests(since)).map(({ path }) => path.replace(/[^/]+\/status$/, ':id/status'));
  const seqNow = async () => (await panel.requests(0)).at(-1)?.seq ?? 0;

  it('are checked together, with one call', async () => {
    const number = newNumber();
    const sent = [await send(number), await send(number), await send(number)];
    const { conversation } = sent[0] as Sent;
    const since = await seqNow();
    expect(await watch()).toBe(2);
    expect(new Set(await paths(since))).toEqual(new Set([`/v1/conversations/${conversation}/messages`]));
    for (const { id } of sent) expect(await published(id)).toEqual(['delivered', 'read']);
  });

  it.each([
    [
      'its items show no status',
      (items: Record<string, unknown>[]) => items.map((item) => ({ ...item, status: null })),
    ],
    ['they are not among the newest', () => []],
  ])('are checked one by one if %s', async (_case, change) => {
    const number = newNumber();
    const sent = [await send(number), await send(number)];
    const { conversation } = sent[0] as Sent;
    clock.at += 61 * SECOND;
    const { data } = await client.conversations.messages(conversation, { pageSize: 200 });
    const messages = change(data.items.map(({ raw }) => ({ ...raw })));
    const body = { requestId: 'r', count: 900, hasMore: true, messages };
    await fault({ path: '/messages$', status: 200, body });
    const since = await seqNow();
    expect(await watch()).toBe(3);
    expect(await paths(since)).toEqual([
      `/v1/conversations/${conversation}/messages`,
      '/v1/messages/:id/status',
      '/v1/messages/:id/status',
    ]);
    for (const { id } of sent) expect(await published(id)).toEqual(['read']);
  });

  it('are checked one by one if the conversation is gone', async () => {
    const number = newNumber();
    await send(number);
    const { id } = await send(number);
    await fault({ path: '/messages$', status: 404, body: { error: 'x', code: 'ERR_NO_TICKET_FOUND' } });
    await watch();
    expect(await published(id)).toEqual(['delivered', 'read']);
  });

  // A hundred such messages: 21, 110 and 200 calls.
  it.each([
    [1, 10],
    [4, 30],
    [20, 40],
  ])(
    '20 messages in %s conversations, one every half second, all read, cost at most %s calls',
    async (count, most) => {
      const those = Array.from({ length: count }, newNumber);
      let dueChecks = 0;
      for (let n = 0; n < 20; n++) {
        await send(those[n % count]);
        dueChecks += await watch(clock.at + 500);
      }
      dueChecks += await watch();
      const left = await db.query(`select 1 from deliveries where status <> 'read'`);
      expect(left).toEqual([]);
      expect(dueChecks).toBeLessThanOrEqual(most);
    },
  );
});

describe('a batch', () => {
  it('checks everything due, publishes it, and returns when to check next', async () => {
    const sent = [await send(), await send(), await send(), await send(), await send(), await send()];
    progressMs.read = NEVER;
    clock.at += 10 * SECOND;
    const { nextMs, ...result } = await batch();
    expect(result).toEqual({ checks: 6, refused: null });
    expect(nextMs).toBeGreaterThan(10 * SECOND);
    for (const { id } of sent) expect(await published(id)).toEqual(['delivered']);
    expect(new Set(woken)).toEqual(new Set(['bus']));
    expect(await batch()).toMatchObject({ checks: 0, nextMs });
  });

  it('spends no call on a status that was seen meanwhile', async () => {
    const { id, conversation } = await send();
    clock.at += 10 * SECOND;
    await noteSeenStatuses(db, 'acme', conversation, [{ messageId: id, status: 'delivered', ack: 3 }], now());
    expect(await dueChecks(db, 'acme', now(), 4)).toEqual([]);
    expect(await batch()).toMatchObject({ checks: 0 });
    expect(await published(id)).toEqual(['delivered']);
  });

  it('retries temporary failures, and runs the other checks meanwhile', async () => {
    const sent = [await send(), await send(), await send()];
    clock.at += 61 * SECOND;
    await fault({ path: '/status$', status: 503, body: { error: 'x' }, times: 2 });
    expect(await batch()).toEqual({ checks: 3, refused: null, nextMs: null });
    for (const { id } of sent) expect(await published(id)).toEqual(['read']);
  });

  it('ends with the reason when the account refuses, after the checks in progress', async () => {
    for (let n = 0; n < 9; n++) await send();
    clock.at += 10 * SECOND;
    const since = (await panel.requests(0)).at(-1)?.seq ?? 0;
    await fault({ path: '/status$', status: 401, body: { error: 'x', code: 'ERR_TOKEN_REVOKED' } });
    expect(await batch()).toMatchObject({
      checks: 0,
      refused: expect.stringMatching(/^ERR_TOKEN_REVOKED: /) as string,
    });
    expect((await panel.requests(since)).length).toBeLessThanOrEqual(4);
  });
});

describe('an event that has sent messages', () => {
  async function close(id: string, wakeIt: (account: string) => Promise<void>) {
    return await closeEvent(deps(), { event: id }, wakeIt);
  }

  async function event(id: string) {
    const run = await openIntakeRun(db, { account: 'acme', sync: '@route' });
    const request = {
      ...({ type: 'message', to: { conversation: 5 }, text: 'hi', saveOnTicket: true } as const),
    };
    await addEvents(db, run, [{ account: 'acme', route: 'route', id, subject: id, rank: null, request }]);
    await db.query(`update events set state = 'ended', outcome = 'done' where id = $1`, [id]);
  }

  it('starts following them when it is closed, and repeats that after a lost response', async () => {
    await event('e1');
    const messages = [{ id: 'm1', status: 'queued', ack: 0 }];
    await followMessages(db, { account: 'acme', event: 'e1', conversation: 5, messages }, now());
    const heard: string[] = [];
    await expect(close('e1', () => Promise.reject(new Error('Temporal is away')))).rejects.toThrow(/away/);
    await close('e1', async (name) => void heard.push(name));
    expect(heard).toEqual(['acme']);
    await noteSeenStatuses(db, 'acme', 5, [{ messageId: 'm1', status: 'read', ack: 4 }], now());
    await db.query('update deliveries set next_at = null');
    await close('e1', async (name) => void heard.push(name));
    expect(heard).toEqual(['acme']);
  });

  it('wakes no workflow if it has sent none', async () => {
    await event('e2');
    await close('e2', () => Promise.reject(new Error('nothing is to be followed')));
  });
});
