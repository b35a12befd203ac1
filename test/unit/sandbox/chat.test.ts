// Conversations and messages on their own: progress and windows under an injected clock, order under any updates.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHOICES } from '../../../src/sandbox/choices.ts';
import { idempotencyKey, resolvePath } from '../../../src/sandbox/hooks/mapping.ts';
import { BackgroundQueue } from '../../../src/sandbox/hooks/queue.ts';
import { humanService, isWindowOpen } from '../../../src/sandbox/rules/conversations.ts';
import { deliveryOf } from '../../../src/sandbox/rules/delivery.ts';
import { Account } from '../../../src/sandbox/state/account.ts';
import type { Conversation } from '../../../src/sandbox/state/model.ts';

const START = 1_700_000_000_000;
const conversation = (id: number, more: Partial<Conversation> = {}): Conversation => ({
  id,
  contactId: 1,
  connectionId: 1,
  status: 'open',
  chatbot: false,
  userId: null,
  queueId: null,
  createdAt: START,
  updatedAt: START,
  ...more,
});

describe('progress of a message', () => {
  const at = (ms: number, fate?: 'failed' | 'blocked') =>
    deliveryOf({ fromMe: true, at: START, ...(fate === undefined ? {} : { fate }) }, START + ms, CHOICES);

  it.each([
    [0, undefined, 'queued', 0],
    [499, undefined, 'queued', 0],
    [500, undefined, 'sent', 1],
    [1_000, undefined, 'server_ack', 2],
    [2_999, undefined, 'server_ack', 2],
    [3_000, undefined, 'delivered', 3],
    [29_999, undefined, 'delivered', 3],
    [30_000, undefined, 'read', 4],
    [2_999, 'failed', 'server_ack', 2],
    [3_000, 'failed', 'failed', 5],
    [1e12, 'failed', 'failed', 5],
    [1e12, 'blocked', 'queued', 0],
    [-1, undefined, 'queued', 0],
  ] as const)('after %i ms with fate %s: %s', (ms, fate, status, ack) => {
    expect(at(ms, fate)).toEqual({ status, ack });
  });

  it('never steps back as the clock advances, and a message of the contact keeps its status', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(undefined, 'failed' as const, 'blocked' as const),
        fc.array(fc.integer({ min: 0, max: 20_000 })),
        (fate, waits) => {
          let now = 0;
          let last = 0;
          for (const wait of waits) {
            now += wait;
            const { ack } = at(now, fate);
            expect(ack).toBeGreaterThanOrEqual(last);
            last = ack;
            expect(deliveryOf({ fromMe: false, at: START }, START + now, CHOICES).status).toBe('received');
          }
        },
      ),
    );
  });
});

describe('the 24-hour window', () => {
  const HOUR = 3_600_000;
  it.each([
    ['no message at all', [], false],
    ['only ours', [[true, 1]], false],
    ['theirs 1 ms ago', [[false, 1]], true],
    ['theirs 1 ms short of 24 hours ago', [[false, 24 * HOUR - 1]], true],
    ['theirs 24 hours ago', [[false, 24 * HOUR]], false],
    [
      'theirs long ago, ours now',
      [
        [false, 25 * HOUR],
        [true, 0],
      ],
      false,
    ],
    [
      'theirs long ago and again lately',
      [
        [false, 90 * HOUR],
        [true, 30 * HOUR],
        [false, HOUR],
        [true, 0],
      ],
      true,
    ],
  ] as const)('%s', (_name, messages, open) => {
    const account = new Account('a');
    account.put('conversation', conversation(1));
    for (const [index, [fromMe, age]] of messages.entries()) {
      account.put('message', { id: `m${index}`, conversationId: 1, body: '', fromMe, at: START - age });
    }
    expect(isWindowOpen(account, 1, START)).toBe(open);
  });
});

it('human service is an open conversation with a user and without the chatbot, that contact only', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          contactId: fc.integer({ min: 1, max: 2 }),
          status: fc.constantFrom('open' as const, 'pending' as const, 'closed' as const),
          chatbot: fc.boolean(),
          userId: fc.constantFrom(null, 1),
        }),
        { maxLength: 6 },
      ),
      (rows) => {
        const account = new Account('a');
        for (const [index, row] of rows.entries()) account.put('conversation', conversation(index + 1, row));
        const expected = rows.some(
          (row) => row.contactId === 1 && row.status === 'open' && !row.chatbot && row.userId !== null,
        );
        expect(humanService(account, 1) !== undefined).toBe(expected);
      },
    ),
  );
});

it('conversations stay in the order of their updates, whatever changes and whenever it is read', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          id: fc.integer({ min: 1, max: 8 }),
          contactId: fc.integer({ min: 1, max: 3 }),
          updatedAt: fc.integer({ min: 0, max: 5 }),
          read: fc.boolean(),
        }),
        { maxLength: 40 },
      ),
      (changes) => {
        const account = new Account('a');
        const model = new Map<number, Conversation>();
        for (const { id, contactId, updatedAt, read } of changes) {
          const row = conversation(id, { contactId, updatedAt });
          account.put('conversation', row);
          model.set(id, row);
          if (!read) continue;
          const sorted = [...model.values()].sort((a, b) => a.updatedAt - b.updatedAt || a.id - b.id);
          expect(account.conversationsByUpdate).toEqual(sorted);
          for (const contact of [1, 2, 3]) {
            const ids = account.conversationsOf(contact).map((each) => each.id);
            const mine = sorted.filter((each) => each.contactId === contact).map((each) => each.id);
            expect(ids).toEqual(mine.toSorted((a, b) => a - b));
          }
        }
      },
    ),
  );
});

describe('mapping of a webhook', () => {
  it.each([
    ['a.b', { a: { b: 1 } }, 1],
    ['a.1', { a: [0, 7] }, 7],
    ['a.b.c', { a: { b: 'text' } }, undefined],
    ['a', null, undefined],
    ['constructor.name', {}, undefined],
    ['__proto__.x', {}, undefined],
    ['a.length', { a: 'text' }, undefined],
    ['', { a: 1 }, undefined],
  ])('%s', (path, payload, value) => {
    expect(resolvePath(payload, path)).toBe(value);
  });

  it('an own key named __proto__ is a key like any other', () => {
    expect(resolvePath(JSON.parse('{"__proto__":{"x":1}}'), '__proto__.x')).toBe(1);
    expect(idempotencyKey({}, Object.create({ event_id: 'inherited' }))).toBe(null);
  });
});

describe('the background queue', () => {
  it('runs in order behind the caller; settled waits for what was added before it, and no longer', async () => {
    const queue = new BackgroundQueue();
    const done: number[] = [];
    const again = () => {
      done.push(0);
      queue.add(again);
    };
    for (const n of [1, 2, 3]) queue.add(() => void done.push(n));
    expect(done).toEqual([]);
    await queue.settled();
    expect(done).toEqual([1, 2, 3]);
    queue.add(again);
    await queue.settled();
    queue.stop();
    expect(done.slice(0, 4)).toEqual([1, 2, 3, 0]);
    const { length } = done;
    queue.add(() => void done.push(9));
    await new Promise((resolve) => setImmediate(resolve));
    expect(done).toHaveLength(length);
  });
});
