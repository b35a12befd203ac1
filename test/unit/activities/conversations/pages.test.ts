// Pages of conversations: what is found, where a poll ends, and what it does when the list shifts or lies.
import { describe, expect, it } from 'vitest';
import { pollingContext } from './context.ts';
import { at, type Chat, chat, message, type Service } from './service.ts';
import { type Hand, Killed } from './support.ts';

const context = pollingContext();
const { hire } = context;

const chats = (count: number, seconds = (n: number) => n): Chat[] =>
  Array.from({ length: count }, (_, n) => chat(n + 1, seconds(n + 1)));

/** Polls until a poll is complete. @returns pages asked for */
async function poll(hand: Hand): Promise<number> {
  const before = context.service.asked.length;
  for (let done = false; !done; ) done = (await hand.page()).done;
  return context.service.asked.length - before;
}

/** Takes everything as read. */
const readAll = () =>
  context.db.query('update conversations set todo_at = null, published = item->$1', ['state']);

describe('the first poll', () => {
  it.each<[string, 'now' | Date | null, number[]]>([
    ['now', 'now' as const, []],
    ['a time on page 1', new Date(at(150)), [150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160]],
    ['a time before page 1', new Date(at(100)), Array.from({ length: 61 }, (_, n) => 100 + n)],
    ['all of the history', null, Array.from({ length: 160 }, (_, n) => n + 1)],
  ])('%s: reads what is not older, and nothing else', async (_name, since, expected) => {
    context.service.chats = chats(160);
    const hand = await hire({ since, config: { pageSize: 20 } });
    expect(await hand.page()).toMatchObject({ done: true });
    expect(context.service.asked).toEqual([{ of: 'list', page: 1, size: 20 }]);
    for (let done = false; !done; ) done = (await hand.history()).done;
    expect((await hand.todo()).toSorted((a, b) => a - b)).toEqual(expected);
    expect(await hand.poller()).toMatchObject({ history: null, watermark: new Date(at(160)), polls: 1 });
    expect(await hand.gaps()).toEqual([]);
    const pages = context.service.asked.length;
    expect(await hand.history()).toEqual({ done: true, found: 0 });
    expect(context.service.asked.length).toBe(pages);
  });

  it('of an empty list publishes everything that follows', async () => {
    const hand = await hire({ since: 'now' });
    await poll(hand);
    context.service.chats = [chat(1, 5)];
    expect(await hand.page()).toEqual({ done: true, changed: 1, todo: 1 });
  });
});

