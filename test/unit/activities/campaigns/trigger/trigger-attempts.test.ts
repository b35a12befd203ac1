// Attempts of one member that meet, die or come late, and people who take over: one flow at most, whatever the order.
import { CancelledFailure } from '@temporalio/common';
import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, LedgerError } from '../../../../../src/core/sql/database.ts';
import { until } from '../../../../support/until.ts';
import {
  activity,
  failureOf,
  openTriggerContext,
  type Person,
  type TriggerContext,
} from './trigger-context.ts';

const context = await openTriggerContext();
afterAll(context.close);
beforeEach(context.fresh);

const calls = () => context.calls();
const facts = (person: Person) => context.facts(person);
const TRIGGERED = { state: 'triggered', code: null, touches: 1, runs: 1 };

describe('FAULTS 46: a person takes over between the check and the call', () => {
  const retry = { humanService: { retryAfter: '2h', times: 2 } };
  const serve = (person: Person) =>
    context.panel.patch({
      conversations: [
        {
          id: 5000 + person.contact,
          contactId: person.contact,
          connectionId: 1,
          status: 'open',
          chatbot: false,
          userId: 1,
        },
      ],
    });

  it('is an outcome that names the conversation', async () => {
    const person = await context.waiting();
    await serve(person);
    expect(await context.step('triggerMember', person)).toEqual({ state: 'skipped', next: null });
    expect(await facts(person)).toEqual({ state: 'skipped', code: 'HUMAN_SERVICE', touches: 0, runs: 0 });
    expect(await context.rowOf(person)).toMatchObject({
      ticket_id: 5000 + person.contact,
      reason: `a person is serving them in conversation ${5000 + person.contact}`,
    });
  });

  it('is retried as often as configured, with the configured delay', async () => {
    const person = await context.waiting(retry);
    await serve(person);
    const began = context.clock.ms;
    try {
      for (const tries of [1, 2]) {
        expect(await context.step('triggerMember', person)).toEqual({ state: 'waiting', next: null });
        const notBefore = new Date(context.clock.ms + 2 * 3_600_000);
        expect(await context.rowOf(person)).toMatchObject({ tries, not_before: notBefore });
        await calls();
        expect(await context.step('triggerMember', person)).toMatchObject({
          state: 'waiting',
          left: 'member',
        });
        expect(await calls()).toBe(0);
        context.clock.ms += 2 * 3_600_000;
      }
      expect(await context.step('triggerMember', person)).toEqual({ state: 'skipped', next: null });
    } finally {
      context.clock.ms = began;
    }
    expect(await facts(person)).toEqual({ state: 'skipped', code: 'HUMAN_SERVICE', touches: 0, runs: 0 });
  });

  it('and is triggered once nobody serves them', async () => {
    const person = await context.waiting(retry);
    await context.refuseWith(409, 'ERR_TICKET_IN_HUMAN_SERVICE', { ticketId: 77 });
    await context.step('triggerMember', person);
    context.clock.ms += 2 * 3_600_000;
    try {
      expect(await context.step('triggerMember', person)).toEqual({ state: 'triggered', next: null });
    } finally {
      context.clock.ms -= 2 * 3_600_000;
    }
    expect(await facts(person)).toEqual(TRIGGERED);
  });
});

describe('concurrent attempts', () => {
  it('FAULTS 17: six concurrent attempts trigger one flow', async () => {
    const person = await context.waiting();
    await Promise.allSettled(Array.from({ length: 6 }, () => context.step('triggerMember', person)));
    expect((await context.drive(person)).answer).toEqual({ state: 'triggered', next: null });
    expect(await facts(person)).toEqual(TRIGGERED);
  });

  it('FAULTS 17: an attempt that another one gave up still settles the member', async () => {
    const person = await context.waiting();
    await context.arm({ kind: 'delay', ms: 300 });
    const late = context.step('triggerMember', person);
    await until('the right is taken', async () => (await context.rowOf(person)).state === 'sending');
    expect(await context.step('triggerMember', person)).toEqual({ state: 'sending', next: null });
    await context.lose(person);
    expect(await context.step('triggerMember', person)).toEqual({ state: 'unknown', next: null });
    expect(await late).toEqual({ state: 'triggered', next: null });
    expect(await facts(person)).toEqual(TRIGGERED);
  });

  it.each([
    ['a refusal of this member', 400, 'ERR_NUMBER_INVALID', 'failed', 'ERR_NUMBER_INVALID'],
    ['a refusal of the campaign', 422, 'ERR_FLOW_NOT_EXECUTABLE', 'failed', 'ERR_FLOW_NOT_EXECUTABLE'],
    ['a person who serves them', 409, 'ERR_TICKET_IN_HUMAN_SERVICE', 'skipped', 'HUMAN_SERVICE'],
  ])('FAULTS 17: so does %s that arrives late', async (_, status, code, state, noted) => {
    const person = await context.waiting({ humanService: { retryAfter: '2h' } });
    const { steps, client } = context.worker();
    const real = client.flows.trigger.bind(client.flows);
    Object.assign(client.flows, {
      trigger: async (...args: Parameters<typeof real>) => {
        await until('it is given up', async () => (await context.rowOf(person)).state === 'unknown');
        await context.refuseWith(status, code);
        return await real(...args);
      },
    });
    const late = activity().run(steps.triggerMember, person);
    await until('the right is taken', async () => (await context.rowOf(person)).state === 'sending');
    await context.lose(person);
    expect(await late).toEqual({ state, next: null });
    expect(await facts(person)).toEqual({ state, code: noted, touches: 0, runs: 0 });
  });

  it('FAULTS 25: a member that returns to a cancelled run is cancelled', async () => {
    const person = await context.waiting();
    await context.refuseWith(422, 'ERR_FLOW_NOT_EXECUTABLE');
    const { steps, client } = context.worker();
    const real = client.flows.trigger.bind(client.flows);
    Object.assign(client.flows, {
      trigger: async (...args: Parameters<typeof real>) => {
        await context.db.query("update campaigns set state = 'cancelled' where run_id = $1", [person.run]);
        return await real(...args);
      },
    });
    expect(await activity().run(steps.triggerMember, person)).toEqual({ state: 'cancelled', next: null });
    expect(await facts(person)).toEqual({ state: 'cancelled', code: null, touches: 0, runs: 0 });
  });
});

