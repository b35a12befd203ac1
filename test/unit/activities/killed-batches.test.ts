// FAULTS 16: the process is killed at each statement of a batch in turn, and another one goes on.
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../../src/core/sql/database.ts';
import { dyingDatabase } from '../../support/postgres/dying-database.ts';
import { pollingContext } from './conversations/context.ts';
import { at, chat, message } from './conversations/service.ts';
import { environment, textsOf } from './conversations/support.ts';
import { openDeliveryContext, SECOND } from './events/delivery-context.ts';
import { memorySink, outboxContext, put, published as sinkEvent } from './outbox/outbox-context.ts';

/** Newer than the start of any poller. */
const LATER = Date.parse('2030-01-01T00:00:00.000Z') / 1000 - Date.parse(at(0)) / 1000;
/** A batch of these tests has fewer statements. */
const MOST = 200;

/** Calls `round` with one statement more each time, until it was not killed. */
async function eachStatement(
  db: Database,
  round: (db: Database, n: number) => Promise<unknown>,
): Promise<void> {
  for (let n = 1; ; n++) {
    expect(n).toBeLessThan(MOST);
    const dying = dyingDatabase(db, n);
    await round(dying, n).catch((error: unknown) => {
      if (!dying.dead) throw error;
    });
    if (!dying.dead) return;
  }
}

describe('a batch of polling', () => {
  const context = pollingContext();

  it('that is killed at any statement is continued: each message is published once, in order', async () => {
    const interval = { min: '1h', max: '1h' };
    const polling = { messagePageSize: 2, keep: 20 };
    const hand = await context.hire({ config: { interval, pageSize: 20 }, polling });
    context.service.date = new Date(at(LATER + 86_400));
    const written = new Map<number, string[]>([
      [1, []],
      [2, []],
    ]);
    const write = (conversation: number, text: string, seconds: number) => {
      written.get(conversation)?.push(text);
      const items = context.service.messages.get(conversation) ?? [];
      context.service.messages.set(conversation, [...items, message(text, seconds)]);
      const others = context.service.chats.filter(({ id }) => id !== conversation);
      context.service.chats = [
        ...others,
        chat(conversation, seconds, { createdAt: at(0), lastMessage: text }),
      ];
    };
    await eachStatement(context.db, async (db, n) => {
      const seconds = LATER + n * 10;
      // Two pages for one of them, and one for the other.
      for (const k of [1, 2, 3]) write(1, `a${n}.${k}`, seconds + k);
      write(2, `b${n}`, seconds + 5);
      const doomed = await context.hire({ db, config: { interval, pageSize: 20 }, polling });
      const ended = doomed.batch();
      await ended.catch(() => undefined);
      await hand.batch({}, environment(2));
      expect(await hand.todo()).toEqual([]);
      await ended;
    });
    const events = await hand.published();
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    for (const [conversation, texts] of written) expect(textsOf(events, conversation)).toEqual(texts);
    expect(await hand.gaps()).toEqual([]);
  });
});

describe('a batch of deliveries', async () => {
  const context = await openDeliveryContext();
  beforeEach(context.fresh);
  afterAll(context.close);

  it('that is killed at any statement is continued: each status is published, and the watch ends', async () => {
    await eachStatement(context.db, async (db) => {
      const sent = [await context.send(), await context.send()];
      context.clock.at += 61 * SECOND;
      const ended = context.batch(1, db);
      await ended.catch(() => undefined);
      await context.batch(2);
      for (const { id } of sent) {
        expect(await context.published(id)).toEqual(['read']);
        expect(await context.entry(id)).toMatchObject({ status: 'read', nextAt: null });
      }
      await ended;
    });
  });
});

describe('a batch of the outbox', () => {
  const polling = pollingContext();

  it('that is killed at any statement is continued: each event arrives, and each stream keeps its order', async () => {
    const { db } = polling;
    const bus = memorySink();
    const context = outboxContext(db, { bus });
    const expected: string[] = [];
    await eachStatement(db, async (dying, n) => {
      const events = [sinkEvent(1, 3 * n), sinkEvent(2, 3 * n + 1), sinkEvent(1, 3 * n + 2)];
      expected.push(...events.map(({ id }) => id));
      await put(db, ['bus'], events);
      const doomed = outboxContext(dying, { bus });
      doomed.now = context.now;
      const ended = doomed.runBatch('bus');
      await ended.catch(() => undefined);
      // The lease of the one that was killed is over.
      context.now += 20 * SECOND;
      await context.runBatch('bus');
      expect(await db.query(`select 1 from outbox where state = 'waiting'`)).toEqual([]);
      await ended;
    });
    const firsts = [...new Set(bus.ids)];
    for (const conversation of [1, 2]) {
      const ofStream = (ids: readonly string[]) => ids.filter((id) => id.startsWith(`acme/${conversation}/`));
      expect(ofStream(firsts)).toEqual(ofStream(expected));
    }
  });
});
