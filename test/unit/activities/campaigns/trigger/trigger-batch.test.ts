// Batches of triggers: which members they take, when they end, and what remains when they are stopped or crash.
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createTriggerBatchActivities } from '../../../../../activities/campaigns/trigger/batch.ts';
import { LANES } from '../../../../../src/core/lanes.ts';
import type {
  TriggerBatchInput,
  TriggerBatchResult,
} from '../../../../../src/jobs/campaigns/contract/batches.ts';
import type { Budget } from '../../../../../src/service/budget/slots.ts';
import { until } from '../../../../support/until.ts';
import { failureOf, openTriggerContext, type Person } from './trigger-context.ts';

const context = await openTriggerContext();
afterAll(context.close);
beforeEach(context.fresh);

const logger = new DefaultLogger('ERROR');

/** A campaign whose open wave has this many members. */
const wave = (count: number, config: Record<string, unknown> = {}, words: string[] = []) =>
  context.wave(
    Array.from({ length: count }, (_, n) => n + 1),
    config,
    words,
  );

interface Batch {
  readonly result: Promise<TriggerBatchResult>;
  readonly env: MockActivityEnvironment;
  readonly heartbeats: unknown[];
}

function begin(
  run: string,
  over: Partial<TriggerBatchInput> = {},
  { attempt = 1, by = context.worker() } = {},
): Batch {
  const env = new MockActivityEnvironment({ attempt, priority: { priorityKey: LANES.campaign } }, { logger });
  const heartbeats: unknown[] = [];
  env.on('heartbeat', (details: unknown) => heartbeats.push(details));
  const { triggerBatch } = createTriggerBatchActivities(by.deps);
  const input = { run, alone: false, pacePerMinute: null, resumes: 0, ...over };
  return { result: env.run(triggerBatch, input), env, heartbeats };
}

const statesOf = async (run: string) =>
  await context.db.query<{ state: string; leased: boolean; due: boolean; n: number }>(
    `select state, holder is not null as leased, due_at is null as due, count(*)::int as n
       from campaign_members where run_id = $1 group by 1, 2, 3 order by 1`,
    [run],
  );

