// Batches of the outbox: what one conversation's trouble means for others, and what a sink's own trouble does.
import { MockActivityEnvironment } from '@temporalio/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Sink, SinkError } from '../../../../src/connectors/sinks/sink.ts';
import { dueEvents } from '../../../../src/jobs/outbox/store/due.ts';
import { claimSink } from '../../../../src/jobs/outbox/store/states.ts';
import { emptyLedger, testLedger } from '../../../support/postgres/ledger.ts';
import {
  BUSY,
  DOWN,
  logger,
  memorySink,
  outboxContext,
  published,
  put,
  REFUSED,
  START,
} from './outbox-context.ts';

const db = await testLedger();
beforeEach(() => emptyLedger(db));

const HOUR = 3_600_000;
const many = (count: number, streams: number) =>
  Array.from({ length: count }, (_, n) => published(n % streams, n));
const rows = () =>
  db.query<{ event_id: string; state: string; attempts: number; code: string | null }>(
    'select event_id, state, attempts, code from outbox order by seq',
  );
const attempts = async () => (await rows()).map((row) => row.attempts);
const state = async () => (await db.query('select * from sink_states'))[0];

describe('a batch', () => {
  it('sends waiting events in order, and leaves none', async () => {
    const bus = memorySink();
    const context = outboxContext(db, { bus });
    const events = many(300, 7);
    await put(db, ['bus'], events);
    expect(await context.runBatch('bus')).toEqual({ sent: 300, nextMs: null });
    expect(bus.ids).toEqual(events.map(({ id }) => id));
    expect(await rows()).toEqual([]);
    expect(await state()).toMatchObject({ sent: 300, failures: 0, claimed_by: null, code: null });
  });

  it('ignores events of another sink', async () => {
    const [bus, hooks] = [memorySink(), memorySink()];
    const context = outboxContext(db, { bus, hooks });
    await put(db, ['bus', 'hooks'], many(3, 1));
    expect(await context.runBatch('hooks')).toEqual({ sent: 3, nextMs: null });
    expect([bus.ids.length, hooks.ids.length]).toEqual([0, 3]);
  });

  it('takes a large event alone, and none out of order', async () => {
    await put(
      db,
      ['bus'],
      [published(1, 1), published(1, 2, { size: 5000 }), published(2, 3), published(2, 4)],
    );
    const taken = async () => {
      const { due } = await dueEvents(db, 'bus', new Date(START), { events: 200, size: 1500 });
      await db.query('delete from outbox where seq = any($1)', [due.map(({ seq }) => seq)]);
      return due.map(({ event }) => event.id);
    };
    // Repetition is stored compressed: five thousand characters are a few hundred bytes more.
    const batches = [await taken(), await taken(), await taken()];
    expect(batches.flat()).toEqual(['acme/1/1', 'acme/1/2', 'acme/2/3', 'acme/2/4']);
    expect(batches[0]?.length).toBeLessThan(4);
  });

  it('of a leased sink sends nothing, and checks again when the lease must have expired', async () => {
    const bus = memorySink();
    const context = outboxContext(db, { bus });
    await put(db, ['bus'], many(1, 1));
    await claimSink(db, 'bus', 'another', new Date(START), 15_000);
    expect(await context.runBatch('bus')).toEqual({ sent: 0, nextMs: 15_000 });
    context.now += 15_000;
    expect(await context.runBatch('bus')).toEqual({ sent: 1, nextMs: null });
    await claimSink(db, 'bus', 'with a clock that was far ahead', new Date(START + HOUR), 15_000);
    await put(db, ['bus'], many(1, 1));
    expect(await context.runBatch('bus')).toMatchObject({ sent: 1 });
  });

  it('that has lost its sink to another batch stops after the current group', async () => {
    const bus = memorySink();
    const context = outboxContext(db, { bus });
    await put(db, ['bus'], many(60, 1));
    const { send } = bus;
    bus.send = async (events, options) => {
      await db.query('update sink_states set claimed_by = $1, claimed_until = $2', [
        'another',
        new Date(START + 10_000),
      ]);
      return await send(events, options);
    };
    expect(await context.runBatch('bus')).toEqual({ sent: 50, nextMs: 1000 });
    expect(await state()).toMatchObject({ claimed_by: 'another' });
  });

  it('sends events that another batch postponed, once the failed event has arrived', async () => {
    const bus = memorySink();
    const context = outboxContext(db, { bus }, { retry: { bus: [HOUR] } });
    await put(db, ['bus'], [published(1, 1)]);
    const { send } = bus;
    bus.send = async (events, options) => {
      if (bus.ids.length === 0) {
        await db.query(`update outbox set attempts = 1, next_at = $1`, [new Date(START + HOUR)]);
        await put(db, ['bus'], [published(1, 2)]);
        await dueEvents(db, 'bus', new Date(START), { events: 9, size: 1e6 });
        expect(await db.query('select 1 from outbox where next_at is not null')).toHaveLength(2);
      }
      return await send(events, options);
    };
    expect(await context.runBatch('bus')).toEqual({ sent: 2, nextMs: null });
  });

  it('that is cancelled records what was sent, and counts no failure for the rest', async () => {
    const environment = new MockActivityEnvironment({}, { logger });
    const bus: Sink = {
      async send(events, { signal }) {
        environment.cancel();
        const over = new Promise((done) => signal.addEventListener('abort', done, { once: true }));
        if (!signal.aborted) await over;
        const error = new SinkError('GIVEN_UP', 'given up', { retryable: true });
        return events.map((_, n) =>
          n === 0 ? { state: 'sent' } : n === 1 ? { state: 'failed', error } : { state: 'skipped' },
        );
      },
      close: async () => undefined,
    };
    const context = outboxContext(db, { bus });
    await put(db, ['bus'], many(4, 4));
    expect(await environment.run(context.activities.outboxBatch, { sink: 'bus' })).toMatchObject({ sent: 1 });
    expect(await attempts()).toEqual([0, 0, 0]);
    expect(await state()).toMatchObject({ failures: 0, open_until: null });
  });
});

