// What the bench of the poller counts: a mistake here would let a message that is lost pass as published.
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LoggedCall } from '../../../bench/support/log.ts';
import { balanceOf, delaysOf, perHour, spentOf } from '../../../bench/support/poll-count.ts';
import { type PublishedLine, tail } from '../../../bench/support/poll-tail.ts';
import { until } from '../../support/until.ts';

const T0 = Date.parse('2026-11-20T10:00:00.000Z');

function call(path: string, second: number, status = 200): LoggedCall {
  const at = new Date(T0 + second * 1000).toISOString();
  return { seq: second, at, tokenHash: 'x', method: 'GET', path, status };
}
const list = (second: number) => call('/v1/conversations', second);
const read = (second: number, conversation = 1) => call(`/v1/conversations/${conversation}/messages`, second);
const written = (id: string, second: number, conversation = 1) => ({
  id,
  conversation,
  at: T0 + second * 1000,
});

describe('the calls of a poller', () => {
  it.each([
    ['a message read once', [list(2), read(3)], [written('a', 1)], [1, 0, 1, 2]],
    ['two messages in one read', [list(2), read(3)], [written('a', 1), written('b', 2)], [1, 0, 1, 2]],
    ['a read that shows nothing new', [list(2), read(3), read(4)], [written('a', 1)], [1, 0, 1, 2]],
    ['a list before anybody wrote', [list(1), list(3), read(4)], [written('a', 2)], [1, 0, 1, 2]],
    ['a read of another conversation', [list(2), read(3, 2)], [written('a', 1)], [0, 0, 1, 0]],
    ['a message that no call came after', [list(1), read(1)], [written('a', 2)], [0, 0, 0, 0]],
    [
      'a call that was refused',
      [call('/v1/conversations', 2, 429), read(3)],
      [written('a', 1)],
      [1, 0, 0, 2],
    ],
    ['a call of another path', [call('/v1/tags', 2)], [], [0, 1, 0, 0]],
  ])('%s', (_, calls, messages, [readsWithNews, others, listsWithNews, fewest]) => {
    expect(spentOf(calls, messages)).toMatchObject({ readsWithNews, others, listsWithNews, fewest });
  });

  it('the fewest need a page of the list for a hundred reads', () => {
    const messages = Array.from({ length: 101 }, (_, i) => written(`m${i}`, 1, i + 1));
    const reads = messages.map(({ conversation }) => read(2, conversation));
    expect(spentOf(reads, messages).fewest).toBe(103);
  });

  it('an hour of calls is read off the distances between them', () => {
    expect(perHour([0, 30_000, 60_000])).toBe(120);
    expect(perHour([1])).toBeNaN();
  });
});

describe('what was published', () => {
  const line = (message: string, event = `e-${message}`, at = 5): PublishedLine => ({
    at,
    event,
    type: 'message.received',
    message,
    conversation: 1,
  });
  const none = { missing: 0, twice: 0, repeated: 0, unexpected: 0, disordered: 0 };
  const both = [written('a', 1), written('b', 2)];
  it.each([
    ['all of it, in order', [line('a'), line('b')], none],
    ['one not at all', [line('b')], { ...none, missing: 1 }],
    ['one again under the same id', [line('a'), line('b'), line('a')], { ...none, repeated: 1 }],
    ['one again under another id', [line('a'), line('b'), line('a', 'x')], { ...none, twice: 1 }],
    ['something nobody wrote', [line('a'), line('b'), line('c')], { ...none, unexpected: 1 }],
    ['the second before the first', [line('b'), line('a')], { ...none, disordered: 1 }],
    ['the second before a repeat of the first', [line('a'), line('b'), line('a')], { ...none, repeated: 1 }],
    [
      'an event without a message',
      [line('a'), line('b'), { ...line('a'), message: null }],
      { ...none, repeated: 1, unexpected: 1, twice: 0 },
    ],
  ])('%s', (_, lines, balance) => {
    expect(balanceOf(both, lines)).toEqual(balance);
  });

  it('its delay is that of its first line; what was not published has none', () => {
    const handed = new Map([
      ['a', 2],
      ['b', 2],
    ]);
    expect(delaysOf(handed, [line('a', 'e', 5), line('a', 'e', 9)])).toEqual([3]);
  });
});

it('a file is followed from before it is there, lines in pieces and lines that are no event included', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'sluice-tail-'));
  const file = join(dir, 'published.jsonl');
  const following = tail(file);
  try {
    const event = (id: string) =>
      JSON.stringify({
        id: `e-${id}`,
        type: 'message.received',
        source: '/sluice/accounts/a/conversations/7',
        data: { message: { id } },
      });
    await writeFile(file, `${event('a')}\n${event('ção').slice(0, 30)}`);
    await until('the first line was seen', () => following.lines.length === 1);
    await appendFile(file, `${event('ção').slice(30)}\nnull\n{"cut\n`);
    await until('all lines were seen', () => following.lines.length + following.broken.length === 4);
    expect(following.lines).toMatchObject([
      { event: 'e-a', type: 'message.received', message: 'a', conversation: 7 },
      { event: 'e-ção', message: 'ção', conversation: 7 },
    ]);
    expect(following.broken).toEqual(['null', '{"cut']);
    await appendFile(file, `${event('last')}\n`);
  } finally {
    await following.close();
    await rm(dir, { recursive: true, force: true });
  }
  expect(following.lines.at(-1)).toMatchObject({ event: 'e-last' });
});