describe('a batch', () => {
  it('triggers every due member once, and reports them', async () => {
    const { run, members } = await wave(30);
    expect(await begin(run).result).toEqual({
      members: 30,
      stalled: false,
      proved: true,
      refusal: null,
      after: [],
    });
    expect(await statesOf(run)).toEqual([{ state: 'triggered', leased: false, due: true, n: 30 }]);
    expect(await context.calls()).toBe(30);
    expect(await context.runsOf(members[0] as Person)).toHaveLength(1);
  });

  it('in parallel takes no member of the other batch', async () => {
    const { run } = await wave(40);
    const [one, other] = await Promise.all([begin(run).result, begin(run).result]);
    expect(one.members + other.members).toBe(40);
    expect(await context.calls()).toBe(40);
  });

  it('alone ends with the first accepted trigger', async () => {
    const { run } = await wave(5);
    expect(await begin(run, { alone: true }).result).toMatchObject({ members: 1, proved: true });
    expect(await context.calls()).toBe(1);
  });

  it('alone spends one call on a refusal of every member', async () => {
    const { run } = await wave(5, { flow: 2 });
    const { refusal } = await begin(run, { alone: true }).result;
    expect(refusal).toEqual({
      code: 'ERR_FLOW_NOT_EXECUTABLE',
      reason: expect.stringMatching(/^ERR_FLOW_NOT_EXECUTABLE: /),
    });
    expect(await context.calls()).toBe(1);
    expect(await statesOf(run)).toEqual([{ state: 'waiting', leased: false, due: true, n: 5 }]);
  });

  it('first verifies the trigger of a crashed batch', async () => {
    const { run, members } = await wave(3);
    await begin(run, { alone: true }).result;
    await context.db.query('update campaigns set verified = null, unverified = $2 where run_id = $1', [
      run,
      members[0]?.member,
    ]);
    await context.requests();
    await begin(run, { alone: true }).result;
    const [first, ...others] = (await context.requests()).map(({ path }) => path.replace(/\?.*/, ''));
    expect(first).toBe('/v1/conversations');
    expect(others).toEqual([]);
  });

  it('ends when a window closes, and leaves the other members', async () => {
    const { run } = await wave(60);
    await context.panel.fault({ path: '/v1/flows/trigger', kind: 'delay', ms: 200 });
    const { result } = begin(run);
    await until('calls are in progress', () => context.fired());
    context.clock.ms += 12 * 3_600_000;
    const { members } = await result;
    expect(members).toBeLessThan(60);
    const states = await statesOf(run);
    expect(states.map(({ state, leased }) => ({ state, leased }))).toEqual(
      expect.arrayContaining([
        { state: 'triggered', leased: false },
        { state: 'waiting', leased: false },
      ]),
    );
  });

  it('FAULTS 23: that is cancelled waits for calls in progress, and releases all other members', async () => {
    const { run } = await wave(80);
    await context.panel.fault({ path: '/v1/flows/trigger', kind: 'delay', ms: 500 });
    const { result, env } = begin(run);
    await until('calls are in progress', () => context.fired());
    env.cancel();
    const { members, refusal } = await result;
    expect(refusal).toBeNull();
    const calls = await context.calls();
    expect(members).toBe(calls);
    expect(calls).toBeLessThanOrEqual(24);
    expect(await statesOf(run)).toEqual([
      { state: 'triggered', leased: false, due: true, n: calls },
      { state: 'waiting', leased: false, due: true, n: 80 - calls },
    ]);
  });

  it('without progress is reported as stalled, and its members wait', async () => {
    const { run } = await wave(30);
    const by = context.worker({ baseUrl: 'http://127.0.0.1:1/wapi' });
    expect(await begin(run, {}, { by }).result).toMatchObject({ members: 0, stalled: true, proved: false });
    const deferred = await context.db.query(
      'select 1 from campaign_members where run_id = $1 and attempts = 1 and due_at > $2',
      [run, new Date(context.clock.ms)],
    );
    expect(deferred.length).toBeGreaterThanOrEqual(24);
  });

  it('defers a member in the ledger, and continues with the others', async () => {
    const { run } = await wave(3);
    await context.refuseWith(429, 'ERR_RATE_LIMITED', {}, { 'retry-after': '40' });
    expect(await begin(run, { alone: true }).result).toMatchObject({ members: 1, proved: true });
    const rows = await context.db.query(
      'select state, attempts, holder, due_at from campaign_members where run_id = $1 order by id',
      [run],
    );
    const deferred = {
      state: 'waiting',
      attempts: 0,
      holder: null,
      due_at: new Date(context.clock.ms + 40_000),
    };
    expect(rows).toMatchObject([deferred, { state: 'triggered' }, { state: 'waiting', due_at: null }]);
  });

  it('hands over follow-up events, also those of a crashed attempt', async () => {
    const { run } = await wave(3, { after: { tags: ['vip'] } });
    const { after } = await begin(run, { alone: true }).result;
    expect(after).toHaveLength(1);
    const again = await begin(run, {}, { attempt: 2 }).result;
    expect(again.after).toHaveLength(3);
    expect(again.after).toEqual(expect.arrayContaining([...after]));
  });

  it('keeps the rate of its campaign, and shows its progress', async () => {
    const { run } = await wave(5);
    const began = performance.now();
    const { result, heartbeats } = begin(run, { pacePerMinute: 120 });
    await result;
    expect(performance.now() - began).toBeGreaterThan(1500);
    expect(heartbeats.at(-1)).toEqual({ ended: { triggered: expect.any(Number) }, trouble: null });
  });
});

describe('tags that people set after the start', () => {
  const config = { recheck: 'api', exclude: { tags: ['by-hand'] } };
  const isTrigger = ({ method }: { method: string }) => method === 'POST';
  const atOf = ({ at }: { at?: unknown }) => Date.parse(String(at));

  it.each([
    ['of 120 per minute', 120],
    ['of 40 per minute', 40],
  ])('keep their members out, at a rate %s', async (_, pacePerMinute) => {
    const { run, members } = await wave(10, config);
    await context.panel.patch({ contacts: members.map(({ contact }) => ({ id: contact, tagIds: [] })) });
    await context.requests();
    const { result } = begin(run, { pacePerMinute });
    let seen: Awaited<ReturnType<typeof context.requests>> = [];
    await until('two are triggered', async () => {
      seen = [...seen, ...(await context.requests())];
      return seen.filter(isTrigger).length >= 2;
    });
    await context.panel.patch({ contacts: members.map(({ contact }) => ({ id: contact, tagIds: [3] })) });
    await result;
    seen = [...seen, ...(await context.requests())];
    const states = await statesOf(run);
    const triggered = states.find(({ state }) => state === 'triggered')?.n ?? 0;
    // One more may have been between its read and its trigger.
    expect(triggered).toBeLessThanOrEqual(3);
    expect(seen.filter(isTrigger)).toHaveLength(triggered);
    // One read a member, and each right before its trigger.
    const reads = seen.filter(({ method }) => method === 'GET');
    expect(reads).toHaveLength(10);
    for (const trigger of seen.filter(isTrigger)) {
      const before = reads.findLast((read) => read.seq < trigger.seq);
      expect(atOf(trigger) - atOf(before as never)).toBeLessThan(3000);
    }
    await context.panel.patch({ contacts: members.map(({ contact }) => ({ id: contact, tagIds: [] })) });
  });

  it('each trigger asks for the slot right behind the read of its member', async () => {
    const { run } = await wave(4, config);
    const by = context.worker();
    const asked: string[] = [];
    const reserve: Budget['reserve'] = (tokens, lane, options) => {
      asked.push(`${options?.scope}${options?.follows === true ? ' follows' : ''}`);
      return by.deps.budget.reserve(tokens, lane, options);
    };
    const deps = { ...by.deps, budget: { ...by.deps.budget, reserve } };
    await begin(run, {}, { by: { ...by, deps } }).result;
    // On a busy machine a call may ask again.
    expect(new Set(asked)).toEqual(new Set(['contacts:read', 'flows:trigger follows']));
  });

  /** The budget is crowded: at each look at the clock, 3 s have passed, for this many looks. */
  const crowded = async (recheckWithin: string, looks: number) => {
    const { run, members } = await wave(2, { ...config, recheckWithin });
    await context.panel.patch({ contacts: members.map(({ contact }) => ({ id: contact, tagIds: [] })) });
    await context.requests();
    const by = context.worker({ limit: 60_000 });
    const now = by.deps.clock.now;
    let looked = 0;
    const clock = { ...by.deps.clock, now: async () => (await now()) + 3000 * Math.min(looked++, looks) };
    const slow = { ...by, deps: { ...by.deps, clock } };
    expect(await begin(run, { alone: true }, { by: slow }).result).toMatchObject({
      members: 1,
      proved: true,
    });
    return (await context.requests()).filter(({ method }) => method === 'GET').length;
  };

  it('a budget whose calls are further apart than tags stay fresh triggers nevertheless', async () => {
    expect(await crowded('60s', 1000)).toBeLessThan(6);
  });

  it('no tags are accepted that are older than `recheckWithin`', async () => {
    // Each trigger comes 6 s or more after its read until the budget is free again.
    expect(await crowded('5s', 60)).toBeGreaterThan(8);
  });
});