it('FAULTS 43: a window that closes during the wait for the slot of a second token prevents the call', async () => {
  const person = await context.waiting();
  const { steps, deps } = context.worker();
  const { client } = context.worker({ token: 'svc_test_narrow' });
  const real = client.flows.trigger.bind(client.flows);
  const noon = context.clock.ms;
  Object.assign(client.flows, {
    async trigger(...args: Parameters<typeof real>) {
      context.clock.ms = noon + 12 * 3_600_000;
      return await real(...args);
    },
  });
  const account = deps.account('acme');
  const tokens = [{ client, key: 'narrow', position: 1 }, ...account.tokens];
  Object.assign(deps, { account: () => ({ ...account, tokens }) });
  try {
    const failure = await failureOf(activity().run(steps.triggerMember, person));
    expect(failure.type).toBe('ComeBack');
    expect(await facts(person)).toEqual({ state: 'waiting', code: null, touches: 0, runs: 0 });
  } finally {
    context.clock.ms = noon;
  }
});

describe('a cancelled attempt', () => {
  const cancelled = async (
    person: Person,
    arrange: (cancel: () => void) => TriggerContext['trigger'],
    why: 'WORKER_SHUTDOWN' | 'CANCELLED' = 'WORKER_SHUTDOWN',
  ) => {
    const env = activity();
    const trigger = arrange(() => setImmediate(() => env.cancel(why)));
    return await env.run(trigger, { run: person.run, member: person.member });
  };

  it('that waits for a slot has taken no right', async () => {
    const person = await context.waiting();
    const { steps, deps } = context.worker();
    const reserve = deps.budget.reserve.bind(deps.budget);
    const result = cancelled(person, (cancel) => {
      Object.assign(deps.budget, {
        async reserve(...args: Parameters<typeof reserve>) {
          const slot = await reserve(...args);
          cancel();
          return { ...slot, dueAt: performance.now() + 30_000 };
        },
      });
      return steps.triggerMember;
    });
    await expect(result).rejects.toThrow(CancelledFailure);
    expect(await facts(person)).toEqual({ state: 'waiting', code: null, touches: 0, runs: 0 });
    expect((await context.rowOf(person)).sends).toBe(0);
    expect(await calls()).toBe(0);
  });

  it('FAULTS 23: by a pause during its call still gets its response', async () => {
    const person = await context.waiting();
    await context.arm({ kind: 'delay', ms: 300 });
    const { steps } = context.worker();
    const result = cancelled(
      person,
      (cancel) => {
        void until('the service has the call', () => context.fired()).then(cancel);
        return steps.triggerMember;
      },
      'CANCELLED',
    );
    expect(await result).toEqual({ state: 'triggered', next: null });
    expect(await facts(person)).toEqual(TRIGGERED);
  });

  it.each([
    ['before its call gives its right back', false, 'waiting', null, 0],
    ['during its call is unknown', true, 'unknown', 'TRIGGER_AMBIGUOUS', 1],
  ])('%s', async (_, sent, state, code, touches) => {
    const person = await context.waiting();
    await context.arm({ kind: 'hang' });
    const { steps, client } = context.worker();
    const real = client.flows.trigger.bind(client.flows);
    const result = cancelled(person, (cancel) => {
      Object.assign(client.flows, {
        async trigger(...[flow, options]: Parameters<typeof real>) {
          const { signal } = options as { signal: AbortSignal };
          if (!sent) {
            cancel();
            await until('it is called off', () => signal.aborted);
          }
          const answer = real(flow, options);
          if (sent) void until('the service has the call', () => context.fired()).then(cancel);
          return await answer;
        },
      });
      return steps.triggerMember;
    });
    if (sent) expect(await result).toEqual({ state, next: null });
    else await expect(result).rejects.toThrow(CancelledFailure);
    expect(await facts(person)).toEqual({ state, code, touches, runs: 0 });
  });
});

