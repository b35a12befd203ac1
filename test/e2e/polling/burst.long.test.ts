// A burst of messages while two workers are killed: the sandbox shows what was written, and the sink's file shows what was
// published. A case that failed is repeated with its seed: `BURST_SEED=…`.
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { balanceOf } from '../../../bench/support/poll-count.ts';
import { type AccountState, writtenIn } from '../../../bench/support/poll-data.ts';
import { seeded } from '../../../bench/support/random.ts';
import { until } from '../../support/until.ts';
import { type BurstContext, openBurstContext } from './burst-context.ts';

const SEED = Number(process.env['BURST_SEED'] ?? 1);
const CONVERSATIONS = 300;
const MESSAGES = 1000;
/** Messages that are handed in at once. */
const AT_ONCE = 8;
/** From one kill to the other, at most. */
const MAX_PAUSE_MS = 1500;
/** The service's clock advances in steps of this many milliseconds, so messages and conversations share an instant. */
const TICK_MS = 20;
const TOKEN = 'svc_test_burst';
const BEFORE_AT = '2026-01-01T10:00:00.000Z';

const numberOf = (person: number) => `1415${2_000_000 + person}`;

function fixture(): object {
  const ids = Array.from({ length: CONVERSATIONS }, (_, n) => n + 1);
  return {
    accounts: [
      {
        id: 'acme',
        tokens: [{ value: TOKEN, scopes: ['conversations:read', 'messages:read'] }],
        connections: [{ id: 1, name: 'main', channel: 'waba', status: 'CONNECTED' }],
        contacts: ids.map((id) => ({ id, number: numberOf(id), name: `Person ${id}` })),
        conversations: ids.map((id) => ({
          id,
          contactId: id,
          connectionId: 1,
          status: 'open',
          updatedAt: BEFORE_AT,
          messages: [{ id: `before-${id}`, body: 'before', at: BEFORE_AT }],
        })),
      },
    ],
  };
}

/** Every fourth message says what others say too, in the same conversation as well. */
async function burst({ panel }: BurstContext, random: () => number): Promise<void> {
  let next = 0;
  const writer = async () => {
    while (next < MESSAGES) {
      const n = next++;
      const person = 1 + Math.floor(random() * CONVERSATIONS);
      const body = n % 4 === 0 ? 'ok' : `message ${n}`;
      await panel.inbound({ number: numberOf(person), body, connectionId: 1 });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, writer));
}

it(`of ${MESSAGES} messages in a burst, each is published in order and under one id, although two workers are killed`, async () => {
  const random = seeded(SEED);
  console.error(`BURST_SEED=${SEED}`);
  const context = await openBurstContext({
    fixture: fixture(),
    token: TOKEN,
    poller: { interval: { min: '500ms', max: '1s' } },
    sandbox: { now: () => new Date(Math.floor(Date.now() / TICK_MS) * TICK_MS) },
  });
  try {
    const [first, second] = await Promise.all([context.worker(), context.worker()]);
    await context.poll();
    const messages = () => context.published.lines.filter(({ type }) => type === 'message.received');
    const published = 1 + Math.floor(random() * 100);
    const pauseMs = random() * MAX_PAUSE_MS;
    const kills = (async () => {
      await until(`${published} messages are published`, () => messages().length >= published);
      await first.kill();
      // Whatever the other one is doing then.
      await delay(pauseMs);
      await second.kill();
      await context.worker();
    })();
    kills.catch(() => undefined);
    await burst(context, random);
    await kills;
    const written = writtenIn((await context.panel.account()) as unknown as AccountState);
    expect(written).toHaveLength(MESSAGES);
    // Temporal gives the work of the dead to the living only after 15 s.
    for (const part of [0.25, 0.5, 0.75, 1]) {
      await until(`${part * MESSAGES} messages are published`, () => {
        return new Set(messages().map(({ message }) => message)).size >= part * MESSAGES;
      });
    }
    await until('nothing is left to publish', async () => {
      const rest = await context.db.query(
        'select 1 from conversations where todo_at is not null union all select 1 from outbox',
      );
      return rest.length === 0;
    });
    expect(balanceOf(written, context.published.lines)).toMatchObject({
      missing: 0,
      twice: 0,
      unexpected: 0,
      disordered: 0,
    });
  } finally {
    await context.close();
  }
}, 120_000);