describe('a poll', () => {
  it('finds a person without number and name', async () => {
    const hand = await hire({ since: 'now' });
    await poll(hand);
    context.service.chats = [
      chat(1, 5, { channel: 'instagram', contact: { id: 8, name: null, number: null } }),
      chat(2, 6, { channel: 'facebook', contact: { id: 9, name: '', number: null }, lastMessage: undefined }),
    ];
    expect(await hand.page()).toEqual({ done: true, changed: 2, todo: 2 });
    expect(await hand.gaps()).toEqual([]);
  });

  it('costs one call while nothing changes', async () => {
    context.service.chats = chats(300, (n) => n * 60);
    const hand = await hire({ since: 'now' });
    await poll(hand);
    expect(await hand.page()).toEqual({ done: true, changed: 0, todo: 0 });
    expect(await hand.page()).toEqual({ done: true, changed: 0, todo: 0 });
    expect(context.service.asked.length).toBe(3);
    expect((await hand.poller())['news_at']).toBeNull();
  });

  it('after a burst reads down to what is known', async () => {
    context.service.chats = chats(300, (n) => n * 60);
    const hand = await hire({ since: 'now' });
    await poll(hand);
    for (const each of context.service.chats.slice(0, 230)) each.updatedAt = at(100_000 + each.id);
    expect(await poll(hand)).toBeLessThanOrEqual(4);
    expect(await hand.todo()).toHaveLength(230);
    expect(await hand.poller()).toMatchObject({ sweep: null, watermark: new Date(at(100_230)) });
  });

  it('reads a bulk of one instant with every poll for ten seconds, and then no more', async () => {
    context.service.chats = chats(90, () => 60);
    const hand = await hire({ since: null, config: { pageSize: 20 } });
    await poll(hand);
    for (let done = false; !done; ) done = (await hand.history()).done;
    await readAll();
    const whole = await poll(hand);
    expect(whole).toBeGreaterThanOrEqual(5);
    expect(await poll(hand)).toBe(whole);
    await context.db.query("update pollers set moved_at = moved_at - interval '11 seconds'");
    // One that was committed late is found by the last poll that goes so far, and makes it not the last.
    context.service.chats.push(chat(200, 55));
    await poll(hand);
    expect(await hand.todo()).toEqual([200]);
    expect(await poll(hand)).toBeGreaterThanOrEqual(5);
    expect(await poll(hand)).toBe(1);
    context.service.chats.push(chat(201, 61));
    expect(await hand.page()).toMatchObject({ done: true, changed: 1 });
    expect(await poll(hand)).toBeGreaterThanOrEqual(5);
  });

  it('finds what was committed late, up to ten seconds', async () => {
    context.service.chats = chats(30, (n) => n * 60);
    // Between the newest one and the late one stands more than a page.
    context.service.chats.push(...Array.from({ length: 8 }, (_, n) => chat(40 + n, 30 * 60 - 1)));
    const hand = await hire({ since: 'now', config: { pageSize: 5 } });
    await poll(hand);
    context.service.chats.push(chat(99, 30 * 60 - 9));
    await readAll();
    await poll(hand);
    expect(await hand.todo()).toEqual([]);
    expect(await hand.conversation(99)).toMatchObject({ id: 99, published: { status: 'open' } });
    (context.service.chats.find(({ id }) => id === 29) as Chat).lastMessage = 'late';
    (context.service.chats.find(({ id }) => id === 29) as Chat).updatedAt = at(30 * 60 - 8);
    await poll(hand);
    expect(await hand.todo()).toEqual([29]);
  });

  it.each([1, 2, 3, 7, 20])('sees each of forty that share one instant (page size %i)', async (pageSize) => {
    context.service.chats = [chat(99, 0)];
    const hand = await hire({ since: new Date(at(0)), config: { pageSize } });
    await poll(hand);
    context.service.chats.push(...chats(40, () => 60));
    await poll(hand);
    expect((await hand.todo()).length).toBe(41);
    expect(await hand.gaps()).toEqual([]);
  });

  it('a changed field outside the conversation is no change', async () => {
    context.service.chats = [chat(1, 60)];
    const hand = await hire({ since: 'now' });
    await poll(hand);
    context.service.chats = [
      chat(1, 60, {
        unread: 3,
        owner: { id: 1, name: 'Ana' },
        connection: { id: 1, name: 'renamed', channel: 'waba', status: 'OPENING' },
      }),
    ];
    expect(await hand.page()).toMatchObject({ changed: 0 });
  });

  it.each(['lost', 'after'] as const)(
    'cut off between pages (%s) it goes on and misses nothing',
    async (how) => {
      context.service.chats = chats(200, (n) => n * 60);
      const hand = await hire({ since: 'now', config: { pageSize: 20 } });
      await poll(hand);
      for (const each of context.service.chats) each.updatedAt = at(100_000 + each.id);
      for (let cuts = 0; ; cuts++) {
        await expect(hand.page(how)).rejects.toThrow(Killed);
        if ((await hand.page()).done) break;
        expect(cuts).toBeLessThan(40);
      }
      expect(await hand.todo()).toHaveLength(200);
    },
  );

  it.each([
    ['has ended the poll', 50],
    ['is at the next page', 1],
  ])(
    'an attempt that was stopped with its page, while another one %s, leaves the listings as they are',
    async (_, pageSize) => {
      const config = { pageSize };
      context.service.chats = chats(3);
      const hand = await hire({ since: 'now', config });
      await poll(hand);
      context.service.chats = chats(3, (n) => n + 3600);
      const closes = async () => {
        context.service.chats = context.service.chats.map((each) =>
          each.id === 3 ? { ...each, status: 'closed', updatedAt: at(7200) } : each,
        );
        await hand.page();
      };
      const db: typeof context.db = {
        ...context.db,
        transaction: async (work) => {
          await closes();
          return await context.db.transaction(work);
        },
      };
      const stopped = await hire({ db, since: 'now', config });
      expect(await stopped.page()).toMatchObject({ done: false, changed: 0 });
      const statusOf = async () =>
        await context.db.query("select item->'state'->>'status' as status from conversations where id = 3");
      expect(await statusOf()).toEqual([{ status: 'closed' }]);
    },
  );

  it('an interrupted history continues, in parallel with polls', async () => {
    context.service.chats = chats(120, (n) => n * 60);
    const hand = await hire({ since: null, config: { pageSize: 20 } });
    await hand.page();
    for (let n = 0, done = false; !done; n++) {
      await expect(hand.history(n % 2 === 0 ? 'lost' : 'after')).rejects.toThrow(Killed);
      (context.service.chats[n % 120] as Chat).updatedAt = at(100_000 + n);
      await poll(hand);
      done = (await hand.history()).done;
      expect(n).toBeLessThan(30);
    }
    expect(await hand.todo()).toHaveLength(120);
  });
});

