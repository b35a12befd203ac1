// What a running campaign does next: waves, windows, and members in human service.
import { describe, expect, it } from 'vitest';
import { testLedger } from '../../../../support/postgres/ledger.ts';
import {
  type ContextOptions,
  DAY,
  type DecisionContext,
  decisionContext,
  HOUR,
  NOON,
  refused,
} from './decision-context.ts';

const db = await testLedger();

const UTC = 'Etc/UTC';
const people = (count: number, zones = UTC) => Array.from({ length: count }, () => zones);
const WEEKDAYS_9_TO_5 = Object.fromEntries(
  ['mon', 'tue', 'wed', 'thu', 'fri'].map((day) => [day, ['09:00-17:00']]),
);

async function running(options: ContextOptions): Promise<DecisionContext> {
  const context = await decisionContext(db, options);
  await context.open();
  return context;
}

describe('starting', () => {
  it('FAULTS 20: two concurrent starts are one; the first one is recorded', async () => {
    const context = await decisionContext(db, { members: people(1) });
    const [one, other] = await Promise.all([context.open('ana'), context.open('ben')]);
    expect(one).toEqual(other);
    expect(one).toEqual({ tokenKey: 'key', callsPerMinute: 120, paused: null, after: [] });
    const row = await context.row();
    expect(row).toMatchObject({ state: 'running', started_at: new Date(NOON) });
    const { started_by: first } = row;
    expect(['ana', 'ben']).toContain(first);
    expect((await context.audit()).map(({ action, by }) => [action, by])).toEqual([['start', first]]);
  });

  it.each<[name: string, options: Partial<ContextOptions>, type: string]>([
    ['is being planned', { state: 'planning', plan: null }, 'NOT_PLANNED'],
    ['has no figures yet', { plan: null }, 'NOT_PLANNED'],
    ['could not be planned', { state: 'failed' }, 'NOT_PLANNED'],
    ['was replaced by a newer plan', { state: 'void' }, 'NOT_PLANNED'],
    ['was cancelled', { state: 'cancelled' }, 'CAMPAIGN_CANCELLED'],
    ['is not approved', { config: { approval: 'second-person' } }, 'NOT_APPROVED'],
    ['has problems', { plan: { problems: [{ code: 'X', reason: 'no' }] } }, 'PLAN_HAS_PROBLEMS'],
  ])('a run that %s is not started', async (_, options, type) => {
    const context = await decisionContext(db, { members: people(1), ...options });
    expect(await refused(context.open())).toBe(type);
    expect(await context.audit()).toEqual([]);
  });

  it('an unknown run is not started', async () => {
    const context = await decisionContext(db, { members: [] });
    const input = { account: context.account, campaign: 'win', by: 'ana', run: 'nobody/+win/7' };
    expect(await refused(context.activities.openCampaign(input))).toBe('NO_SUCH_RUN');
    expect(await refused(context.activities.decideNext(input))).toBe('NO_SUCH_RUN');
  });

  it('an edit voids a plan, but not a running campaign', async () => {
    const context = await decisionContext(db, { members: people(1) });
    context.edit({ flow: 2 });
    expect(await refused(context.open())).toBe('PLAN_VOID');
    context.edit({});
    await context.open();
    context.edit({ flow: 2 });
    expect(await context.open()).toMatchObject({ paused: null });
  });

  it('a run does not start while another run of its campaign is in progress', async () => {
    const one = await decisionContext(db, { members: people(1), state: 'finished' });
    const other = await decisionContext(db, { members: people(1) }, one.account, 2);
    await db.query("update campaigns set state = 'running' where run_id = $1", [one.run]);
    expect(await refused(other.open())).toBe('ANOTHER_RUN');
  });

  it('events of the campaign that no workflow was started for are handed over again', async () => {
    const context = await decisionContext(db, { members: [] });
    await db.query(
      `insert into events (id, account, route, run_id, action, subject, state)
       select $1 || n, $1, route, $2, 'tags', 's', state
         from (values (1, '+win', 'received'), (2, '+win', 'accepted'), (3, '+other', 'received')) e(n, route, state)`,
      [context.account, context.run],
    );
    expect((await context.open()).after).toEqual([`${context.account}1`]);
  });
});

