// What can't be read: one odd item is a gap, the service's own way of showing all of them blocks the poller, and under other
// assumptions all of it is read again. Nothing is lost, nothing is published twice.
import { describe, expect, it } from 'vitest';
import { list, pollingContext } from './context.ts';
import { chat, type Item, message } from './service.ts';
import { type Hand, textsOf } from './support.ts';

const context = pollingContext();
const { hire, write } = context;

const BLOCKED = { type: 'UNEXPECTED_SHAPE', nonRetryable: true };

/** Shows every message in another form. */
const reshape = (how: (item: Item) => Item) => {
  context.service.bend = ({ of }, body) =>
    of === 'list'
      ? null
      : { status: 200, body: { ...body, messages: (body['messages'] as Item[]).map(how) } };
};

const renamed =
  (from: string, to: string, value: (old: unknown) => unknown = (old) => old) =>
  ({ [from]: old, ...rest }: Item): Item => ({ ...rest, [to]: value(old) });

describe('a service that shows every message in another form', () => {
  it.each<[string, (item: Item) => Item, string]>([
    ['the direction is renamed', renamed('fromMe', 'outgoing'), 'message.fromMeField'],
    [
      'the direction is a word',
      renamed('fromMe', 'fromMe', (own) => (own ? 'out' : 'in')),
      'message.fromMeField',
    ],
    ['the direction is 0 or 1', renamed('fromMe', 'fromMe', Number), 'message.fromMeField'],
    ['the time is renamed', renamed('createdAt', 'sentAt'), 'message.timeField'],
    [
      'the time is in seconds',
      renamed('createdAt', 'createdAt', (t) => Date.parse(String(t)) / 1000),
      'message.timeField',
    ],
    ['the text is renamed', renamed('body', 'text'), 'message.bodyField'],
    ['the text is nested', renamed('body', 'content', (text) => ({ text })), 'message.bodyField'],
  ])('blocks the poller, and publishes nothing: %s', async (_, how, assumption) => {
    reshape(how);
    write(...list(3));
    const hand = await hire();
    await hand.page();
    await expect(hand.read(1)).rejects.toMatchObject({
      ...BLOCKED,
      details: [
        {
          scope: 'run',
          shape: { assumptions: [assumption], seen: expect.arrayContaining(['id', 'status']) },
        },
      ],
      message: expect.stringContaining(assumption),
    });
    expect(await hand.published()).toEqual([]);
    expect(await hand.todo()).toEqual([1]);
    expect(await hand.gaps()).toEqual([]);
  });

  it('blocks it from the third message on if others were read before', async () => {
    write(...list(2));
    const hand = await hire();
    await hand.settle();
    reshape(renamed('fromMe', 'outgoing'));
    write(message('m3', 3));
    await hand.page();
    await hand.read(1);
    expect(await hand.gaps()).toMatchObject([{ code: 'UNREADABLE', conversation_id: 1 }]);
    write(...list(6));
    await hand.page();
    await expect(hand.read(1)).rejects.toMatchObject(BLOCKED);
  });

  it('blocks it when five conversations in a row have unreadable messages', async () => {
    const hand = await hire();
    const half = [message('a', 1), message('b', 2, { fromMe: null })];
    context.service.chats = [1, 2, 3, 4, 5].map((id) => chat(id, id));
    for (const { id } of context.service.chats) context.service.messages.set(id, half);
    await hand.page();
    for (const id of [1, 2, 3, 4]) expect(await hand.read(id)).toMatchObject({ messages: 1 });
    await expect(hand.read(5)).rejects.toMatchObject(BLOCKED);
  });

  it('does not block it for one conversation that is read again and again', async () => {
    const hand = await hire();
    for (let n = 1; n <= 7; n++) {
      write(message('a', 1), message('odd', 2, { fromMe: null }), ...list(n, 3));
      await hand.page();
      await hand.read(1);
    }
    expect(await hand.gaps()).toMatchObject([{ code: 'UNREADABLE', seen: 7 }]);
    expect(await hand.poller()).toMatchObject({ unread_row: 1 });
  });

  it.each([
    ['has no list of messages', { count: 3, hasMore: false, items: [] }],
    ['counts messages and shows none', { count: 3, hasMore: false, messages: [] }],
  ])('blocks it when the response %s', async (_, body) => {
    write(...list(3));
    const hand = await hire();
    await hand.page();
    context.service.bend = ({ of }) => (of === 'list' ? null : { status: 200, body });
    let last: unknown = null;
    for (let n = 0; n < 3; n++) last = await hand.read(1).catch((error: unknown) => error);
    expect(last).toMatchObject(BLOCKED);
    expect(await hand.published()).toEqual([]);
  });

  it('blocks it when it lists conversations and then knows none of them', async () => {
    const hand = await hire();
    context.service.chats = [1, 2, 3, 4, 5].map((id) => chat(id, id));
    await hand.page();
    context.service.bend = ({ of }) =>
      of === 'list' ? null : { status: 404, body: { error: 'no', code: 'ERR_NO_TICKET_FOUND' } };
    for (const id of [1, 2, 3, 4]) await hand.read(id);
    await expect(hand.read(5)).rejects.toMatchObject({ type: 'CONVERSATION_GONE', nonRetryable: true });
  });
});