describe('a list that shifts while it is read', () => {
  it.each([1, 3, 20])(
    'FAULTS 15: conversations leave and jump to the front (page size %i)',
    async (pageSize) => {
      context.service.chats = chats(150, (n) => n * 60);
      const hand = await hire({ since: null, config: { pageSize } });
      await poll(hand);
      for (let done = false; !done; ) done = (await hand.history()).done;
      await readAll();
      for (const each of context.service.chats) each.updatedAt = at(100_000 + each.id);
      let round = 0;
      context.service.before = () => {
        round += 1;
        if (round > 12) return;
        // From what was read already: what follows slips up, at times past the end of what was read.
        const leave = round === 3 || round === 5 ? 15 : 1;
        const newest = new Set(context.service.chats.toSorted((a, b) => b.id - a.id).slice(0, leave));
        context.service.chats = context.service.chats.filter((each) => !newest.has(each));
        (context.service.chats[round * 3] as Chat).updatedAt = at(200_000 + round);
      };
      const pages = await poll(hand);
      expect(pages).toBeLessThan(40);
      await poll(hand);
      const found = new Set(await hand.todo());
      expect(context.service.chats.filter(({ id }) => !found.has(id))).toEqual([]);
      expect(await hand.gaps()).toEqual([]);
    },
  );

  it('a service that caps pages below the requested size is read to the end', async () => {
    context.service.chats = chats(57, (n) => n * 60);
    const hand = await hire({ since: null });
    const cap = 7;
    context.service.bend = ({ page, size }) => {
      const all = context.service.chats.toReversed();
      const real = Math.min(size, cap);
      const conversations = all.slice((page - 1) * real, page * real);
      return { status: 200, body: { count: 57, hasMore: page * real < 57, conversations } };
    };
    await hand.page();
    let pages = 1;
    for (let done = false; !done; pages++) done = (await hand.history()).done;
    expect(await hand.todo()).toHaveLength(57);
    expect(pages).toBeLessThan(25);
    expect(await hand.gaps()).toEqual([]);
  });
});