describe('waves', () => {
  it('takes members in their random order, by canary and ramp, and leases them by id', async () => {
    const context = await running({
      members: people(8),
      config: { waves: { canary: 1, size: [2, 4], settle: '0s' } },
    });
    const taken: number[][] = [];
    while ((await context.next()).do === 'triggerBatch') taken.push(await context.all());
    expect(taken).toEqual([[8], [6, 7], [2, 3, 4, 5], [1]]);
    expect(await context.next()).toMatchObject({
      do: 'finish',
      wave: 4,
      counts: { triggered: 8, waiting: 0 },
    });
    expect(await context.close()).toBe(true);
    expect((await context.waves()).map(({ kind, size }) => [kind, size])).toEqual([
      ['canary', 1],
      ['wave', 2],
      ['wave', 4],
      ['wave', 1],
    ]);
  });

  it('another batch does not get leased members until their lease expires', async () => {
    const context = await running({ members: people(5) });
    const { members } = await context.batch({ limit: 2, seconds: 10 });
    expect(context.numbers(members)).toEqual([1, 2]);
    expect(context.numbers((await context.batch({ seconds: 20 })).members)).toEqual([3, 4, 5]);
    expect(await context.next()).toMatchObject({ do: 'waitUntil', why: 'retry', untilMs: NOON + 10_000 });
    context.clock.at += 10_000;
    expect((await context.batch()).members).toEqual(members);
  });

  it('the next wave waits until the last one is judged, and `every` from its first trigger is over', async () => {
    const context = await running({
      members: people(3),
      config: { waves: { size: 1, settle: '15m', every: '1h' } },
    });
    context.clock.at += HOUR;
    await context.next();
    await context.all();
    expect(await context.next()).toMatchObject({ do: 'waitUntil', why: 'every', untilMs: NOON + 2 * HOUR });
    context.clock.at = NOON + 2 * HOUR - 1;
    expect(await context.next()).toMatchObject({ do: 'waitUntil', why: 'every' });
    context.clock.at += 1;
    await context.next();
    // It took its time.
    context.clock.at += 2 * HOUR;
    await context.all();
    expect(await context.next()).toMatchObject({
      do: 'waitUntil',
      why: 'settle',
      untilMs: context.clock.at + HOUR / 4,
    });
    context.clock.at += HOUR / 4;
    await context.next();
    await context.all();
    expect(await context.next()).toMatchObject({ do: 'waitUntil', why: 'settle' });
    context.clock.at += HOUR / 4;
    expect(await context.next()).toMatchObject({ do: 'finish' });
    expect((await context.waves()).every(({ judged_at }) => judged_at !== null)).toBe(true);
  });

  it('a wave that is made while windows are closed begins when they open', async () => {
    const config = { windows: { days: WEEKDAYS_9_TO_5 }, waves: { size: 1, settle: '0s', every: '20h' } };
    const context = await running({ members: people(2), config });
    context.clock.at = Date.parse('2026-11-16T20:00:00Z');
    const opens = Date.parse('2026-11-17T09:00:00Z');
    expect(await context.next()).toMatchObject({ do: 'waitUntil', why: 'window', untilMs: opens });
    context.clock.at = opens;
    await context.next();
    await context.all();
    expect(await context.next()).toMatchObject({ do: 'waitUntil', why: 'every', untilMs: opens + 20 * HOUR });
  });

  it('reports the pace as configured, or as an operator set it', async () => {
    const context = await running({
      members: people(1),
      config: { waves: { callsPerMinute: 30 } },
      others: ['holdout', 'excluded'],
    });
    const counts = { waiting: 1, holdout: 1, excluded: 1, triggered: 0 };
    expect(await context.next()).toMatchObject({ pacePerMinute: 30, callsPerMinute: 120, counts, wave: 1 });
    await context.command({ action: 'rate', callsPerMinute: 7 });
    expect(await context.next()).toMatchObject({ pacePerMinute: 7 });
    await context.command({ action: 'rate', callsPerMinute: null });
    expect(await context.next()).toMatchObject({ pacePerMinute: null });
  });
});

describe('time', () => {
  it('nothing begins before the start, and members that wait at the end are skipped', async () => {
    const config = {
      start: '2026-11-16T13:00:00Z',
      end: '2026-11-16T15:00:00Z',
      waves: { size: 2, settle: '0s' },
    };
    const context = await running({ members: people(5), config });
    expect(await context.next()).toMatchObject({
      do: 'waitUntil',
      why: 'start',
      untilMs: NOON + HOUR,
      wave: null,
    });
    context.clock.at = NOON + HOUR;
    expect(await context.batch()).toMatchObject({ closesMs: NOON + 3 * HOUR });
    await context.all();
    expect(await context.next()).toMatchObject({ do: 'triggerBatch' });
    context.clock.at = NOON + 3 * HOUR;
    expect(await context.next()).toMatchObject({ do: 'finish' });
    expect(await context.close()).toBe(true);
    expect((await context.states()).toSorted()).toEqual([
      'skipped CAMPAIGN_ENDED',
      'skipped CAMPAIGN_ENDED',
      'skipped CAMPAIGN_ENDED',
      'triggered',
      'triggered',
    ]);
  });

  it('a wait never lasts beyond the end', async () => {
    const config = { end: '2026-11-16T22:00:00Z', windows: { days: WEEKDAYS_9_TO_5 } };
    const context = await running({ members: people(1), config });
    context.clock.at = NOON + 8 * HOUR;
    expect(await context.next()).toMatchObject({ do: 'waitUntil', untilMs: NOON + 10 * HOUR });
  });

  it('returns members whose windows are open, until the first window closes', async () => {
    const members = [
      'America/Sao_Paulo',
      'America/New_York',
      'Europe/Lisbon',
      'America/Sao_Paulo,Europe/Lisbon',
      '',
    ];
    const context = await running({ members, config: { windows: { days: WEEKDAYS_9_TO_5 } } });
    // 12:30 UTC: 09:30, 07:30, 12:30.
    context.clock.at = NOON + HOUR / 2;
    expect(await context.batch()).toMatchObject({ closesMs: NOON + 5 * HOUR });
    expect(await context.all()).toEqual([1, 3, 4, 5]);
    expect(await context.next()).toMatchObject({ do: 'waitUntil', why: 'window', untilMs: NOON + 2 * HOUR });
  });

  it('members without a common window are skipped, and block nobody', async () => {
    const config = { windows: { days: { mon: ['00:00-02:00'] } }, waves: { size: 1, settle: '0s' } };
    const members = ['Pacific/Kiritimati,Pacific/Pago_Pago', UTC];
    const context = await running({ members, config });
    expect(await context.next()).toMatchObject({ do: 'waitUntil', why: 'window', untilMs: NOON + 6.5 * DAY });
    context.clock.at = NOON + 6.5 * DAY;
    await context.next();
    await context.all();
    expect(await context.next()).toMatchObject({ do: 'finish' });
    expect(await context.states()).toEqual(['skipped NO_COMMON_WINDOW', 'triggered']);
  });
});

