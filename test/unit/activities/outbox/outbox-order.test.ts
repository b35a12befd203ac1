// Whatever happens on the way: each event arrives or is dead, and those of a stream first arrive in their order.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Sent, Sink, SinkError } from '../../../../src/connectors/sinks/sink.ts';
import type { Database } from '../../../../src/core/sql/database.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';
import { BUSY, DOWN, outboxContext, published, put, REFUSED } from './outbox-context.ts';

const db = await testLedger();

const command = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('put' as const),
      streams: fc.array(fc.nat(3), { minLength: 1, maxLength: 9 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('batch' as const, 'two' as const, 'crash' as const) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(900, 7000, 400_000) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('break' as const) }) },
);

/** Results of the next attempts, one after another; a permanently refused event always fails. */
const luck = fc.infiniteStream(
  fc.oneof(
    { weight: 8, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom(BUSY, DOWN) },
  ),
);

let runs = 0;

describe('the outbox', () => {
  it('loses nothing and keeps the order of each conversation through failures, crashes and double batches', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(command, { minLength: 3, maxLength: 14 }),
        luck,
        fc.func(fc.integer({ min: 0, max: 9 })),
        async (commands, chances, poison) => {
          const name = `bus${runs++}`;
          const arrived: string[] = [];
          let broken = false;
          let fine = false;
          const meets = (id: string): SinkError | null => {
            if (poison(id.slice(id.indexOf('/'))) === 0) return REFUSED;
            if (fine) return null;
            return broken ? DOWN : (chances.next().value ?? null);
          };
          const sink = scatteredSink((id) => {
            const error = meets(id);
            if (error === null) arrived.push(id);
            return error;
          });
          // No lease lasts: each batch takes the sink from the other.
          const context = outboxContext(db, { [name]: sink }, { leaseMs: 0 });
          let n = 0;
          const all: { id: string; stream: number }[] = [];
          for (const step of commands) {
            if (step.do === 'put') {
              const events = step.streams.map((stream) => published(stream, n++, { account: name }));
              all.push(...events.map(({ id }, at) => ({ id, stream: step.streams[at] as number })));
              await put(db, [name], events);
            } else if (step.do === 'wait') context.now += step.ms;
            else if (step.do === 'break') broken = !broken;
            else if (step.do === 'batch') await context.runBatch(name);
            else if (step.do === 'two') await Promise.all([context.runBatch(name), context.runBatch(name)]);
            else {
              const lost = outboxContext(dying(db), { [name]: sink }, { leaseMs: 0 });
              lost.now = context.now;
              await lost.runBatch(name).catch(() => undefined);
            }
          }
          fine = true;
          for (let next = { nextMs: 0 as number | null }, k = 0; next.nextMs !== null; k++) {
            expect(k).toBeLessThan(50);
            next = await context.runBatch(name);
            context.now += next.nextMs ?? 0;
          }
          const left = await db.query<{ event_id: string; state: string }>(
            'select event_id, state from outbox where sink = $1',
            [name],
          );
          const dead = new Set(left.map(({ event_id }) => event_id));
          expect(left.filter(({ state }) => state !== 'dead')).toEqual([]);
          const first = [...new Set(arrived)];
          expect(first.toSorted()).toEqual(all.flatMap(({ id }) => (dead.has(id) ? [] : [id])).toSorted());
          for (const stream of new Set(all.map(({ stream }) => stream))) {
            const resolveSinks = all.flatMap(({ id, stream: of }) =>
              of === stream && !dead.has(id) ? [id] : [],
            );
            expect(first.filter((id) => resolveSinks.includes(id))).toEqual(resolveSinks);
          }
        },
      ),
      { numRuns: 20 },
    );
  });
});

/** Lets other batches in between any two events. */
function scatteredSink(meets: (id: string) => SinkError | null): Sink {
  return {
    async send(events) {
      const stopped = new Set<string>();
      const sent: Sent[] = [];
      for (const event of events) {
        if (stopped.has(event.partitionkey)) {
          sent.push({ state: 'skipped' });
          continue;
        }
        await new Promise((later) => setImmediate(later));
        const error = meets(event.id);
        if (error?.retryable === true) stopped.add(event.partitionkey);
        sent.push(error === null ? { state: 'sent' } : { state: 'failed', error });
      }
      return sent;
    },
    close: async () => undefined,
  };
}

/** The process dies between the first sending and the word of it. */
function dying(db: Database): Database {
  let dead = false;
  return {
    ...db,
    async query(sql, params) {
      if (dead) throw new Error('died');
      return await db.query(sql, params);
    },
    async transaction() {
      dead = true;
      throw new Error('died');
    },
  };
}
