// Messages of one conversation: what is told, in which order, once; and what becomes of histories that are odd.
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../../../src/ledger/database.ts';
import { testLedger } from '../../../support/ledger.ts';
import { at, chat, message, openService, type Service } from './service.ts';
import { type Hand, type HandOptions, Killed, openHand, outline, textsOf } from './support.ts';

let db: Database;
let service: Service;
let hands: Hand[];
// The first one of a process starts its database: seconds, where the machine is busy.
beforeAll(async () => void (await testLedger()), 90_000);
beforeEach(async () => {
  db = await testLedger();
  service = await openService();
  hands = [];
});
afterEach(async () => {
  for (const hand of hands) await hand.close();
  await service.close();
});

async function hire(over: Partial<HandOptions> = {}): Promise<Hand> {
  const hand = await openHand({ db, client: { baseUrl: service.baseUrl }, ...over });
  hands.push(hand);
  return hand;
}

/** Conversation 1 with these messages: (id, seconds) or whole items; its listing is as new as the last of them. */
function write(...items: Record<string, unknown>[]): void {
  service.messages.set(1, items);
  const last = items.at(-1);
  const seconds = (Date.parse(String(last?.['createdAt'] ?? at(0))) - Date.parse(at(0))) / 1000;
  service.chats = [
    chat(1, seconds, { createdAt: at(0), lastMessage: String(last?.['body'] ?? '') }),
    ...service.chats.filter(({ id }) => id !== 1),
  ];
}
const list = (count: number, from = 1) =>
  Array.from({ length: count }, (_, n) => message(`m${from + n}`, from + n));
const reads = () => service.asked.filter(({ of }) => of !== 'list').length;

describe('what is told', () => {
  it('opened first, then the messages from the oldest, then what became of it', async () => {
    write(message('a', 1), message('b', 2, { fromMe: true, status: 'sent' }), message('c', 3));
    Object.assign(service.chats[0] as object, { status: 'closed' });
    const hand = await hire();
    await hand.settle();
    const told = await hand.told();
    expect(outline(told)).toEqual([
      ...[
        'conversation.opened',
        'message.received',
        'message.sent',
        'message.received',
        'conversation.closed',
      ],
    ]);
    expect(textsOf(told)).toEqual(['a', 'b', 'c']);
    expect(told[1]).toMatchObject({
      id: 'message.received/acme/1/id:a',
      source: '/sluice/accounts/acme/conversations/1',
      subject: 'id:a',
      time: at(1),
      partitionkey: 'acme/1',
      data: { message: { raw: message('a', 1) }, conversation: { status: 'closed' } },
    });
    expect(hand.woken).toEqual(['all']);
  });

  it.each<[string, object, string[]]>([
    ['opened again', { status: 'pending' }, ['conversation.opened']],
    ['taken by a person', { userId: 5 }, ['conversation.updated']],
    ['closed', { status: 'closed' }, ['conversation.closed']],
    ['a word that the text does not have', { status: 'snoozed' }, ['conversation.updated']],
    ['nothing that shows', { unread: 9, updatedAt: at(60) }, []],
  ])('a conversation that was there before: %s', async (name, change, expected) => {
    write(message('a', 1));
    if (name === 'opened again') Object.assign(service.chats[0] as object, { status: 'closed' });
    const hand = await hire({ since: 'now' });
    await hand.settle();
    Object.assign(service.chats[0] as object, { updatedAt: at(50) }, change);
    await hand.settle();
    expect(outline(await hand.told())).toEqual(expected);
  });

  it('an old conversation that the list has not shown before is an update of nothing known', async () => {
    service.chats = [chat(2, 500)];
    const hand = await hire({ since: new Date(at(400)) });
    await hand.settle();
    write(message('old', 5), message('new', 600));
    await hand.settle();
    const told = (await hand.told()).filter(({ partitionkey }) => partitionkey === 'acme/1');
    expect(outline(told)).toEqual(['message.received', 'conversation.updated']);
    expect(told[1]?.data).toMatchObject({ previous: null });
    expect(textsOf(told)).toEqual(['new']);
  });

  it('a status that moves on is told once, and never back', async () => {
    write(message('a', 1, { fromMe: true, status: 'sent', ack: 1 }));
    const hand = await hire();
    await hand.settle();
    for (const [n, status] of ['delivered', 'sent', 'read', 'read'].entries()) {
      write(message('a', 1, { fromMe: true, status, ack: 3 }), ...list(n + 1, 10));
      await hand.settle();
    }
    const told = (await hand.told()).filter(({ type }) => type === 'message.status');
    expect(told.map(({ id }) => id)).toEqual([
      'message.status/acme/1/id:a/delivered',
      'message.status/acme/1/id:a/read',
    ]);
    expect(told[0]?.data).toMatchObject({
      message: { status: 'delivered', previous: 'sent', ack: 3 },
      event: null,
    });
  });

  it('a late message between known ones is told, one from before the beginning is not', async () => {
    write(message('a', 100), message('c', 300));
    const hand = await hire({ since: new Date(at(50)) });
    await hand.settle();
    write(message('x', 20), message('a', 100), message('b', 200), message('c', 300), message('d', 301));
    await hand.settle();
    expect(textsOf(await hand.told())).toEqual(['a', 'c', 'b', 'd']);
  });

  it('times with an offset are told in UTC', async () => {
    write(message('a', 0, { createdAt: '2026-11-20T07:00:00-03:00' }));
    const hand = await hire();
    await hand.settle();
    expect((await hand.told())[1]?.time).toBe('2026-11-20T10:00:00.000Z');
  });
});