describe('an event that fails by itself', () => {
  it('blocks only its own conversation until it is sent', async () => {
    let busy = true;
    const bus = memorySink((event) => (busy && event.id === 'acme/1/1' ? BUSY : null));
    const context = outboxContext(db, { bus });
    await put(db, ['bus'], many(9, 3));
    expect(await context.runBatch('bus')).toEqual({ sent: 6, nextMs: 1000 });
    expect(bus.ids.filter((id) => id.startsWith('acme/1/'))).toEqual([]);
    await put(db, ['bus'], [published(1, 10), published(2, 11)]);
    expect(await context.runBatch('bus')).toEqual({ sent: 1, nextMs: 1000 });
    busy = false;
    context.now += 1000;
    expect(await context.runBatch('bus')).toEqual({ sent: 4, nextMs: null });
    expect(bus.ids.slice(-4)).toEqual(['acme/1/1', 'acme/1/4', 'acme/1/7', 'acme/1/10']);
  });

  it('is dead when it is refused permanently, and the events after it continue at once', async () => {
    const bus = memorySink((event) => (event.id === 'acme/1/1' ? REFUSED : null));
    const context = outboxContext(db, { bus });
    await put(db, ['bus'], many(6, 2));
    expect(await context.runBatch('bus')).toEqual({ sent: 5, nextMs: null });
    expect(await rows()).toEqual([{ event_id: 'acme/1/1', state: 'dead', attempts: 1, code: 'REFUSED' }]);
    expect(context.logged).toMatchObject([
      { level: 'warn', fields: { sink: 'bus', dead: 1, code: 'REFUSED' } },
    ]);
  });

  it('is dead after the last configured wait, and the events after it continue', async () => {
    const hooks = memorySink((event) => (event.id === 'acme/0/0' ? BUSY : null));
    const context = outboxContext(db, { hooks }, { retry: { hooks: [5000, 60_000] } });
    await put(db, ['hooks'], many(2, 1));
    expect(await context.runBatch('hooks')).toEqual({ sent: 0, nextMs: 5000 });
    context.now += 5000;
    expect(await context.runBatch('hooks')).toEqual({ sent: 0, nextMs: 60_000 });
    context.now += 60_000;
    expect(await context.runBatch('hooks')).toEqual({ sent: 1, nextMs: null });
    expect(await rows()).toMatchObject([{ event_id: 'acme/0/0', state: 'dead', attempts: 3 }]);
  });
});

