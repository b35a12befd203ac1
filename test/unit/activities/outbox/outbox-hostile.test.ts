// Sinks that break their word: the outbox goes on around them, and never in a hot loop.

import { beforeEach, describe, expect, it } from 'vitest';
import { type Sent, type Sink, SinkError } from '../../../../src/connectors/sinks/sink.ts';
import { describeSinks } from '../../../../src/jobs/outbox/store/queries.ts';
import { emptyLedger, testLedger } from '../../../support/postgres/ledger.ts';
import { memorySink, outboxContext, published, put } from './outbox-context.ts';

const db = await testLedger();
beforeEach(() => emptyLedger(db));

const many = (count: number, streams: number) =>
  Array.from({ length: count }, (_, n) => published(n % streams, n));
const close = async () => undefined;
const left = () =>
  db.query<{ event_id: string; state: string; attempts: number; code: string | null }>(
    'select event_id, state, attempts, code, reason from outbox order by seq',
  );
const state = async () => (await db.query('select * from sink_states'))[0];
const SENT: Sent = { state: 'sent' };
const each = (count: number, answer: unknown) => Array.from({ length: count }, () => answer);

describe('a sink that', () => {
  it('throws for one event among many: its conversation waits, the others arrive', async () => {
    const ids = new Set<string>();
    const bus: Sink = {
      async send(events) {
        if (events.some(({ id }) => id === 'acme/1/7'))
          throw new TypeError('cannot read "João" of undefined');
        for (const { id } of events) ids.add(id);
        return events.map(() => SENT);
      },
      close,
    };
    const context = outboxContext(db, { bus });
    await put(db, ['bus'], many(30, 3));
    expect(await context.runBatch('bus')).toEqual({ sent: 22, nextMs: 1000 });
    const rows = await left();
    expect(rows[0]).toMatchObject({
      event_id: 'acme/1/7',
      attempts: 1,
      code: 'SINK_FAULT',
      state: 'waiting',
    });
    expect(
      rows.slice(1).every(({ event_id, attempts }) => event_id.startsWith('acme/1/') && attempts === 0),
    ).toBe(true);
    expect(ids.size).toBe(22);
    // What it says may quote an event.
    expect(JSON.stringify([rows, context.logged, await state()])).not.toContain('João');
    context.now += 1000;
    expect(await context.runBatch('bus')).toEqual({ sent: 0, nextMs: 2000 });
  });

  it.each<[string, (count: number) => unknown]>([
    ['answers for fewer events than it was given', (count) => each(count - 1, SENT)],
    ['answers for more', (count) => each(count + 1, SENT)],
    ['answers nothing at all', () => undefined],
    ['answers what nobody understands', (count) => each(count, { state: 'perhaps' })],
    ['answers with holes', (count) => each(count, null)],
    ['leaves everything undone', (count) => each(count, { state: 'skipped' })],
  ])('%s: each event waits for its next attempt', async (_, answer) => {
    let calls = 0;
    const bus = {
      send: async (events: readonly unknown[]) => (calls++, answer(events.length)),
      close,
    } as Sink;
    const context = outboxContext(db, { bus });
    await put(db, ['bus'], many(4, 2));
    expect(await context.runBatch('bus')).toEqual({ sent: 0, nextMs: 1000 });
    expect((await left()).map(({ attempts, code }) => [attempts, code])).toEqual([
      [1, 'SINK_FAULT'],
      [1, 'SINK_FAULT'],
      [0, null],
      [0, null],
    ]);
    expect(calls).toBe(3);
  });

  it.each<[string, unknown]>([
    ['a string', 'broken'],
    ['nothing', undefined],
    ['an error of no kind', new RangeError('x')],
  ])('answers with %s for an error: the event waits', async (_, error) => {
    const bus = memorySink();
    bus.send = async (events) => events.map(() => ({ state: 'failed', error: error as SinkError }));
    const context = outboxContext(db, { bus });
    await put(db, ['bus'], many(1, 1));
    expect(await context.runBatch('bus')).toEqual({ sent: 0, nextMs: 1000 });
    expect(await left()).toMatchObject([{ code: 'SINK_FAULT', attempts: 1 }]);
  });

  it.each([
    ['does not hear that it is to give up', false],
    ['gives up when it is asked to', true],
  ])('hangs and %s: the circuit opens, and one event is the probe', async (_, hears) => {
    const bus: Sink = {
      send: (events, { signal }) =>
        new Promise((done) => {
          if (!hears) return;
          const error = new SinkError('GIVEN_UP', 'given up', { retryable: true });
          const end = () =>
            done(events.map((_, n) => (n === 0 ? { state: 'failed', error } : { state: 'skipped' })));
          signal.addEventListener('abort', end, { once: true });
        }),
      close,
    };
    const context = outboxContext(db, { bus }, { deadlineMs: 20, graceMs: 20 });
    await put(db, ['bus'], many(3, 3));
    expect(await context.runBatch('bus')).toEqual({ sent: 0, nextMs: 5000 });
    expect((await left()).map(({ attempts, code }) => [attempts, code])).toEqual([
      [1, 'DEADLINE'],
      [0, null],
      [0, null],
    ]);
    expect(await state()).toMatchObject({ code: 'DEADLINE', failures: 1, claimed_by: null });
  });

  it('is slow and is interrupted: sent events stay sent, the others are retried, and the circuit stays closed', async () => {
    const bus: Sink = {
      send: (events, { signal }) =>
        new Promise((done) => {
          const error = new SinkError('GIVEN_UP', 'given up', { retryable: true });
          const end = () =>
            done(
              events.map((_, n) =>
                n === 0 ? SENT : n === 1 ? { state: 'failed', error } : { state: 'skipped' },
              ),
            );
          signal.addEventListener('abort', end, { once: true });
        }),
      close,
    };
    const context = outboxContext(db, { bus }, { deadlineMs: 20, takeMs: 1 });
    await put(db, ['bus'], many(3, 3));
    expect(await context.runBatch('bus')).toEqual({ sent: 1, nextMs: 0 });
    expect((await left()).map(({ attempts, code }) => [attempts, code])).toEqual([
      [1, 'DEADLINE'],
      [0, null],
    ]);
    expect(await state()).toMatchObject({ open_until: null });
  });

  it('is closed during the batch: no event fails, and the next batch waits', async () => {
    const bus = memorySink(() => new SinkError('CLOSED', 'closed', { retryable: true }));
    const context = outboxContext(db, { bus });
    await put(db, ['bus'], many(3, 3));
    expect(await context.runBatch('bus')).toEqual({ sent: 0, nextMs: 5000 });
    expect((await left()).map(({ attempts }) => attempts)).toEqual([0, 0, 0]);
  });

  it('is no longer configured: its events wait, the status says why, and all continue when it is back', async () => {
    const bus = memorySink();
    const sinks: Record<string, Sink> = {};
    const context = outboxContext(db, sinks);
    expect(await context.runBatch('bus')).toEqual({ sent: 0, nextMs: null });
    await put(db, ['bus'], many(3, 3));
    expect(await context.runBatch('bus')).toEqual({ sent: 0, nextMs: 60_000 });
    expect(await describeSinks(db, ['bus'])).toMatchObject([
      {
        sink: 'bus',
        code: 'NO_SINK',
        reason: 'there is no sink "bus" in sluice.yaml',
        waiting: 3,
        circuit: 'closed',
      },
    ]);
    sinks.bus = bus;
    expect(await context.runBatch('bus')).toEqual({ sent: 3, nextMs: null });
    expect(await describeSinks(db, ['bus'])).toMatchObject([
      { sink: 'bus', code: null, reason: null, waiting: 0, lagSeconds: null, sent: 3 },
    ]);
  });
});