describe('a long history', () => {
  const polling = { messagePageSize: 10, keep: 25 };

  it.each(['lost', 'after'] as const)(
    'cut off at each page (%s) it is told once, oldest first',
    async (how) => {
      write(...list(95));
      const hand = await hire({ polling });
      await hand.page();
      for (let n = 0, done = false; !done; n++) {
        await expect(hand.read(1, how)).rejects.toThrow(Killed);
        done = (await hand.read(1, 'none', 2)).done;
        expect(n).toBeLessThan(30);
      }
      expect(textsOf(await hand.told())).toEqual(list(95).map(({ id }) => id));
      expect(hand.woken).toContain('all');
    },
  );

  it('what arrives and goes meanwhile is neither missed nor told twice', async () => {
    write(...list(60));
    const hand = await hire({ polling });
    await hand.page();
    let turn = 0;
    service.before = ({ of }) => {
      if (of === 'list' || ++turn > 5) return;
      const now = service.messages.get(1) ?? [];
      write(...now.filter(({ id }) => turn !== 3 || id !== 'm45'), ...list(3, 100 * turn));
    };
    await hand.settle();
    const wanted = (service.messages.get(1) ?? []).map(({ id }) => id);
    const got = textsOf(await hand.told()).filter((id) => id !== 'm45');
    expect(got.toSorted()).toEqual(wanted.toSorted());
  });

  it('keys that were forgotten are not told again when the history shrinks', async () => {
    write(...list(100));
    const hand = await hire({ polling });
    await hand.settle();
    const [kept] = await db.query<{ n: number }>('select count(*)::int as n from messages');
    expect(kept?.n).toBe(25);
    write(...list(60), message('new', 200));
    await hand.settle();
    expect(textsOf(await hand.told())).toEqual([...list(100).map(({ id }) => id), 'new']);
  });

  it('one that never ends is a gap', async () => {
    write(...list(10));
    const hand = await hire({ polling });
    service.bend = ({ of }, body) =>
      of === 'list' ? null : { status: 200, body: { ...body, hasMore: true, messages: list(10) } };
    const calls = await hand.settle();
    expect(calls).toBeLessThan(20);
    expect(textsOf(await hand.told())).toEqual(list(10).map(({ id }) => id));
    expect(await hand.gaps()).toMatchObject([{ code: 'MESSAGES_ENDLESS', conversation_id: 1 }]);
  });
});

