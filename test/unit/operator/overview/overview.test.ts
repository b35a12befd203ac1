// The overview on both databases: tokens, running and waiting work, needs and health.
import { beforeAll, expect, it } from 'vitest';
import en from '../../../../src/console/i18n/en/overview.ts';
import ptBR from '../../../../src/console/i18n/pt-BR/overview.ts';
import { ENDPOINTS, type Route } from '../../../../src/operator/contract/index.ts';
import type { OVERVIEW } from '../../../../src/operator/contract/overview.ts';
import type { Caller } from '../../../../src/operator/service/caller.ts';
import type { OverviewProbes } from '../../../../src/operator/service/overview/probes.ts';
import { seeWorker } from '../../../../src/operator/store/overview/workers.ts';
import { onBothLedgers } from '../../../support/postgres/both-ledgers.ts';
import { emptyLedger } from '../../../support/postgres/ledger.ts';
import { ANA, askOverview, QUIET } from './overview-context.ts';
import { fill, TOKEN } from './rows.ts';

const SINCE = '2026-11-22T03:00:00.000Z';

onBothLedgers((db) => {
  const warned: object[] = [];
  beforeAll(() => fill(db));

  const ask = <R extends keyof typeof OVERVIEW>(
    route: R,
    input: object = {},
    probes?: OverviewProbes,
    caller?: Caller,
  ) => askOverview({ db, warned, probes, caller }, route, input);

  /** While a worker is alive, work has an end. */
  async function readWithWorker() {
    const worker = { id: '00000000-0000-4000-8000-000000000001', host: 'a', pid: 1, version: '0.1.0' };
    await seeWorker(db, worker);
    const overview = await ask('GET /overview');
    await db.query('delete from worker_processes');
    return overview;
  }

  it('a token shows what is used of its window, the last minute by lane, 429s and refusals', async () => {
    const { tokens } = await ask('GET /overview');
    expect(tokens).toMatchObject([
      {
        account: 'acme',
        token: TOKEN,
        position: 1,
        limit: 100,
        used: 30,
        lanes: { backfill: 2, reply: 1 },
        // The parts of the gauge add up. Four calls came before our first one of the window.
        others: 4,
        underWay: 23,
        limited: 1,
        blockedUntil: null,
        marks: [{ scope: 'cards:write', code: 'ERR_SCOPE_MISSING' }],
      },
    ]);
    expect(warned).toMatchObject([{ account: 'beta', token: 1 }]);
    expect(JSON.stringify(warned)).not.toContain('svc_');
  });

  it('running runs show progress, pace, and when they end', async () => {
    const { running } = await readWithWorker();
    const byName = Object.fromEntries(running.map((run) => [run.name, run]));
    // 125 people, of which 30 wait. Five had nothing to do, so they are no work that is done, as on the page of the sync:
    // 90 took 85 calls, so 30 take 28.3, at 8.2 a minute.
    expect(byName['leads']).toMatchObject({ total: 120, done: 90, exact: true, progress: 0.75, calls: 85 });
    expect(byName['leads']?.callsPerMinute).toBeGreaterThanOrEqual(8);
    expect(byName['leads']?.etaSeconds).toBeGreaterThan(150);
    expect(byName['leads']?.etaSeconds).toBeLessThan(250);
    // 30 are in waves, and 15 of the open one wait.
    expect(byName['spring']).toMatchObject({
      kind: 'campaign',
      total: 100,
      done: 15,
      paused: { by: 'bia', reason: 'lunch' },
      etaSeconds: null,
    });
    // Nobody has approved the plan: nothing is done, and its members are no waiting work.
    expect(byName['autumn']).toMatchObject({
      state: 'planned',
      total: 10,
      done: 0,
      progress: 0,
      etaSeconds: null,
    });
    expect(running).toHaveLength(3);
  });

  it('waiting work is listed by lane, the most urgent first', async () => {
    const { waiting } = await readWithWorker();
    expect(waiting.map(({ lane, kind, name, count }) => [lane, kind, name, count])).toEqual([
      ['reply', 'events', 'signup', 1],
      ['lead', 'events', 'signup', 1],
      ['poll', 'conversations', 'chats', 3],
      ['campaign', 'members', 'spring', 85],
      ['backfill', 'records', 'leads', 30],
      [null, 'outbox', 'crm', 3],
    ]);
    // The campaign is paused, and the sink takes no calls of the budget.
    expect(waiting.map(({ place }) => place)).toEqual([1, 2, 3, null, 4, null]);
    // One event ended in the last ten minutes; the poller made 30 calls.
    expect(waiting.slice(0, 3).map(({ etaSeconds }) => etaSeconds)).toEqual([600, expect.any(Number), 60]);
  });

  it.each<[string, Caller, string | null]>([
    ['the author', ANA, 'SAME_PERSON'],
    ['an operator', { ...ANA, identity: 'user:bia', role: 'operator' }, 'ROLE_REQUIRED'],
    ['a second person', { ...ANA, identity: 'user:bia', role: 'approver' }, null],
  ])('a plan that waits for approval offers it to those who may: %s', async (_who, caller, code) => {
    const { needs } = await ask('GET /overview', {}, undefined, caller);
    const { approval, commands } = needs.find(({ kind }) => kind === 'approval') ?? {};
    expect(approval?.refusal?.code ?? null).toBe(code);
    expect(commands?.map(({ route }) => route)).toEqual(
      code === null ? ['POST /campaigns/{campaign}/approve'] : [],
    );
    expect(needs.filter((need) => need.approval !== null)).toHaveLength(1);
  });

  it('what needs a person is listed with its command, the most severe first', async () => {
    const { needs, more } = await ask('GET /overview');
    expect(needs.map(({ kind, account, name, count }) => [kind, account, name, count])).toEqual(
      expect.arrayContaining([
        ['refused-token', 'acme', '1', 1],
        ['blocked-poller', 'acme', 'chats', 1],
        ['blocked-events', 'acme', 'signup', 1],
        ['failed-run', 'acme', 'leads', 1],
        ['failed-campaign', 'acme', 'winter', 1],
        ['unknown-records', 'acme', 'leads', 1],
        ['unknown-events', 'acme', 'signup', 1],
        ['unknown-members', 'acme', 'spring', 1],
        ['failed-members', 'acme', 'spring', 1],
        ['dead-outbox', null, 'crm', 2],
        ['paused-campaign', 'acme', 'spring', 1],
        ['approval', 'acme', 'autumn', 1],
        ['temporal-away', null, 'Temporal', 1],
        ['no-worker', null, 'worker', 1],
        ['waiting-sink', null, 'crm', 1],
      ]),
    );
    // The failed run of the sync "old" was made up for by a later one.
    expect(needs).toHaveLength(15);
    expect(needs.find(({ kind }) => kind === 'failed-campaign')?.reason).toBe('there is no such tag');
    expect(more).toBe(false);
    const order = ['critical', 'warning', 'info'];
    const severities = needs.map(({ severity }) => order.indexOf(severity));
    expect(severities).toEqual(severities.toSorted((a, b) => a - b));
    for (const { route, input } of needs.flatMap(({ commands }) => commands)) {
      expect(ENDPOINTS[route as Route].input.safeParse(input), route).toMatchObject({ success: true });
      // The console has words for its button.
      const word = route.split('/').at(-1) as 'retry';
      for (const texts of [en, ptBR])
        expect([texts.command[word], texts.effect[word]]).not.toContain(undefined);
    }
    const without = needs.filter(({ commands }) => commands.length === 0).map(({ kind }) => kind);
    expect(without).toEqual([
      'temporal-away',
      'no-worker',
      'refused-token',
      'waiting-sink',
      'unknown-members',
      // Its author reads the overview.
      'approval',
    ]);
    expect(needs.find(({ kind }) => kind === 'dead-outbox')?.commands).toEqual([
      { route: 'POST /outbox/retry', input: { sinks: ['crm'], states: ['dead'] } },
    ]);
  });

  it.each([
    [null, 'info', 'paused-sync', { paused: { by: 'user:ana', reason: 'lunch' }, blocked: null }],
    [
      'DIFFERENCE',
      'critical',
      'blocked-sync',
      { paused: null, blocked: { code: 'DIFFERENCE', reason: 'lunch' } },
    ],
  ])('a sync paused with the code %s needs a person', async (code, severity, kind, shown) => {
    const pause = {
      run: 'acme/leads/2',
      account: 'acme',
      sync: 'leads',
      by: 'user:ana',
      reason: 'lunch',
      code,
    };
    const probes = { ...QUIET, pausedSyncs: async () => new Map([[pause.run, pause]]) };
    const { needs, running } = await ask('GET /overview', {}, probes);
    expect(needs.find((need) => need.kind === kind)).toMatchObject({
      severity,
      name: 'leads',
      run: pause.run,
      code,
      commands: [{ route: 'POST /syncs/{sync}/resume', input: { sync: 'leads' } }],
    });
    expect(running.find(({ run }) => run === pause.run)).toMatchObject({ ...shown, etaSeconds: null });
  });

  it('open dead letters need a person, of the account that was asked for', async () => {
    const open = {
      cluster: 'bus',
      route: 'signup',
      count: 3,
      since: SINCE,
      code: 'SCHEMA',
      reason: 'no phone',
    };
    const probes = { ...QUIET, deadLetters: () => [open] };
    const { needs } = await ask('GET /overview', { account: 'acme' }, probes);
    expect(needs.find(({ kind }) => kind === 'dead-letters')).toEqual({
      kind: 'dead-letters',
      approval: null,
      severity: 'warning',
      account: 'acme',
      name: 'signup',
      run: null,
      count: 3,
      since: SINCE,
      code: 'SCHEMA',
      reason: 'no phone',
      commands: [{ route: 'POST /dead-letters/replay', input: { cluster: 'bus', route: 'signup' } }],
    });
    const other = await ask('GET /overview', { account: 'beta' }, probes);
    expect(other.needs.filter(({ kind }) => kind === 'dead-letters')).toEqual([]);
  });

  it('health shows the ledger, calls of the last five minutes, pollers and sinks', async () => {
    const { health } = await ask('GET /overview');
    expect(health).toMatchObject({
      ledger: { kind: db.kind },
      temporal: { ok: false, detail: 'no Temporal server is running' },
      kafka: null,
      api: [{ account: 'acme', calls: 133, failed: 1, lastCode: 'TRANSPORT_RESET' }],
      pollers: [{ account: 'acme', poller: 'chats', state: 'blocked', lagSeconds: null }],
      sinks: [{ sink: 'crm', circuit: 'closed', waiting: 3, exact: true, dead: 2 }],
    });
    expect(health.ledger.lastFlushAt).not.toBeNull();
    const [poller] = health.pollers;
    expect(Date.parse(poller?.startedAt as string)).toBeLessThan(Date.now() - 3_500_000);
  });

  it('one account shows only its own', async () => {
    const { tokens, running, waiting, needs, health } = await ask('GET /overview', { account: 'beta' });
    expect([tokens, running, health.api, health.pollers]).toEqual([[], [], [], []]);
    expect(waiting.map(({ kind }) => kind)).toEqual(['outbox']);
    expect(needs.map(({ kind }) => kind)).toEqual([
      'temporal-away',
      'no-worker',
      'dead-outbox',
      'waiting-sink',
    ]);
    expect(needs.every(({ since }) => since !== null)).toBe(true);
  });

  it('many pending records are estimated from the range of their ids', async () => {
    await emptyLedger(db);
    await fill(db, { pending: 20_000 });
    const { running } = await ask('GET /overview');
    const leads = running.find(({ name }) => name === 'leads');
    expect(leads).toMatchObject({ exact: false, total: 20_090 });
    expect(leads?.done).toBeGreaterThan(0);
    expect(leads?.done).toBeLessThan(300);
  });
});
