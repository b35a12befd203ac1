// Messages that are followed: which word is news, when a check is due, and what a page that was read anyway spares.
import { describe, expect, it } from 'vitest';
import {
  type DeliveryRow,
  followMessages,
  noteSeenStatuses,
} from '../../../../../src/jobs/events/store/deliveries.ts';
import { movesOn, nextCheck } from '../../../../../src/jobs/events/store/delivery-status.ts';
import { forgetDeliveries } from '../../../../../src/jobs/events/store/event-end.ts';
import { testLedger } from '../../../../support/postgres/ledger.ts';
import { freshAccount } from '../../../core/sql/support.ts';

const db = await testLedger();

const T0 = new Date('2026-11-20T10:00:00.000Z');
const after = (seconds: number) => new Date(T0.getTime() + seconds * 1000);
const HOUR = 3600;

async function rowOf(account: string, id = 'm1'): Promise<DeliveryRow> {
  const [row] = await db.query<DeliveryRow>(
    'select * from deliveries where account = $1 and message_id = $2',
    [account, id],
  );
  return row as DeliveryRow;
}

async function followed(over: { status?: string; conversation?: number | null } = {}): Promise<string> {
  const account = freshAccount();
  const { status = 'queued', conversation = 5 } = over;
  const messages = [{ id: 'm1', status, ack: 0 }];
  await followMessages(db, { account, event: 'e1', conversation, messages }, T0);
  return account;
}

const see = (account: string, status: string | null, now: Date, ack: number | null = null) =>
  db.transaction((tx) => noteSeenStatuses(tx, account, 5, [{ messageId: 'm1', status, ack }], now));

/** The poller has the message, in this status. */
const imported = (account: string, status: string, item: object | null = null) =>
  db.query('insert into messages (account, conversation_id, key, status, item) values ($1, 5, $2, $3, $4)', [
    account,
    'id:m1',
    status,
    item,
  ]);

describe('whether a status is news', () => {
  it.each([
    [null, 'queued', true],
    ['queued', 'queued', false],
    ['queued', 'sent', true],
    ['queued', 'read', true],
    ['sent', 'server_ack', true],
    ['delivered', 'sent', false],
    ['delivered', 'server_ack', false],
    ['read', 'delivered', false],
    ['queued', 'failed', true],
    ['delivered', 'failed', true],
    ['failed', 'sent', false],
    ['failed', 'read', false],
    ['read', 'failed', false],
    ['delivered', 'unknown', false],
    ['unknown', 'queued', true],
    ['sent', 'played', true],
    ['played', 'read', true],
    ['read', 'played', false],
    ['delivered', 'received', true],
    ['queued', '__proto__', true],
    ['constructor', 'sent', true],
  ])('%s → %s: %s', (from, to, news) => {
    expect(movesOn(from, to)).toBe(news);
  });
});

describe('when a check is due', () => {
  const due = (seconds: number, status = 'sent') => {
    const deadline = after(72 * HOUR);
    const at = nextCheck({ status, sentAt: T0, deadline }, after(seconds));
    return at === null ? null : (at.getTime() - T0.getTime()) / 1000;
  };

  it.each([
    [0, 'queued', 5],
    [5, 'sent', 30],
    [29, 'sent', 120],
    [30, 'sent', 120],
    [30, 'delivered', 120],
    [5, 'delivered', 120],
    [121, 'delivered', HOUR],
    [121, 'played', 600],
    [25 * HOUR, 'sent', 72 * HOUR],
    [71 * HOUR, 'sent', 72 * HOUR],
    [72 * HOUR, 'sent', null],
    [-60, 'sent', 5],
  ])('%s s after sending, %s: at %s s', (seconds, status, at) => {
    expect(due(seconds, status)).toBe(at);
  });

  it.each([
    ['sent', 8],
    ['delivered', 5],
  ])('a message that stays %s costs %s calls in all', (status, calls) => {
    let dueChecks = 0;
    for (let at = due(0, status); at !== null; at = due(at, status)) dueChecks++;
    expect(dueChecks).toBe(calls);
  });
});