describe('a member that keeps failing', () => {
  const unreadable = (contact: number, kind: object) =>
    context.panel.fault({ method: 'GET', path: `^/v1/contacts/${contact}$`, times: 999, ...kind });
  const failures = async (run: string) =>
    await context.db.query(
      'select state, code, attempts from campaign_members where run_id = $1 order by id',
      [run],
    );

  it('does not block others: the first batch continues with another one', async () => {
    const { run } = await wave(3, { recheck: 'api' });
    await unreadable(1, { kind: 'reset-before' });
    expect(await begin(run, { alone: true }).result).toMatchObject({ members: 1, proved: true });
    expect(await failures(run)).toMatchObject([
      { state: 'waiting', attempts: 1 },
      { state: 'triggered', attempts: 0 },
      { state: 'waiting', attempts: 0 },
    ]);
  });

  it('ends as failed once others were triggered meanwhile', async () => {
    const campaign = await context.campaign({ recheck: 'api', cap: { times: 99 } });
    const [person, other] = [await context.member(campaign), await context.member(campaign)];
    await unreadable(person.contact, { kind: 'reset-before' });
    const fails = async () => await failureOf(context.step('recheckMember', person));
    expect(await fails()).toMatchObject({ type: 'TRANSPORT_RESET', nonRetryable: false });
    context.clock.ms += 1000;
    await context.drive(other, { from: 'recheckMember' });
    for (let failed = 1; failed < 11; failed++) await fails();
    expect(await context.step('recheckMember', person)).toEqual({ state: 'failed', next: null });
    expect(await context.rowOf(person)).toMatchObject({ code: 'TRANSPORT_RESET', attempts: 12 });
  });

  it('waits during an outage', async () => {
    const campaign = await context.campaign({ recheck: 'api', cap: { times: 99 } });
    await context.drive(await context.member(campaign), { from: 'recheckMember' });
    context.clock.ms += 1000;
    const person = await context.member(campaign);
    const away = context.worker({ baseUrl: 'http://127.0.0.1:1/wapi' });
    for (let failed = 0; failed < 14; failed++) await failureOf(away.step('recheckMember', person));
    expect(await context.rowOf(person)).toMatchObject({ state: 'waiting', attempts: 14 });
  });
});

it('a failure of every member ends the batch before the end of the wave', async () => {
  const { run } = await wave(80, { recheck: 'api' }, ['stop']);
  await context.panel.fault({ path: '/v1/contacts/', kind: 'delay', ms: 200, times: 24 });
  const { result } = begin(run);
  await until('contacts are read', () => context.fired());
  await context.db.query(
    "insert into pollers (account, poller, run_id, block_code, block_reason) values ('acme', 'main', 'r', 'ERR_SCOPE_MISSING', 'no')",
  );
  try {
    expect(await result).toMatchObject({ members: 0, stalled: false });
    const asked = (await context.requests()).length;
    expect(asked).toBeLessThanOrEqual(24);
    const touched =
      'select 1 from campaign_members where run_id = $1 and (attempts > 0 or due_at is not null)';
    expect(await context.db.query(touched, [run])).toEqual([]);
  } finally {
    await context.db.query('delete from pollers');
  }
});
