// More events than Temporal takes: who is accepted waits a few seconds, all others are refused at once and not started.
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { RouteConfig } from '../../../../../src/jobs/events/config.ts';
import type { EventDraft } from '../../../../../src/jobs/events/contract/intake.ts';
import { createAcceptance } from '../../../../../src/jobs/events/ingress/accept.ts';
import { notAcceptedProblem } from '../../../../../src/jobs/events/ingress/http/answers.ts';
import { NotAcceptedError, type Route } from '../../../../../src/jobs/events/ingress/intake.ts';
import { createQueue, MOST_WAIT_MS, type Queue } from '../../../../../src/jobs/events/ingress/queue.ts';
import { testLedger } from '../../../../support/postgres/ledger.ts';

const db = await testLedger();

const config = RouteConfig.parse({
  account: 'acme',
  http: { path: '/leads', auth: { type: 'none' } },
  action: { type: 'tags', number: 'phone', defaultCountry: 'BR', add: ['vip'] },
});
const route: Route = { name: 'leads', config, read: () => Promise.reject(new Error('not used here')) };

const event = (id: string): EventDraft => ({
  id,
  account: 'acme',
  route: 'leads',
  subject: `person/${id}`,
  rank: null,
  request: { type: 'tags', number: '5511987654321', key: '5511987654321', add: ['vip'], remove: [] },
});

/** Temporal takes a start each `ms / 16`. */
function acceptanceWith(ms: number) {
  const started: string[] = [];
  const client = {
    options: { namespace: 'default' },
    connection: { withDeadline: (_: number, call: () => Promise<unknown>) => call() },
    workflow: {
      start: async (_: string, { args: [{ events }] }: { args: [{ events: string[] }] }) => {
        await delay(ms);
        started.push(...events);
      },
    },
  } as unknown as Client;
  const acceptance = createAcceptance({
    client,
    db,
    taskQueue: 'q',
    maxOpen: 1_000_000,
    maxDelayMs: 1e9,
    callsPerMinute: () => 120,
    specOf: () => ({ account: 'acme', sync: 'r-leads' }) as never,
  });
  return { acceptance, started };
}

interface Answer {
  readonly id: string;
  readonly status: number;
  readonly ms: number;
  readonly retryAfter: number;
  readonly mayTakeEffect: boolean;
}

describe('a flood of events without `batch`', () => {
  it('is accepted as far as Temporal takes it within 4.5 s, and refused at once beyond that', async () => {
    // 80 a second.
    const { acceptance, started } = acceptanceWith(200);
    const post = async (id: string): Promise<Answer> => {
      const began = performance.now();
      const since = () => performance.now() - began;
      try {
        await acceptance.accept(route, [event(id)]);
        return { id, status: 202, ms: since(), retryAfter: 0, mayTakeEffect: false };
      } catch (error) {
        if (!(error instanceof NotAcceptedError)) throw error;
        const { status, headers } = notAcceptedProblem(error);
        const { mayTakeEffect } = error;
        return { id, status, ms: since(), retryAfter: Number(headers['Retry-After']), mayTakeEffect };
      }
    };
    const prefix = `flood-${Date.now()}`;
    const asked: Promise<Answer>[] = [];
    for (let tick = 0; tick < 80; tick++) {
      for (let n = 0; n < 25; n++) asked.push(post(`${prefix}-${tick}-${n}`));
      await delay(50);
    }
    const answers = await Promise.all(asked);
    const of = (status: number) => answers.filter((answer) => answer.status === status);
    expect(answers).toHaveLength(2000);
    expect(of(202).length).toBeGreaterThan(300);
    expect(of(503).length).toBeGreaterThan(300);
    expect(of(202).length + of(503).length).toBe(2000);
    expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(7000);
    const early = of(503).filter(({ ms }) => ms < 1000);
    expect(early.length).toBeGreaterThan(of(503).length * 0.8);
    for (const { retryAfter } of of(503)) expect(retryAfter).toBeGreaterThanOrEqual(1);
    // Nobody who was refused has an effect, unless the answer says so.
    const effects = answers.filter(
      ({ id, status, mayTakeEffect }) => status === 202 || (mayTakeEffect && started.includes(id)),
    );
    expect(new Set(started)).toEqual(new Set(effects.map(({ id }) => id)));
    // Whoever was refused is accepted on repetition, once.
    const again = of(503)
      .filter(({ mayTakeEffect }) => !mayTakeEffect)
      .slice(0, 100);
    expect((await Promise.all(again.map(({ id }) => post(id)))).map(({ status }) => status)).toEqual(
      again.map(() => 202),
    );
    const repeated = await acceptance.accept(route, [event(again[0]?.id ?? '')]);
    expect(repeated).toEqual([{ id: again[0]?.id, duplicate: true }]);
    expect(started).toHaveLength(effects.length + 100);
    await acceptance.close();
  });

  it('from Kafka waits instead', async () => {
    const { acceptance, started } = acceptanceWith(100);
    const drafts = Array.from({ length: 1000 }, (_, n) => event(`kafka-${Date.now()}-${n}`));
    expect(await acceptance.accept(route, drafts, { waits: true })).toHaveLength(1000);
    expect(started).toHaveLength(1000);
    await acceptance.close();
  });
});