describe('following', () => {
  it('checks first after five seconds, and recording it again changes nothing', async () => {
    const account = await followed();
    await see(account, 'sent', after(1), 1);
    const messages = [{ id: 'm1', status: 'queued', ack: 0 }];
    await followMessages(db, { account, event: 'e2', conversation: 6, messages }, after(9));
    expect(await rowOf(account)).toMatchObject({
      event_id: 'e1',
      conversation_id: 5,
      status: 'sent',
      ack: 1,
      published: 'queued',
      sent_at: T0,
      deadline: after(72 * HOUR),
      checks: 0,
      end_code: null,
    });
  });

  it('a message that failed at once is published at once, and never checked', async () => {
    const account = await followed({ status: 'failed' });
    expect(await rowOf(account)).toMatchObject({ status: 'failed', published: null, next_at: T0 });
  });

  it('a send that was found later is checked by its age', async () => {
    const account = freshAccount();
    const messages = [{ id: 'm1', status: 'unknown', ack: null }];
    const found = { account, event: 'e1', conversation: 5, messages, sentAt: T0 };
    await followMessages(db, found, after(70));
    expect(await rowOf(account)).toMatchObject({ sent_at: T0, next_at: after(120), published: 'unknown' });
  });
});

describe('after the retention time', () => {
  it('a message is deleted unless it is still followed', async () => {
    const over = await followed();
    await db.query('update deliveries set next_at = null where account = $1', [over]);
    const open = await followed();
    const days = (Date.now() - T0.getTime()) / 86_400_000;
    await forgetDeliveries(db, days + 0.01);
    expect(await rowOf(over)).toBeDefined();
    await forgetDeliveries(db, days - 0.01);
    expect(await rowOf(over)).toBeUndefined();
    expect(await rowOf(open)).toBeDefined();
  });
});

describe('a page that was read anyway', () => {
  it('returns only the events of followed messages', async () => {
    const account = await followed();
    const seen = ['m0', 'm1'].map((messageId) => ({ messageId, status: 'queued', ack: 0 }));
    expect([...(await noteSeenStatuses(db, account, 5, seen, after(1)))]).toEqual([['m1', 'e1']]);
    expect(await noteSeenStatuses(db, freshAccount(), 5, seen, after(1))).toEqual(new Map());
    expect(await noteSeenStatuses(db, account, 5, [], after(1))).toEqual(new Map());
  });

  it('saves the next check', async () => {
    const account = await followed();
    await imported(account, 'queued');
    await see(account, 'sent', after(4), 1);
    expect(await rowOf(account)).toMatchObject({
      status: 'sent',
      ack: 1,
      published: 'sent',
      checks: 0,
      checked_at: after(4),
      next_at: after(30),
    });
  });

  it('ends the watch when it shows a final status', async () => {
    const account = await followed();
    await imported(account, 'delivered');
    await see(account, 'read', after(40), 4);
    expect(await rowOf(account)).toMatchObject({
      status: 'read',
      published: 'read',
      next_at: null,
      end_code: null,
    });
  });

  it.each([
    ['the poller has not the message yet', null, null],
    ['the poller has it, and has published nobody of it yet', 'queued', {}],
    ['the poller wrote the page down before', 'read', null],
  ])('%s: a follower reports the change at once', async (_case, status, item) => {
    const account = await followed();
    if (status !== null) await imported(account, status, item);
    await see(account, 'read', after(40), 4);
    expect(await rowOf(account)).toMatchObject({ status: 'read', published: 'queued', next_at: after(40) });
  });

  it('an unpublished import is still published after the poller sees the same status again', async () => {
    const account = await followed();
    await see(account, 'delivered', after(4), 3);
    await imported(account, 'delivered');
    await see(account, 'delivered', after(8), 3);
    expect(await rowOf(account)).toMatchObject({
      status: 'delivered',
      published: 'queued',
      next_at: after(8),
    });
  });

  it('an older page changes nothing, and neither does a page without a status', async () => {
    const account = await followed();
    await imported(account, 'queued');
    await see(account, 'delivered', after(4), 3);
    await see(account, 'sent', after(5), 1);
    await see(account, null, after(6));
    expect(await rowOf(account)).toMatchObject({ status: 'delivered', ack: 3, next_at: after(120) });
  });

  it('adds the conversation of a message that was sent without one', async () => {
    const account = await followed({ conversation: null });
    await see(account, 'delivered', after(4), 3);
    expect(await rowOf(account)).toMatchObject({
      conversation_id: 5,
      published: 'queued',
      next_at: after(4),
    });
  });

  it('a finished message does not change', async () => {
    const account = await followed();
    await db.query(`update deliveries set next_at = null, end_code = 'DEADLINE' where account = $1`, [
      account,
    ]);
    await see(account, 'read', after(99 * HOUR), 4);
    expect(await rowOf(account)).toMatchObject({ status: 'read', next_at: null, end_code: 'DEADLINE' });
  });
});
