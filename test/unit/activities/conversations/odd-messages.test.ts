// Histories that are odd, and conversations that can't be read.
import { describe, expect, it } from 'vitest';
import { list, pollingContext } from './context.ts';
import { at, message } from './service.ts';
import { outline, textsOf } from './support.ts';

const context = pollingContext();
const { hire, write } = context;

describe('unreadable items', () => {
  it('without times, and with none known, the newest page is published, with a gap', async () => {
    const bare = (id: string) => ({ id, body: id, fromMe: false });
    write(...list(8).map(({ id }) => bare(String(id))));
    Object.assign(context.service.chats[0] as object, { updatedAt: at(90) });
    const timeField = { path: 'createdAt', optional: true };
    const client = { baseUrl: context.service.baseUrl, assumptions: { 'message.timeField': timeField } };
    const hand = await hire({ client, since: new Date(at(50)), polling: { messagePageSize: 3, keep: 20 } });
    await hand.settle();
    expect(textsOf(await hand.published())).toEqual(['m6', 'm7', 'm8']);
    expect(await hand.gaps()).toMatchObject([{ code: 'UNDATED', conversation_id: 1 }]);
    context.service.messages.get(1)?.push(bare('m9'));
    Object.assign(context.service.chats[0] as object, { updatedAt: at(95), lastMessage: 'm9' });
    await hand.settle();
    expect(textsOf(await hand.published())).toEqual(['m6', 'm7', 'm8', 'm9']);
  });

  it('FAULTS 14: unknown fields are kept, an invalid item is a gap, the rest is published', async () => {
    write(message('a', 1, { mood: 'fine', status: 'teleported' }), message('b', 2));
    context.service.messages.get(1)?.splice(1, 0, 'text' as never);
    const hand = await hire();
    await hand.settle();
    const published = await hand.published();
    expect(textsOf(published)).toEqual(['a', 'b']);
    expect(published[1]?.data).toMatchObject({ message: { status: 'teleported', raw: { mood: 'fine' } } });
    expect(await hand.gaps()).toMatchObject([{ code: 'UNREADABLE', conversation_id: 1 }]);
  });
});

it.each([1, 2, 3, 200])(
  'without ids, alike in one instant: each is published (page size %i)',
  async (messagePageSize) => {
    const ok = (n: number) => Array.from({ length: n }, () => message('', 1, { body: 'ok' }));
    const other = message('', 1, { body: 'x' });
    const client = { baseUrl: context.service.baseUrl, assumptions: { 'message.idField': 'nothingSuch' } };
    const hand = await hire({ client, polling: { messagePageSize, keep: 2 * messagePageSize + 3 } });
    let expected = 0;
    for (const n of [2, 3, 7, 8]) {
      write(message('', 0, { body: 'first' }), ...ok(n), other, ...ok(n));
      Object.assign(context.service.chats[0] as object, { updatedAt: at(10 + n) });
      await hand.settle();
      expected = 2 * n;
      const published = textsOf(await hand.published());
      expect(published.filter((text) => text === 'ok')).toHaveLength(expected);
      expect(published).toHaveLength(expected + 2);
    }
  },
);

it('ids and texts that no database accepts are published once each', async () => {
  write(
    message('a\u0000b', 1, { fromMe: true, status: 'sent' }),
    message('c\ud800', 2, { body: 'x\u0000y' }),
    message('d#2', 3),
  );
  const hand = await hire();
  await hand.settle();
  write(...(context.service.messages.get(1) ?? []), message('e', 4));
  await hand.settle();
  expect(textsOf(await hand.published())).toEqual(['ab', 'xy', 'd#2', 'e']);
});

describe('a conversation that cannot be read', () => {
  it('is a gap if it is gone, and its state is published', async () => {
    write(message('a', 1));
    const hand = await hire();
    await hand.page();
    context.service.bend = ({ of }) =>
      of === 'list' ? null : { status: 404, body: { error: 'no', code: 'ERR_NO_TICKET_FOUND' } };
    expect(await hand.read(1)).toEqual({ done: true, messages: 0 });
    expect(await hand.gaps()).toMatchObject([{ code: 'CONVERSATION_GONE', conversation_id: 1 }]);
    expect(outline(await hand.published())).toEqual(['conversation.opened']);
    expect(await hand.todo()).toEqual([]);
  });

  it('publishes what was read when it disappears in the middle', async () => {
    write(...list(20));
    const hand = await hire({ polling: { messagePageSize: 5, keep: 20 } });
    await hand.page();
    await hand.read(1);
    context.service.bend = () => ({ status: 404, body: { error: 'no', code: 'ERR_NO_TICKET_FOUND' } });
    await hand.read(1);
    expect(textsOf(await hand.published())).toEqual(list(5, 16).map(({ id }) => id));
  });

  it('is a gap after three unreadable responses, if others could be read', async () => {
    write(message('a', 1));
    const hand = await hire();
    await hand.settle();
    write(message('a', 1), message('b', 2));
    await hand.page();
    context.service.bend = () => ({ status: 200, body: { count: 1 } });
    for (const _ of [1, 2])
      await expect(hand.read(1)).rejects.toMatchObject({ type: 'UNEXPECTED_SHAPE', nonRetryable: false });
    expect(await hand.read(1)).toEqual({ done: true, messages: 0 });
    expect(await hand.gaps()).toMatchObject([{ code: 'UNREADABLE', conversation_id: 1 }]);
    expect(await hand.todo()).toEqual([]);
  });

  it('is postponed after twelve internal errors, and is still due', async () => {
    write(message('a', 1));
    const hand = await hire();
    await hand.page();
    context.service.bend = () => ({ status: 500, body: { error: 'oops' } });
    for (let n = 0; n < 11; n++) await expect(hand.read(1)).rejects.toMatchObject({ type: 'HTTP_500' });
    await hand.read(1);
    expect((await hand.conversation(1))['due']).toBeGreaterThan(600);
    context.service.bend = () => null;
    await hand.settle();
    expect(textsOf(await hand.published())).toEqual(['a']);
  });

  it.each([
    [401, { code: 'ERR_TOKEN_EXPIRED' }, 'ERR_TOKEN_EXPIRED'],
    [403, { code: 'ERR_SCOPE_MISSING', requiredScope: 'messages:read' }, 'ERR_SCOPE_MISSING'],
    [403, {}, 'FORBIDDEN'],
    [404, {}, 'HTTP_404'],
  ])('blocks the poller when the account is refused: %i %j', async (status, body, type) => {
    write(message('a', 1));
    const hand = await hire();
    await hand.page();
    context.service.bend = () => ({ status, body: { error: 'no', ...body } });
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
    expect(context.service.asked).toEqual([]);
  });
});