describe('no call is wasted', () => {
  const late = { body: 'two', createdAt: at(20) };

  /** The list shows `one`; the reading sees `two` already; then the list shows `two`. */
  async function ahead(date: Date) {
    write(message('one', 10));
    const hand = await hire({ since: 'now' });
    service.chats = [];
    await hand.page();
    write(message('one', 10));
    await hand.page();
    service.date = date;
    service.messages.set(1, [message('one', 10), message('two', 20, late)]);
    await hand.read(1);
    const before = reads();
    Object.assign(service.chats[0] as object, { updatedAt: at(20), lastMessage: 'two' });
    return { hand, before };
  }

  it('a listing that shows what a reading has seen needs no reading', async () => {
    const { hand, before } = await ahead(new Date(at(21)));
    await hand.settle();
    expect(reads()).toBe(before);
    expect(textsOf(await hand.told())).toEqual(['one', 'two']);
  });

  it.each<[string, Date, object]>([
    ['the reading came within a second', new Date(at(20)), {}],
    ['its text is another', new Date(at(21)), { lastMessage: 'three' }],
    ['it is newer', new Date(at(21)), { updatedAt: at(22) }],
    ['its state is another', new Date(at(21)), { userId: 4 }],
  ])('it does when %s', async (_name, date, change) => {
    const { hand, before } = await ahead(date);
    Object.assign(service.chats[0] as object, change);
    await hand.settle();
    expect(reads()).toBeGreaterThan(before);
  });

  it('a history that lags behind the list is read again, twice at most', async () => {
    write(message('a', 1));
    const hand = await hire();
    await hand.settle();
    Object.assign(service.chats[0] as object, { updatedAt: at(30), lastMessage: 'b' });
    await hand.page();
    for (const tries of [1, 2]) {
      await hand.read(1);
      const row = await hand.conversation(1);
      expect(row).toMatchObject({ tries });
      expect(row['due']).toBeGreaterThan(50);
    }
    await hand.read(1);
    expect(await hand.todo()).toEqual([]);
  });

  it('one that lags with some of its messages is read again, and all of it is told', async () => {
    write(message('a', 1));
    const hand = await hire();
    await hand.settle();
    service.messages.get(1)?.push(message('b', 2));
    Object.assign(service.chats[0] as object, { updatedAt: at(3), lastMessage: 'c' });
    await hand.page();
    await hand.read(1);
    service.messages.get(1)?.push(message('c', 3));
    await hand.settle();
    expect(textsOf(await hand.told())).toEqual(['a', 'b', 'c']);
  });

  it('a listing that changes while it is read is read again', async () => {
    write(message('a', 1));
    const hand = await hire();
    await hand.page();
    let once = true;
    service.before = ({ of }) => {
      if (of === 'list' || !once) return;
      once = false;
      service.before = () => undefined;
    };
    const reading = hand.read(1);
    await reading;
    await db.query("update conversations set todo_at = now(), todo_since = now(), print = 'another'");
    service.messages.get(1)?.push(message('b', 1));
    Object.assign(service.chats[0] as object, { lastMessage: 'b' });
    await hand.settle();
    expect(textsOf(await hand.told())).toEqual(['a', 'b']);
  });
});

describe('odd items', () => {
  it('without times and before any is known, the newest page is told, with a gap', async () => {
    const bare = (id: string) => ({ id, body: id, fromMe: false });
    write(...list(8).map(({ id }) => bare(String(id))));
    Object.assign(service.chats[0] as object, { updatedAt: at(90) });
    const hand = await hire({ since: new Date(at(50)), polling: { messagePageSize: 3, keep: 20 } });
    await hand.settle();
    expect(textsOf(await hand.told())).toEqual(['m6', 'm7', 'm8']);
    expect(await hand.gaps()).toMatchObject([{ code: 'UNDATED', conversation_id: 1 }]);
    service.messages.get(1)?.push(bare('m9'));
    Object.assign(service.chats[0] as object, { updatedAt: at(95), lastMessage: 'm9' });
    await hand.settle();
    expect(textsOf(await hand.told())).toEqual(['m6', 'm7', 'm8', 'm9']);
  });

  it('without a direction it is told as received, with one gap a poller', async () => {
    write(message('a', 1, { fromMe: 'no' }), message('b', 2, { fromMe: null }));
    const hand = await hire();
    await hand.settle();
    write(...(service.messages.get(1) ?? []), message('c', 3, { fromMe: 1 }));
    await hand.settle();
    expect(outline(await hand.told()).filter((type) => type === 'message.received')).toHaveLength(3);
    expect(await hand.gaps()).toMatchObject([{ code: 'DIRECTION_UNKNOWN', conversation_id: 0, seen: 2 }]);
    expect(hand.log).toHaveLength(1);
  });

  it('FAULTS 14: unknown fields are kept, what is no item is a gap, the rest is told', async () => {
    write(message('a', 1, { mood: 'fine', status: 'teleported' }), message('b', 2));
    service.messages.get(1)?.splice(1, 0, 'text' as never);
    const hand = await hire();
    await hand.settle();
    const told = await hand.told();
    expect(textsOf(told)).toEqual(['a', 'b']);
    expect(told[1]?.data).toMatchObject({ message: { status: 'teleported', raw: { mood: 'fine' } } });
    expect(await hand.gaps()).toMatchObject([{ code: 'UNREADABLE', conversation_id: 1 }]);
  });
});