describe('an inconsistent list', () => {
  const lies: [string, string, Service['bend']][] = [
    [
      'repeats one page for ever',
      'LIST_ENDLESS',
      (_asked, body) => ({
        status: 200,
        body: { ...body, hasMore: true, conversations: chats(20, () => 100_000) },
      }),
    ],
    [
      'has an empty page that is not the last',
      'LIST_ENDLESS',
      ({ page }, body) => ({
        status: 200,
        body: page === 1 ? { ...body, hasMore: true } : { count: 999, hasMore: true, conversations: [] },
      }),
    ],
    [
      'makes up new ones for ever',
      'LIST_ENDLESS',
      ({ page }) => ({
        status: 200,
        body: {
          count: 5,
          hasMore: true,
          conversations: Array.from({ length: 20 }, (_, n) => chat(page * 20 + n, 100_000 - page)),
        },
      }),
    ],
    [
      'has pages in no order',
      'LIST_GAP',
      ({ page, size }) => ({
        status: 200,
        body: {
          count: 1_000_000,
          hasMore: true,
          conversations: Array.from({ length: size }, (_, n) =>
            chat(page * 1000 + n, page === 1 ? 100_000 : 50_000 - page),
          ),
        },
      }),
    ],
  ];
  it.each(lies)('FAULTS 15: one that %s ends, with a gap', async (_name, code, bend) => {
    context.service.chats = [chat(1, 10)];
    const hand = await hire({ since: 'now', config: { pageSize: 20 } });
    await poll(hand);
    context.service.chats.push(...chats(19, () => 100_000).slice(1));
    context.service.bend = bend;
    let pages = 0;
    for (let done = false; !done && pages < 200; pages++) done = (await hand.page()).done;
    const gaps = await hand.gaps();
    expect(gaps.map((gap) => gap.code)).toContain(code);
    if (code === 'LIST_ENDLESS') {
      expect(pages).toBeLessThan(60);
      const before = await hand.poller();
      for (let done = false, n = 0; !done && n < 100; n++) done = (await hand.page()).done;
      expect((await hand.gaps()).filter((gap) => gap.code === code)).toHaveLength(1);
      expect(before['sweep']).toBeNull();
    }
  });

  it('FAULTS 14: an item without a promised field is a gap with its id; unknown values and fields are accepted', async () => {
    const hand = await hire({ since: null });
    context.service.chats = [
      chat(1, 1, { status: 'snoozed', channel: 'telegram', mood: 'fine' }),
      chat(2, 2, { contact: { name: 'P2' } }),
      chat(3, 3, { createdAt: 'yesterday' }),
      chat(4, 4),
    ];
    await poll(hand);
    await poll(hand);
    expect(await hand.todo()).toEqual([1, 4]);
    const gaps = (await hand.gaps()).toSorted((a, b) => a.conversation_id - b.conversation_id);
    expect(gaps).toMatchObject([
      { code: 'LISTING_UNREADABLE', conversation_id: 2, seen: 2 },
      { code: 'LISTING_UNREADABLE', conversation_id: 3, seen: 2 },
    ]);
    expect((await hand.poller())['complete_at']).toBeNull();
  });

  it.each([
    [401, 'ERR_TOKEN_REVOKED'],
    [403, 'ERR_SCOPE_MISSING'],
    [404, null],
  ])('a refusal (%i %s) is a failure that blocks the workflow', async (status, code) => {
    const hand = await hire();
    context.service.bend = () => ({ status, body: { error: 'no', ...(code === null ? {} : { code }) } });
    await expect(hand.page()).rejects.toMatchObject({
      nonRetryable: true,
      type: code ?? 'HTTP_404',
      details: [{ scope: 'run' }],
    });
  });

  it('a refusal for a scope names the scope', async () => {
    const hand = await hire();
    const body = { error: 'no', code: 'ERR_SCOPE_MISSING', requiredScope: 'conversations:read' };
    context.service.bend = () => ({ status: 403, body });
    await expect(hand.page()).rejects.toThrow(
      /ERR_SCOPE_MISSING: the token lacks the scope conversations:read$/,
    );
  });

  it('a response without a list is retried, and blocks after three times', async () => {
    const hand = await hire();
    context.service.bend = () => ({ status: 200, body: { count: 0, hasMore: false } });
    await expect(hand.page('none', 1)).rejects.toMatchObject({
      type: 'UNEXPECTED_SHAPE',
      nonRetryable: false,
    });
    await expect(hand.page('none', 3)).rejects.toMatchObject({
      type: 'UNEXPECTED_SHAPE',
      nonRetryable: true,
    });
  });

  it('an internal error is retried', async () => {
    const hand = await hire();
    context.service.bend = () => ({ status: 500, body: { error: 'oops' } });
    await expect(hand.page()).rejects.toMatchObject({ nonRetryable: false, type: 'HTTP_500' });
  });
});

it('polls do not read messages', async () => {
  const hand = await hire({ since: null });
  context.service.chats = [chat(1, 1)];
  context.service.messages.set(1, [message('a', 1)]);
  await poll(hand);
  expect(context.service.asked.every(({ of }) => of === 'list')).toBe(true);
});
