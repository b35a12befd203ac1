// Messages of one conversation: what is published, in which order, once, and with no more calls than needed.
import { describe, expect, it } from 'vitest';
import { list, pollingContext } from './context.ts';
import { at, chat, message } from './service.ts';
import { Killed, outline, textsOf } from './support.ts';

const context = pollingContext();
const { hire, write } = context;
const reads = () => context.service.asked.filter(({ of }) => of !== 'list').length;

describe('what is published', () => {
  it('opened first, then messages from the oldest, then the latest state', async () => {
    write(message('a', 1), message('b', 2, { fromMe: true, status: 'sent' }), message('c', 3));
    Object.assign(context.service.chats[0] as object, { status: 'closed' });
    const hand = await hire();
    await hand.settle();
    const published = await hand.published();
    expect(outline(published)).toEqual([
      'conversation.opened',
      'message.received',
      'message.sent',
      'message.received',
      'conversation.closed',
    ]);
    expect(textsOf(published)).toEqual(['a', 'b', 'c']);
    expect(published[1]).toMatchObject({
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
  ])('a conversation from before the poller: %s', async (name, change, expected) => {
    write(message('a', 1));
    if (name === 'opened again') Object.assign(context.service.chats[0] as object, { status: 'closed' });
    const hand = await hire({ since: 'now' });
    await hand.settle();
    Object.assign(context.service.chats[0] as object, { updatedAt: at(50) }, change);
    await hand.settle();
    expect(outline(await hand.published())).toEqual(expected);
  });

  it('an old conversation that is new in the list is an update without a previous state', async () => {
    context.service.chats = [chat(2, 500)];
    const hand = await hire({ since: new Date(at(400)) });
    await hand.settle();
    write(message('old', 5), message('new', 600));
    await hand.settle();
    const published = (await hand.published()).filter(({ partitionkey }) => partitionkey === 'acme/1');
    expect(outline(published)).toEqual(['message.received', 'conversation.updated']);
    expect(published[1]?.data).toMatchObject({ previous: null });
    expect(textsOf(published)).toEqual(['new']);
  });

  it('a status is published once, and never backwards', async () => {
    write(message('a', 1, { fromMe: true, status: 'sent', ack: 1 }));
    const hand = await hire();
    await hand.settle();
    for (const [n, status] of ['delivered', 'sent', 'read', 'read'].entries()) {
      write(message('a', 1, { fromMe: true, status, ack: 3 }), ...list(n + 1, 10));
      await hand.settle();
    }
    const published = (await hand.published()).filter(({ type }) => type === 'message.status');
    expect(published.map(({ id }) => id)).toEqual([
      'message.status/acme/1/id:a/delivered',
      'message.status/acme/1/id:a/read',
    ]);
    expect(published[0]?.data).toMatchObject({
      message: { status: 'delivered', previous: 'sent', ack: 3 },
      event: null,
    });
  });

  it('a late message between known ones is published, one from before the beginning is not', async () => {
    write(message('a', 100), message('c', 300));
    const hand = await hire({ since: new Date(at(50)) });
    await hand.settle();
    write(message('x', 20), message('a', 100), message('b', 200), message('c', 300), message('d', 301));
    await hand.settle();
    expect(textsOf(await hand.published())).toEqual(['a', 'c', 'b', 'd']);
  });

  it('times with an offset are published in UTC', async () => {
    write(message('a', 0, { createdAt: '2026-11-20T07:00:00-03:00' }));
    const hand = await hire();
    await hand.settle();
    expect((await hand.published())[1]?.time).toBe('2026-11-20T10:00:00.000Z');
  });
});

describe('a long history', () => {
  const polling = { messagePageSize: 10, keep: 25 };

  it.each(['lost', 'after'] as const)(
    'cut off at each page (%s) it is published once, oldest first',
    async (how) => {
      write(...list(95));
      const hand = await hire({ polling });
      await hand.page();
      for (let n = 0, done = false; !done; n++) {
        await expect(hand.read(1, how)).rejects.toThrow(Killed);
        done = (await hand.read(1)).done;
        expect(n).toBeLessThan(30);
      }
      expect(textsOf(await hand.published())).toEqual(list(95).map(({ id }) => id));
    },
  );

  it('messages that arrive or disappear meanwhile are published exactly once', async () => {
    write(...list(60));
    const hand = await hire({ polling });
    await hand.page();
    let round = 0;
    context.service.before = ({ of }) => {
      if (of === 'list' || ++round > 5) return;
      const now = context.service.messages.get(1) ?? [];
      write(...now.filter(({ id }) => round !== 3 || id !== 'm45'), ...list(3, 100 * round));
    };
    await hand.settle();
    const wanted = (context.service.messages.get(1) ?? []).map(({ id }) => id);
    const got = textsOf(await hand.published()).filter((id) => id !== 'm45');
    expect(new Set(got)).toEqual(new Set(wanted));
    expect(got).toHaveLength(wanted.length);
  });

  it('messages with forgotten keys are not published again when the history shrinks', async () => {
    write(...list(100));
    const hand = await hire({ polling });
    await hand.settle();
    const [kept] = await context.db.query<{ n: number }>('select count(*)::int as n from messages');
    expect(kept?.n).toBe(25);
    write(...list(60), message('new', 200));
    await hand.settle();
    expect(textsOf(await hand.published())).toEqual([...list(100).map(({ id }) => id), 'new']);
  });

  it('keys of one instant are forgotten together', async () => {
    const tied = (count: number) => list(count).map((item) => ({ ...item, createdAt: at(5) }));
    write(...tied(40));
    const hand = await hire({ polling });
    await hand.settle();
    write(...tied(41));
    await hand.settle();
    expect(textsOf(await hand.published())).toEqual(list(41).map(({ id }) => id));
  });

  it('an endless one is a gap', async () => {
    write(...list(10));
    const hand = await hire({ polling });
    context.service.bend = ({ of }, body) =>
      of === 'list' ? null : { status: 200, body: { ...body, hasMore: true, messages: list(10) } };
    const calls = await hand.settle();
    expect(calls).toBeLessThan(20);
    expect(textsOf(await hand.published())).toEqual(list(10).map(({ id }) => id));
    expect(await hand.gaps()).toMatchObject([{ code: 'MESSAGES_ENDLESS', conversation_id: 1 }]);
  });
});

describe('no call is wasted', () => {
  const late = { body: 'two', createdAt: at(20) };

  /** The list shows `one`; the reading sees `two` already; then the list shows `two`. */
  async function ahead(date: Date) {
    write(message('one', 10));
    const hand = await hire({ since: 'now' });
    context.service.chats = [];
    await hand.page();
    write(message('one', 10));
    await hand.page();
    context.service.date = date;
    context.service.messages.set(1, [message('one', 10), message('two', 20, late)]);
    await hand.read(1);
    const before = reads();
    Object.assign(context.service.chats[0] as object, { updatedAt: at(20), lastMessage: 'two' });
    return { hand, before };
  }

  it('a listing that shows what was read needs no reading', async () => {
    const { hand, before } = await ahead(new Date(at(21)));
    await hand.settle();
    expect(reads()).toBe(before);
    expect(textsOf(await hand.published())).toEqual(['one', 'two']);
  });

  it.each<[string, Date, object]>([
    ['the reading came within a second', new Date(at(20)), {}],
    ['its text is another', new Date(at(21)), { lastMessage: 'three' }],
    ['it is newer', new Date(at(21)), { updatedAt: at(22) }],
    ['its state is another', new Date(at(21)), { userId: 4 }],
  ])('it does when %s', async (_name, date, change) => {
    const { hand, before } = await ahead(date);
    Object.assign(context.service.chats[0] as object, change);
    await hand.settle();
    expect(reads()).toBeGreaterThan(before);
  });

  it('a history that lags behind the list is read again, at most twice', async () => {
    write(message('a', 1));
    const hand = await hire();
    await hand.settle();
    Object.assign(context.service.chats[0] as object, { updatedAt: at(30), lastMessage: 'b' });
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

  it('a partially lagging history is read again, and all of it is published', async () => {
    write(message('a', 1));
    const hand = await hire();
    await hand.settle();
    context.service.messages.get(1)?.push(message('b', 2));
    Object.assign(context.service.chats[0] as object, { updatedAt: at(3), lastMessage: 'c' });
    await hand.page();
    await hand.read(1);
    context.service.messages.get(1)?.push(message('c', 3));
    await hand.settle();
    expect(textsOf(await hand.published())).toEqual(['a', 'b', 'c']);
  });

  it('with times in whole seconds, one more check finds an identical message of the same second', async () => {
    context.service.date = new Date(at(1));
    write(message('a', 1, { body: 'ok' }));
    const hand = await hire();
    await hand.page();
    await hand.read(1);
    expect(await hand.conversation(1)).toMatchObject({ tries: 1 });
    write(message('a', 1, { body: 'ok' }), message('b', 1, { body: 'ok' }));
    context.service.date = new Date(at(3));
    expect((await hand.page()).changed).toBe(0);
    await hand.read(1);
    expect(await hand.todo()).toEqual([]);
    expect((await hand.published()).map((event) => ('subject' in event ? event.subject : undefined))).toEqual(
      [undefined, 'id:a', 'id:b'],
    );
  });

  it('a conversation that changes while its pages are read is read again', async () => {
    write(...list(6));
    const hand = await hire({ polling: { messagePageSize: 2, keep: 20 } });
    await hand.page();
    expect((await hand.read(1)).done).toBe(false);
    write(...list(7));
    await hand.page();
    for (let done = false; !done; ) done = (await hand.read(1)).done;
    expect(textsOf(await hand.published())).toHaveLength(6);
    await hand.settle();
    expect(textsOf(await hand.published())).toEqual(list(7).map(({ id }) => id));
  });
});

it('two concurrent attempts publish a message once', async () => {
  write(...list(7));
  const first = await hire({ polling: { messagePageSize: 3, keep: 20 } });
  const second = await hire({ polling: { messagePageSize: 3, keep: 20 } });
  await first.page();
  for (let n = 0; n < 6; n++) await Promise.all([first.read(1), second.read(1)]);
  expect(textsOf(await first.published())).toEqual(list(7).map(({ id }) => id));
});