describe('a response that the ledger cannot record', () => {
  it('FAULTS 27: is recorded once the ledger is available again', async () => {
    for (const [code, state] of [
      [null, 'triggered'],
      ['ERR_NUMBER_INVALID', 'failed'],
      ['ERR_BUSY', 'unknown'],
    ] as const) {
      const person = await context.waiting();
      if (code !== null) await context.refuseWith(state === 'unknown' ? 503 : 400, code);
      let sent = false;
      let away = 2;
      const hears = <T>(work: () => Promise<T>): Promise<T> =>
        sent && away-- > 0
          ? Promise.reject(new LedgerError(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' })))
          : work();
      const { steps, client } = context.worker({
        db: {
          ...context.db,
          query: (sql, params) => hears(() => context.db.query(sql, params)),
          transaction: (work) => hears(() => context.db.transaction(work)),
        },
      });
      const real = client.flows.trigger.bind(client.flows);
      Object.assign(client.flows, {
        trigger: (...args: Parameters<typeof real>) =>
          real(...args).finally(() => {
            sent = true;
          }),
      });
      const input = { run: person.run, member: person.member };
      expect(await activity().run(steps.triggerMember, input)).toEqual({ state, next: null });
      expect((await context.rowOf(person)).state).toBe(state);
      expect(away).toBeLessThan(1);
    }
  });

  it('of a crashed worker becomes unknown, and is not triggered again', async () => {
    const person = await context.waiting();
    const worker = context.worker({ db: cutting(context.db, { at: 'outcome', done: false }) });
    await expect(worker.step('triggerMember', person)).rejects.toThrow('the worker');
    expect(await context.rowOf(person)).toMatchObject({ state: 'sending', sends: 1 });
    expect((await context.drive(person)).answer).toEqual({ state: 'unknown', next: null });
    expect(await facts(person)).toEqual({ state: 'unknown', code: 'TRIGGER_AMBIGUOUS', touches: 1, runs: 1 });
    expect(await calls()).toBe(1);
  });
});

interface Cut {
  /** The how manieth statement or transaction of the attempt is its last; `outcome`: the one after the call. */
  readonly at: number | 'outcome';
  /** Whether it still is done. */
  readonly done: boolean;
}

/** A ledger whose worker dies at one statement: from then on it says and does nothing. */
function cutting(db: Database, cut: Cut | null, pause = async () => {}): Database {
  let dead = false;
  let statements = 0;
  const guard = async <T>(work: () => Promise<T>, isLast: boolean): Promise<T> => {
    await pause();
    if (!dead && isLast) {
      dead = true;
      if (cut?.done) await work();
    }
    if (dead) throw new Error('dead');
    return await work();
  };
  const counts = () => statements++ === cut?.at;
  return {
    ...db,
    query: (sql, params) => guard(() => db.query(sql, params), counts()),
    // The first trigger of a run is written down with what shows that it works.
    transaction: (work) => guard(() => db.transaction(work), counts() || cut?.at === 'outcome'),
  };
}

it('FAULTS 16: two attempts, in any order, interrupted anywhere, with any response: at most one flow', async () => {
  const cut = fc.option(fc.record({ at: fc.nat(8), done: fc.boolean() }), { nil: null });
  const fault = fc.constantFrom('none', 'reset-before', 'reset-after', 'status', 'html', 'limited');
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.tuple(cut, cut),
      fc.tuple(fault, fault),
      fc.boolean(),
      async (scheduler, cuts, faults, overdue) => {
        await context.panel.clearFaults();
        await context.db.query("update slots set blocked_until = '-infinity'");
        await calls();
        const person = await context.waiting();
        for (const each of faults) {
          if (each === 'none') await context.arm({ kind: 'delay', ms: 0 });
          else if (each === 'limited') await context.refuseWith(429, 'ERR_RATE_LIMITED');
          else await context.arm({ kind: each });
        }
        const pause = () => scheduler.schedule(Promise.resolve(), 'statement');
        const attempts = cuts.map((each) => context.worker({ db: cutting(context.db, each, pause) }));
        const late = async () => {
          await pause();
          await context.lose(person);
        };
        await scheduler.waitFor(
          Promise.allSettled([
            ...attempts.map((attempt) => attempt.step('triggerMember', person)),
            ...(overdue ? [late()] : []),
          ]),
        );
        const { answer } = await context.drive(person);
        const { state, touches, runs } = await facts(person);
        expect(answer).toEqual({ state, next: null });
        expect(runs).toBeLessThanOrEqual(1);
        expect(state === 'triggered' ? [1] : [0, 1]).toContain(runs);
        const limited = faults.filter((each) => each === 'limited').length;
        // An attempt that was given up while its call waited may still learn that the service refused it.
        const refused = limited > 0 && overdue && runs === 0;
        expect(['triggered', 'unknown', ...(refused ? ['failed'] : [])]).toContain(state);
        expect(touches).toBe(state === 'failed' ? 0 : 1);
        // Each refusal for certain allows one call more.
        expect(await calls()).toBeLessThanOrEqual(1 + limited);
      },
    ),
    { numRuns: 15 },
  );
});