describe('members in human service', () => {
  const config = {
    humanService: { retryAfter: '4h', times: 2 },
    waves: { size: 2, settle: '0s' },
    stop: { atLeast: 1 },
  };

  it('return after their delay in a wave of their own, and block no other', async () => {
    const context = await running({ members: people(4), config });
    const first = await context.batch();
    for (const id of first.members)
      await context.outcome(id, { state: 'waiting', retryAt: context.clock.at + 4 * HOUR });
    await context.next();
    expect(await context.all()).toEqual([1, 2]);
    expect(await context.next()).toMatchObject({ do: 'waitUntil', why: 'retry', untilMs: NOON + 4 * HOUR });
    expect(await context.close()).toBe(false);
    context.clock.at = NOON + 4 * HOUR;
    await context.next();
    expect(await context.all()).toEqual([3, 4]);
    expect(await context.next()).toMatchObject({ do: 'finish' });
    expect(
      (await context.waves()).map(({ kind, size, members, moved_on }) => ({ kind, size, members, moved_on })),
    ).toEqual([
      { kind: 'wave', size: 2, members: 0, moved_on: { humanService: 2 } },
      { kind: 'wave', size: 2, members: 2, moved_on: {} },
      { kind: 'retry', size: 2, members: 2, moved_on: {} },
    ]);
  });

  it('return together if their times are close', async () => {
    const context = await running({
      members: people(3),
      config: { ...config, waves: { size: 3, settle: '0s' } },
    });
    const { members } = await context.batch();
    for (const [n, id] of members.entries())
      await context.outcome(id, { state: 'waiting', retryAt: NOON + (4 + n * 0.75) * HOUR });
    // Those within a quarter of the delay after the first: an hour.
    expect(await context.next()).toMatchObject({ do: 'waitUntil', why: 'retry', untilMs: NOON + 5 * HOUR });
    context.clock.at = NOON + 5 * HOUR;
    await context.next();
    expect(await context.all()).toEqual([1, 2]);
    expect(await context.next()).toMatchObject({ do: 'waitUntil', untilMs: NOON + 5.5 * HOUR });
  });

  it('stay with their wave while others of it wait for a window', async () => {
    const members = ['America/Sao_Paulo', 'Europe/Lisbon'];
    const context = await running({ members, config: { ...config, windows: { days: WEEKDAYS_9_TO_5 } } });
    context.clock.at = NOON - 2 * HOUR;
    const step = await context.batch();
    expect(context.numbers(step.members)).toEqual([2]);
    await context.outcome(step.members[0] as number, { state: 'waiting', retryAt: NOON - HOUR });
    expect(await context.next()).toMatchObject({ do: 'waitUntil', why: 'retry', untilMs: NOON - HOUR });
    context.clock.at = NOON - HOUR;
    await context.next();
    await context.all();
    expect(await context.next()).toMatchObject({ do: 'waitUntil', why: 'window', untilMs: NOON });
    expect((await context.waves())[0]).toMatchObject({ ended_at: null, moved_on: {} });
  });

  it('count in the stop rules of the wave that they left', async () => {
    const stop = { humanService: 0.4, atLeast: 2 };
    const context = await running({ members: people(4), config: { ...config, stop } });
    const { members } = await context.batch();
    await context.outcome(members[0] as number, { state: 'waiting', retryAt: NOON + 4 * HOUR });
    await context.outcome(members[1] as number, { state: 'triggered' });
    expect(await context.next()).toMatchObject({ do: 'pause', code: 'STOP_RULE' });
  });
});