describe('a conversation that can not be read', () => {
  it('is a gap when it is gone, and its state is told', async () => {
    write(message('a', 1));
    const hand = await hire();
    await hand.page();
    service.bend = ({ of }) =>
      of === 'list' ? null : { status: 404, body: { error: 'no', code: 'ERR_NO_TICKET_FOUND' } };
    expect(await hand.read(1)).toEqual({ done: true, messages: 0 });
    expect(await hand.gaps()).toMatchObject([{ code: 'CONVERSATION_GONE', conversation_id: 1 }]);
    expect(outline(await hand.told())).toEqual(['conversation.opened']);
    expect(await hand.todo()).toEqual([]);
  });

  it('tells what it had read when it goes in the middle', async () => {
    write(...list(20));
    const hand = await hire({ polling: { messagePageSize: 5, keep: 20 } });
    await hand.page();
    await hand.read(1);
    service.bend = () => ({ status: 404, body: { error: 'no', code: 'ERR_NO_TICKET_FOUND' } });
    await hand.read(1);
    expect(textsOf(await hand.told())).toEqual(list(5, 16).map(({ id }) => id));
  });

  it('is a gap after three answers in no form that can be read', async () => {
    write(message('a', 1));
    const hand = await hire();
    await hand.page();
    service.bend = () => ({ status: 200, body: { count: 1 } });
    for (const _ of [1, 2])
      await expect(hand.read(1)).rejects.toMatchObject({ type: 'UNEXPECTED_SHAPE', nonRetryable: false });
    expect(await hand.read(1)).toEqual({ done: true, messages: 0 });
    expect(await hand.gaps()).toMatchObject([{ code: 'UNREADABLE', conversation_id: 1 }]);
    expect(await hand.todo()).toEqual([]);
  });

  it('is left for later after twelve internal errors, and stays to be read', async () => {
    write(message('a', 1));
    const hand = await hire();
    await hand.page();
    service.bend = () => ({ status: 500, body: { error: 'oops' } });
    for (let n = 0; n < 11; n++) await expect(hand.read(1)).rejects.toMatchObject({ type: 'HTTP_500' });
    await hand.read(1);
    expect((await hand.conversation(1))['due']).toBeGreaterThan(600);
    service.bend = () => null;
    await hand.settle();
    expect(textsOf(await hand.told())).toEqual(['a']);
  });

  it.each([
    [401, { code: 'ERR_TOKEN_EXPIRED' }, 'ERR_TOKEN_EXPIRED'],
    [403, { code: 'ERR_SCOPE_MISSING', requiredScope: 'messages:read' }, 'ERR_SCOPE_MISSING'],
    [403, {}, 'FORBIDDEN'],
    [404, {}, 'HTTP_404'],
  ])('holds the poller when the account is refused: %i %j', async (status, body, type) => {
    write(message('a', 1));
    const hand = await hire();
    await hand.page();
    service.bend = () => ({ status, body: { error: 'no', ...body } });
    await expect(hand.read(1)).rejects.toMatchObject({
      type,
      nonRetryable: true,
      details: [{ scope: 'run' }],
    });
    expect(await hand.todo()).toEqual([1]);
  });

  it('costs no call when there is nothing to read', async () => {
    const hand = await hire();
    expect(await hand.read(77)).toEqual({ done: true, messages: 0 });
    expect(service.asked).toEqual([]);
  });
});

it('an attempt after the first wakes all sinks of the account, since the one before may have ended too soon', async () => {
  const hand = await hire({ announce: [{ sink: 'one', events: ['conversation.closed'] }, { sink: 'two' }] });
  await hand.read(1, 'none', 2);
  expect(hand.woken).toEqual(['one', 'two']);
});

it('two attempts at once tell a message once', async () => {
  write(...list(7));
  const first = await hire({ polling: { messagePageSize: 3, keep: 20 } });
  const second = await hire({ polling: { messagePageSize: 3, keep: 20 } });
  await first.page();
  for (let n = 0; n < 6; n++) await Promise.all([first.read(1), second.read(1)]);
  expect(textsOf(await first.told())).toEqual(list(7).map(({ id }) => id));
});