describe('a list that shows conversations in another form', () => {
  it.each<[string, (item: Item) => Item]>([
    ['status', renamed('status', 'state')],
    ['updatedAt', renamed('updatedAt', 'lastUpdate')],
    ['updatedAt in seconds', renamed('updatedAt', 'updatedAt', (t) => Date.parse(String(t)) / 1000)],
    ['contact', renamed('contact', 'person')],
    ['the number of the contact', renamed('contact', 'contact', () => ({ id: 5, name: 'P' }))],
    ['chatbot', renamed('chatbot', 'bot')],
    ['connection', renamed('connection', 'channelAccount')],
  ])('blocks the poller, which keeps its position: %s', async (_, how) => {
    context.service.chats = [chat(1, 60), chat(2, 61), chat(3, 62)];
    const hand = await hire({ since: 'now' });
    const before = await hand.poller();
    context.service.bend = (_asked, body) => ({
      status: 200,
      body: { ...body, conversations: (body['conversations'] as Item[]).map(how) },
    });
    await expect(hand.page()).rejects.toMatchObject({
      ...BLOCKED,
      details: [{ scope: 'run', step: 'listConversations', shape: { assumptions: [] } }],
    });
    expect(await hand.poller()).toEqual(before);
    context.service.bend = () => null;
    await hand.page();
    expect(await hand.poller()).toMatchObject({ polls: 1 });
  });

  it('has a conversation served where owner says so, and perhaps served where nothing does', async () => {
    const bare = (id: number, over: Item): Item => {
      const { userId: _, ...rest } = chat(id, id);
      return { ...rest, ...over };
    };
    context.service.chats = [
      bare(1, { owner: { id: 7, name: 'Ana' } }) as never,
      bare(2, { owner: null }) as never,
    ];
    const hand = await hire();
    await hand.page();
    expect((await hand.conversation(1))['item']).toMatchObject({ state: { userId: 7 } });
    expect((await hand.conversation(2))['item']).toMatchObject({
      state: { userId: null },
      mayBeServed: false,
    });
    context.service.chats = [bare(1, {}) as never, bare(2, { chatbot: true }) as never];
    await hand.page();
    expect((await hand.conversation(1))['item']).toMatchObject({ mayBeServed: true });
    expect((await hand.conversation(2))['item']).toMatchObject({ mayBeServed: false });
  });

  it('leaves out conversations of another connection, should the service not know the parameter', async () => {
    context.service.chats = [
      chat(1, 60),
      chat(2, 61, { connection: { id: 2, name: 'other', channel: 'waba', status: 'CONNECTED' } }),
    ];
    const hand = await hire({ config: { connection: 1 } });
    await hand.settle();
    expect(await hand.conversation(2)).toBeUndefined();
  });
});