function enterError(queue: Queue): Error {
  try {
    queue.enter(1, 0);
  } catch (error) {
    return error as Error;
  }
  return expect.fail('somebody entered');
}

describe('the queue', () => {
  const queueAt = (over: { concurrency?: number; groupSize?: number } = {}) => {
    const clock = { ms: 0 };
    return { clock, queue: createQueue({ concurrency: 16, ...over, now: () => clock.ms }) };
  };

  it('refuses nobody before it knows how long a start takes, and takes a burst when starts are quick', () => {
    const { clock, queue } = queueAt();
    for (let n = 0; n < 500; n++) queue.enter(1, clock.ms);
    queue.took(20);
    for (let n = 0; n < 1800; n++) queue.enter(1, clock.ms);
    expect(() => queue.took(20)).not.toThrow();
  });

  it('refuses while the oldest has waited for over 3.5 s, whatever starts take, and goes on afterwards', () => {
    const { clock, queue } = queueAt();
    queue.took(1);
    const leave = queue.enter(1, clock.ms);
    clock.ms = MOST_WAIT_MS + 1;
    expect(() => queue.enter(1, clock.ms)).toThrow(NotAcceptedError);
    expect(() => queue.enter(1, null)).not.toThrow();
    leave();
    leave();
    expect(() => queue.enter(1, clock.ms)).not.toThrow();
  });

  it('is not held up by callers that wait', () => {
    const { clock, queue } = queueAt();
    queue.enter(16, null);
    clock.ms = 60_000;
    queue.took(100);
    expect(() => queue.enter(1, clock.ms)).not.toThrow();
  });

  it('of a route that batches is as long as its pace allows, and refuses at once beyond that', () => {
    const { clock, queue } = queueAt({ concurrency: 4, groupSize: 50 });
    // 200 events a second.
    queue.took(1000);
    for (let n = 0; n < 501; n++) queue.enter(1, clock.ms);
    expect(enterError(queue)).toMatchObject({ why: 'BUSY', retryAfterMs: 3505 });
  });

  it('takes what has a free place, however slow the last one was', () => {
    const { clock, queue } = queueAt({ concurrency: 4, groupSize: 50 });
    queue.took(60_000);
    for (let n = 0; n < 200; n++) queue.enter(1, clock.ms);
    expect(enterError(queue)).toBeInstanceOf(NotAcceptedError);
  });

  it('says how many events wait, as a whole number', () => {
    const { clock, queue } = queueAt({ concurrency: 4, groupSize: 3 });
    queue.took(60_000);
    queue.enter(13, clock.ms);
    expect(enterError(queue).message).toMatch(/^13 events wait/);
  });

  it('counts what a sender has waited before its request was read', () => {
    const { clock, queue } = queueAt({ concurrency: 4, groupSize: 50 });
    clock.ms = 60_000;
    queue.took(1000);
    for (let n = 0; n < 250; n++) queue.enter(1, clock.ms);
    // The answer comes 2.25 s later.
    expect(() => queue.enter(1, clock.ms - 1000)).not.toThrow();
    expect(() => queueAt().queue.enter(1, -MOST_WAIT_MS)).not.toThrow();
    expect(() => queue.enter(1, clock.ms - 1300)).toThrow(NotAcceptedError);
  });
});
