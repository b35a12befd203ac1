// One deadline from the arrival of a request to its answer. Whatever has not begun by then has no effect; what has begun
// is answered truthfully on repetition.
import type { Client } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../../../../src/core/sql/database.ts';
import { RouteConfig } from '../../../../../src/jobs/events/config.ts';
import type { EventDraft } from '../../../../../src/jobs/events/contract/intake.ts';
import { createAcceptance } from '../../../../../src/jobs/events/ingress/accept.ts';
import { ANSWER_MS, type Clock } from '../../../../../src/jobs/events/ingress/deadline.ts';
import { notAcceptedProblem } from '../../../../../src/jobs/events/ingress/http/answers.ts';
import type { Route } from '../../../../../src/jobs/events/ingress/intake.ts';
import { testLedger } from '../../../../support/postgres/ledger.ts';

const db = await testLedger();

const base = {
  account: 'acme',
  http: { path: '/leads', auth: { type: 'none' } },
  action: { type: 'tags', number: 'phone', defaultCountry: 'BR', add: ['vip'] },
};
const routeOf = (over: object): Route => ({
  name: 'leads',
  config: RouteConfig.parse({ ...base, ...over }),
  read: () => Promise.reject(new Error('not used here')),
});
const ROUTES = {
  'without batch': routeOf({}),
  'with batch': routeOf({ batch: { max: 2, wait: '1ms' } }),
};

let seq = 0;
const event = (): EventDraft => {
  const id = `deadline-${Date.now()}-${seq++}`;
  const request: EventDraft['request'] = {
    type: 'tags',
    number: '5511987654321',
    key: '5511987654321',
    add: ['vip'],
    remove: [],
  };
  return { id, account: 'acme', route: 'leads', subject: `person/${id}`, rank: null, request };
};

function fakeClock() {
  let ms = 0;
  const timers = new Set<{ readonly at: number; readonly fire: () => void }>();
  const clock: Clock = {
    now: () => ms,
    after(delay, then) {
      const timer = { at: ms + delay, fire: then };
      timers.add(timer);
      return () => timers.delete(timer);
    },
  };
  return {
    clock,
    waiting: () => timers.size,
    advance(by: number) {
      ms += by;
      for (const timer of timers) {
        if (timer.at > ms) continue;
        timers.delete(timer);
        timer.fire();
      }
    },
  };
}

/** Holds calls until it is opened. */
function createGate(isClosed: boolean) {
  const opened = Promise.withResolvers<void>();
  let held = 0;
  let notify: { readonly count: number; readonly resolve: () => void } | null = null;
  if (!isClosed) opened.resolve();
  return {
    open: opened.resolve,
    async pass() {
      held++;
      if (notify !== null && held >= notify.count) notify.resolve();
      await opened.promise;
    },
    /** Resolves once this many calls have arrived. */
    holds: (count: number) =>
      new Promise<void>((resolve) => {
        notify = { count, resolve };
        if (held >= count) resolve();
      }),
  };
}

const PLACES = {
  'capacity check': /select account, count/,
  'ledger write': /insert into events/,
  start: null,
  mark: /set state = 'accepted'/,
};
type Place = keyof typeof PLACES;

/** An acceptance that stops at one place of an event's way. */
function heldAt(place: Place | null) {
  const gate = createGate(place !== null);
  const time = fakeClock();
  const started: string[] = [];
  const pattern = place === null ? null : PLACES[place];
  const held: Database = {
    ...db,
    async query<Row>(sql: string, params?: readonly unknown[]) {
      if (pattern?.test(sql)) await gate.pass();
      return await db.query<Row>(sql, params);
    },
  };
  const client = {
    options: { namespace: 'default' },
    connection: { withDeadline: (_: number, call: () => Promise<unknown>) => call() },
    workflow: {
      async start(_: string, { args: [{ events }] }: { args: [{ events: string[] }] }) {
        if (place === 'start') await gate.pass();
        started.push(...events);
      },
    },
  } as unknown as Client;
  const acceptance = createAcceptance({
    client,
    db: held,
    taskQueue: 'q',
    maxOpen: 1_000_000,
    maxDelayMs: 1e9,
    callsPerMinute: () => 120,
    specOf: () => ({ account: 'acme', sync: 'r-leads' }) as never,
    clock: time.clock,
  });
  return { acceptance, started, gate, time };
}