describe('a sink in trouble', () => {
  it('gets one probe at a time, ever more rarely; then everything that waited is sent at once', async () => {
    let handed = 0;
    const bus = memorySink(() => (handed++, DOWN));
    const context = outboxContext(db, { bus });
    const events = many(12, 4);
    await put(db, ['bus'], events.slice(0, 1));
    expect(await context.runBatch('bus')).toEqual({ sent: 0, nextMs: 5000 });
    await put(db, ['bus'], events.slice(1));
    expect(await context.runBatch('bus')).toEqual({ sent: 0, nextMs: 5000 });
    expect(handed).toBe(1);
    for (const wait of [10_000, 20_000, 40_000, 80_000]) {
      context.now += wait / 2;
      expect(await context.runBatch('bus')).toEqual({ sent: 0, nextMs: wait });
    }
    expect(handed).toBe(5);
    // Each probe takes one that was tried least: nobody is used up.
    expect(await attempts()).toEqual([2, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
    bus.rule = () => null;
    context.now += 80_000;
    expect(await context.runBatch('bus')).toEqual({ sent: 12, nextMs: null });
    for (const stream of [0, 1, 2, 3])
      expect(bus.ids.filter((id) => id.startsWith(`acme/${stream}/`))).toEqual(
        events.flatMap(({ id, partitionkey }) => (partitionkey === `acme/${stream}` ? [id] : [])),
      );
    expect(await state()).toMatchObject({ failures: 0, open_until: null, code: null });
    expect(context.logged.map(({ level, message }) => [level, message])).toEqual([
      ['warn', 'Sluice stops sending to the sink for a while: nobody answers'],
      ['info', 'the sink accepts events again'],
    ]);
  });

  it('is found to be back before the events are due again, without counting an attempt', async () => {
    const hooks = memorySink(() => DOWN);
    const context = outboxContext(db, { hooks }, { retry: { hooks: [HOUR] } });
    await put(db, ['hooks'], many(6, 6));
    expect(await context.runBatch('hooks')).toEqual({ sent: 0, nextMs: 5000 });
    context.now += 5000;
    expect(await context.runBatch('hooks')).toEqual({ sent: 0, nextMs: 10_000 });
    expect(await attempts()).toEqual([1, 1, 1, 1, 1, 1]);
    expect((await rows()).every(({ state }) => state === 'waiting')).toBe(true);
    hooks.rule = () => null;
    context.now += 10_000;
    expect(await context.runBatch('hooks')).toEqual({ sent: 6, nextMs: null });
  });

  it('that asks for a pause gets it at once', async () => {
    const asks = new SinkError('HTTP_429', 'slow down', {
      retryable: true,
      sinkWide: true,
      retryAfterMs: 90_000,
    });
    const hooks = memorySink(() => asks);
    const context = outboxContext(db, { hooks }, { retry: { hooks: [1000] } });
    await put(db, ['hooks'], many(1, 1));
    expect(await context.runBatch('hooks')).toEqual({ sent: 0, nextMs: 90_000 });
  });

  it('does not keep another sink waiting', async () => {
    let begin: (() => void) | undefined;
    const begun = new Promise<void>((done) => {
      begin = done;
    });
    const hanging: Sink = {
      send: () => {
        begin?.();
        return new Promise(() => undefined);
      },
      close: async () => undefined,
    };
    const bus = memorySink();
    const context = outboxContext(db, { hanging, bus }, { graceMs: 1 });
    await put(db, ['hanging', 'bus'], many(50, 5));
    const environment = new MockActivityEnvironment({}, { logger });
    const stuck = environment.run(context.activities.outboxBatch, { sink: 'hanging' });
    await begun;
    expect(await context.runBatch('bus')).toEqual({ sent: 50, nextMs: null });
    environment.cancel();
    expect(await stuck).toMatchObject({ sent: 0 });
  });
});