describe('other assumptions', () => {
  const OUTGOING = { 'message.fromMeField': 'outgoing' };
  const worker = (assumptions: object) => hire({ client: { baseUrl: context.service.baseUrl, assumptions } });
  const adopt = (hand: Hand) => hand.begin();

  it('cause everything that was blocked to be read, each message once and in order', async () => {
    reshape(renamed('fromMe', 'outgoing'));
    write(...list(5));
    const hand = await hire();
    await hand.page();
    await expect(hand.read(1)).rejects.toMatchObject(BLOCKED);
    const mended = await worker(OUTGOING);
    await adopt(mended);
    await mended.settle();
    expect(textsOf(await mended.published())).toEqual(['m1', 'm2', 'm3', 'm4', 'm5']);
  });

  it('have gaps read again, past messages that were published: what was missing is published, its word counts', async () => {
    const odd = ({ fromMe, ...rest }: Item): Item => ({
      ...rest,
      outgoing: fromMe,
      ...(rest['id'] === 'm2' ? {} : { fromMe }),
    });
    reshape(odd);
    const sair = message('m2', 2, { body: 'sair' });
    write(message('m1', 1), sair, ...list(8, 3));
    const hand = await hire({ polling: { messagePageSize: 3, keep: 5 } });
    await hand.settle();
    expect(textsOf(await hand.published())).not.toContain('sair');
    expect(await hand.gaps()).toMatchObject([{ code: 'UNREADABLE', conversation_id: 1 }]);
    const mended = await hire({
      client: { baseUrl: context.service.baseUrl, assumptions: OUTGOING },
      polling: { messagePageSize: 3, keep: 5 },
    });
    Object.assign(mended.deps, {
      account: ((account) => (name: string) => ({ ...account(name), optOut: { tags: [], words: ['sair'] } }))(
        mended.deps.account,
      ),
    });
    expect(await mended.todo()).toEqual([]);
    await adopt(mended);
    expect(await mended.todo()).toEqual([1]);
    await mended.settle();
    const published = textsOf(await mended.published());
    expect(published).toHaveLength(10);
    expect(new Set(published).size).toBe(10);
    expect(published).toContain('sair');
    expect(await mended.gaps()).toEqual([]);
    expect(await context.db.query('select via from opt_outs')).toEqual([{ via: 'reply' }]);
  });

  it('about ids publish nothing again that was published without them', async () => {
    reshape(renamed('id', 'messageId'));
    write(...list(4));
    const hand = await hire();
    await hand.settle();
    const mended = await worker({ 'message.idField': 'messageId' });
    await adopt(mended);
    write(...list(6));
    await mended.settle();
    expect(textsOf(await mended.published())).toEqual(['m1', 'm2', 'm3', 'm4', 'm5', 'm6']);
  });

  it('that do not help leave the gap, and cost one reading', async () => {
    reshape(({ fromMe, ...rest }) => ({ ...rest, ...(rest['id'] === 'm2' ? {} : { fromMe }) }));
    write(...list(5));
    const hand = await hire();
    await hand.settle();
    const other = await worker({ 'card.titleField': 'name' });
    await adopt(other);
    const calls = context.service.asked.length;
    await other.settle();
    await adopt(other);
    await other.settle();
    expect(await other.gaps()).toMatchObject([{ code: 'UNREADABLE', seen: 2 }]);
    expect(context.service.asked.filter(({ of }, n) => n >= calls && of === 1)).toHaveLength(1);
    expect(textsOf(await other.published())).toHaveLength(4);
  });

  it('have items of the list read again that stand far below what is new', async () => {
    context.service.chats = Array.from({ length: 60 }, (_, n) => chat(n + 1, n + 1, { lastMessage: null }));
    const hide = (item: Item): Item => (item['id'] === 5 ? { ...item, status: 7 } : item);
    context.service.bend = ({ of }, body) =>
      of === 'list'
        ? { status: 200, body: { ...body, conversations: (body['conversations'] as Item[]).map(hide) } }
        : null;
    const hand = await hire({ config: { pageSize: 20 } });
    const poll = async (by: Hand) => {
      for (let done = false; !done; ) done = (await by.page()).done;
      for (let done = false; !done; ) done = (await by.history()).done;
    };
    await poll(hand);
    expect(await hand.gaps()).toMatchObject([{ code: 'LISTING_UNREADABLE', conversation_id: 5 }]);
    context.service.bend = () => null;
    const mended = await hire({
      client: { baseUrl: context.service.baseUrl, assumptions: { 'card.titleField': 'name' } },
      config: { pageSize: 20 },
    });
    await poll(mended);
    expect(await mended.gaps()).toEqual([]);
    expect(await mended.conversation(5)).toMatchObject({ id: 5 });
  });
});

it('a message in the list but not in the history is unread', async () => {
  context.service.chats = [chat(1, 60, { lastMessage: 'sair' })];
  const hand = await hire({ settleSeconds: 0 });
  await hand.settle();
  expect(await hand.gaps()).toMatchObject([{ code: 'MESSAGES_MISSING', conversation_id: 1 }]);
});

it('an item without an id is a gap until the list is read again down to where it may have been', async () => {
  const poll = async (by: Hand) => {
    for (let done = false; !done; ) done = (await by.page()).done;
  };
  context.service.chats = Array.from({ length: 60 }, (_, n) => chat(n + 1, n + 1));
  const hand = await hire({ since: 'now', config: { pageSize: 20 } });
  await poll(hand);
  const bend: typeof context.service.bend = ({ of }, body) => {
    const [first, ...rest] = body['conversations'] as Record<string, unknown>[];
    return of === 'list'
      ? { status: 200, body: { ...body, conversations: [{ ticket: first?.['id'] }, ...rest] } }
      : null;
  };
  context.service.bend = bend;
  await poll(hand);
  expect(await hand.gaps()).toMatchObject([{ code: 'LISTING_UNREADABLE', conversation_id: 0 }]);
  await poll(hand);
  expect(await hand.gaps()).toMatchObject([{ code: 'LISTING_UNREADABLE', seen: 2 }]);
  context.service.bend = () => null;
  await poll(hand);
  expect(await hand.gaps()).toEqual([]);
});