describe.each(Object.entries(ROUTES))('a sender of a route %s', (_, route) => {
  it.each(['capacity check', 'ledger write'] as const)(
    'is refused at the deadline while the %s hangs, and nothing begins afterwards',
    async (place) => {
      const { acceptance, started, gate, time } = heldAt(place);
      const lead = event();
      const answer = acceptance.accept(route, [lead]);
      await gate.holds(1);
      time.advance(ANSWER_MS);
      await expect(answer).rejects.toMatchObject({ why: 'BUSY', mayTakeEffect: false });
      gate.open();
      await acceptance.close();
      expect(started).toEqual([]);

      const { acceptance: next, started: later } = heldAt(null);
      expect(await next.accept(route, [lead])).toEqual([{ id: lead.id, duplicate: false }]);
      expect(later).toEqual([lead.id]);
      await next.close();
    },
  );

  it.each(['start', 'mark'] as const)(
    'is refused at the deadline while the %s hangs, and learns the truth on repetition',
    async (place) => {
      const { acceptance, started, gate, time } = heldAt(place);
      const lead = event();
      const answer = acceptance.accept(route, [lead]);
      await gate.holds(1);
      time.advance(ANSWER_MS);
      await expect(answer).rejects.toMatchObject({ why: 'BUSY', mayTakeEffect: true });
      const again = acceptance.accept(route, [lead]);
      gate.open();
      expect(await again).toEqual([{ id: lead.id, duplicate: true }]);
      expect(await acceptance.accept(route, [lead])).toEqual([{ id: lead.id, duplicate: true }]);
      expect(started).toEqual([lead.id]);
      await acceptance.close();
    },
  );

  it('who waits behind other starts is withdrawn at the deadline; those that are in progress take effect', async () => {
    const { acceptance, started, gate, time } = heldAt('start');
    // 16 starts, or 4 groups of 2.
    const [inProgress, size] = route.config.batch === undefined ? [16, 1] : [4, 2];
    const first = Array.from({ length: inProgress * size }, event);
    const asked = first.map((lead) => acceptance.accept(route, [lead]));
    await gate.holds(inProgress);
    const lead = event();
    const answer = acceptance.accept(route, [lead]);
    time.advance(ANSWER_MS);
    await expect(answer).rejects.toMatchObject({ why: 'BUSY', mayTakeEffect: false });
    for (const each of await Promise.allSettled(asked))
      expect(each).toMatchObject({ status: 'rejected', reason: { mayTakeEffect: true } });
    gate.open();
    await acceptance.close();
    expect(started.toSorted()).toEqual(first.map(({ id }) => id).toSorted());
  });

  it('has its time from the arrival of the request', async () => {
    const { acceptance, gate, time } = heldAt('ledger write');
    time.advance(10_000);
    const answer = acceptance.accept(route, [event()], { arrivedAt: 8000 });
    await gate.holds(1);
    time.advance(ANSWER_MS - 2000);
    await expect(answer).rejects.toMatchObject({ why: 'BUSY' });
    gate.open();
    await acceptance.close();
  });

  it('that is Kafka has no deadline', async () => {
    const { acceptance, gate, time } = heldAt('start');
    const lead = event();
    const answer = acceptance.accept(route, [lead], { waits: true });
    await gate.holds(1);
    expect(time.waiting()).toBe(0);
    time.advance(10 * ANSWER_MS);
    gate.open();
    expect(await answer).toEqual([{ id: lead.id, duplicate: false }]);
    await acceptance.close();
  });

  it('who has an answer leaves no timer behind', async () => {
    const { acceptance, time } = heldAt(null);
    await acceptance.accept(route, [event()]);
    expect(time.waiting()).toBe(0);
    await acceptance.close();
  });
});

describe('a group', () => {
  it('is started for those whose time is not over, and only they have an effect', async () => {
    const { acceptance, started, gate, time } = heldAt('ledger write');
    const route = routeOf({ batch: { max: 2, wait: '1ms' } });
    const [early, late] = [event(), event()];
    time.advance(2000);
    const first = acceptance.accept(route, [early], { arrivedAt: 0 });
    const second = acceptance.accept(route, [late]);
    await gate.holds(1);
    time.advance(ANSWER_MS - 2000);
    await expect(first).rejects.toMatchObject({ mayTakeEffect: false });
    gate.open();
    expect(await second).toEqual([{ id: late.id, duplicate: false }]);
    expect(started).toEqual([late.id]);
    expect(await acceptance.accept(route, [early])).toEqual([{ id: early.id, duplicate: false }]);
    await acceptance.close();
  });

  it('of a delivery that is longer than `max` continues on repetition where the deadline stopped it', async () => {
    const { acceptance, started, gate, time } = heldAt('start');
    const route = routeOf({ batch: { max: 2, wait: '1ms' } });
    const leads = Array.from({ length: 4 }, event);
    const answer = acceptance.accept(route, leads);
    await gate.holds(1);
    time.advance(ANSWER_MS);
    await expect(answer).rejects.toMatchObject({ mayTakeEffect: true });
    gate.open();
    await acceptance.close();
    const ids = leads.map(({ id }) => id);
    expect(started).toEqual(ids.slice(0, 2));
    // Whose deadline has passed is not written down any more.
    expect(await db.query('select 1 from events where id = any($1)', [ids])).toHaveLength(2);

    const { acceptance: next, started: later } = heldAt(null);
    const again = await next.accept(route, leads);
    expect(again.map(({ duplicate }) => duplicate)).toEqual([true, true, false, false]);
    expect(later).toEqual(ids.slice(2));
    await next.close();
  });
});

it('the answer says whether an event may take effect, and that it can be sent again', async () => {
  const { acceptance, gate, time } = heldAt('start');
  const answer = acceptance.accept(ROUTES['without batch'], [event()]);
  await gate.holds(1);
  time.advance(ANSWER_MS);
  const problem = notAcceptedProblem(
    await answer.then(
      () => expect.fail('accepted'),
      (error) => error,
    ),
  );
  expect(problem).toMatchObject({
    status: 503,
    code: 'BUSY',
    headers: { 'Retry-After': '1' },
    message: expect.stringMatching(/may still take effect; send it again/),
  });
  gate.open();
  await acceptance.close();
});
