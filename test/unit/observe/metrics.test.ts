import { describe, expect, it } from 'vitest';
import type { LedgerSnapshot } from '../../../src/observe/metrics/backlog.ts';
import { createMetrics } from '../../../src/observe/metrics/index.ts';

const open = () => {
  const metrics = createMetrics('worker', '1.2.3');
  const lines = async (beginning: string) =>
    (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith(beginning));
  return { ...metrics, lines };
};

const CALL = { account: 'acme', lane: 2, status: 200, code: null, wait_ms: 1500, took_ms: 80 };
const EMPTY: LedgerSnapshot = {
  workers: 0,
  bytes: 0,
  waiting: [],
  runs: [],
  stopped: [],
  budgets: [],
  pollers: [],
  sinks: [],
  needs: [],
};

it('names follow the conventions of Prometheus', async () => {
  const all = (await open().registry.getMetricsAsJSON()) as unknown as {
    name: string;
    type: string;
    help: string;
  }[];
  for (const { name, type, help } of all.filter((metric) => metric.name.startsWith('sluice_'))) {
    expect(name).toMatch(/^sluice_[a-z]+(?:_[a-z]+)*$/);
    expect(name.endsWith('_total')).toBe(String(type) === 'counter');
    if (String(type) === 'histogram') expect(name).toMatch(/_seconds$/);
    expect(name).not.toMatch(/_(?:ms|millis|minutes|kb|percent)(?:_|$)/);
    expect(help).toMatch(/^[A-Z0-9].*[^.]$/);
  }
});

it('no label can carry an id or personal data', () => {
  const allowed = new Set(
    'account action campaign circuit cluster code connection kind lane outcome part partition poller process reason result route sender sink state status sync token topic version why'.split(
      ' ',
    ),
  );
  const all = open().registry.getMetricsAsArray() as unknown as { name: string; labelNames: string[] }[];
  for (const { name, labelNames } of all.filter((metric) => metric.name.startsWith('sluice_')))
    expect(
      labelNames.filter((label) => !allowed.has(label)),
      name,
    ).toEqual([]);
});

describe('calls', () => {
  it('count by account, lane, status and code, and time their slot', async () => {
    const { calls, lines } = open();
    calls.ended(CALL);
    calls.ended({ ...CALL, lane: 5, status: 429, code: 'RATE_LIMITED' });
    calls.ended({ ...CALL, status: null, code: 'TRANSPORT_RESET' });
    expect(await lines('sluice_api_calls_total')).toEqual([
      'sluice_api_calls_total{account="acme",lane="lead",status="200",code="OK"} 1',
      'sluice_api_calls_total{account="acme",lane="backfill",status="429",code="RATE_LIMITED"} 1',
      'sluice_api_calls_total{account="acme",lane="lead",status="none",code="TRANSPORT_RESET"} 1',
    ]);
    expect(await lines('sluice_api_slot_wait_seconds_sum{lane="lead"}')).toEqual([
      'sluice_api_slot_wait_seconds_sum{lane="lead"} 3',
    ]);
    expect(await lines('sluice_api_slot_wait_seconds_bucket{le="1",lane="lead"}')).toEqual([
      'sluice_api_slot_wait_seconds_bucket{le="1",lane="lead"} 0',
    ]);
  });

  it('a service that invents codes cannot fill the memory, nor write into the page', async () => {
    const { calls, lines } = open();
    for (let n = 0; n < 500; n++) calls.ended({ ...CALL, status: 400, code: `CODE_${n}` });
    for (const code of ['5511987654321', 'a"} 1\nevil 1', 'X'.repeat(61), ''])
      calls.ended({ ...CALL, status: 400, code });
    const found = await lines('sluice_api_calls_total');
    expect(found).toHaveLength(101);
    expect(found).toContain(
      'sluice_api_calls_total{account="acme",lane="lead",status="400",code="OTHER"} 404',
    );
    expect(found.join()).not.toMatch(/5511987654321|evil/);
  });
});

describe('configured work', () => {
  const WORK = { syncs: {}, routes: {}, campaigns: {}, sinks: {} };

  it('begins at 0, so that Prometheus sees the first failure as an increase', async () => {
    const { work, lines } = open();
    work.expect({
      syncs: { leads: { account: 'acme' } },
      routes: { form: { account: 'acme' } },
      campaigns: { spring: { account: 'acme' } },
      sinks: { bus: {} },
    });
    expect(await lines('sluice_runs_ended_total')).toEqual([
      'sluice_runs_ended_total{account="acme",sync="leads",status="finished"} 0',
      'sluice_runs_ended_total{account="acme",sync="leads",status="failed"} 0',
      'sluice_runs_ended_total{account="acme",sync="leads",status="cancelled"} 0',
    ]);
    expect(await lines('sluice_records_total')).toHaveLength(7);
    expect(await lines('sluice_events_ended_total')).toHaveLength(6);
    expect(await lines('sluice_campaign_runs_ended_total')).toHaveLength(2);
    expect(await lines('sluice_campaign_members_ended_total')).toHaveLength(4);
    expect(await lines('sluice_outbox_messages_total')).toHaveLength(2);
  });

  it('429 answers begin at 0, and the first one is an increase', async () => {
    const { calls, lines } = open();
    calls.expect({ acme: {}, other: {} });
    const before = await lines('sluice_api_calls_total');
    expect(before).toHaveLength(10);
    const series = 'sluice_api_calls_total{account="acme",lane="lead",status="429",code="ERR_RATE_LIMITED"}';
    expect(before).toContain(`${series} 0`);
    calls.ended({ ...CALL, lane: 2, status: 429, code: 'ERR_RATE_LIMITED' });
    calls.expect({ acme: {}, other: {} });
    const after = await lines('sluice_api_calls_total');
    expect(after).toContain(`${series} 1`);
    expect(after).toHaveLength(10);
  });

  it('429 answers of a thousand accounts do not fill the page', async () => {
    const { calls, lines } = open();
    calls.expect(Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`a${at}`, {}])));
    expect(await lines('sluice_api_calls_total')).toHaveLength(1000);
  });

  it('shows which syncs are scheduled, until the schedule is paused or gone', async () => {
    const { work, lines } = open();
    const sync = { account: 'acme' };
    const on = { ...sync, schedule: { paused: false } };
    const off = { ...sync, schedule: { paused: true } };
    work.expect({ ...WORK, syncs: { nightly: on, paused: off, manual: sync, removed: on } });
    expect(await lines('sluice_sync_scheduled')).toEqual([
      'sluice_sync_scheduled{account="acme",sync="nightly"} 1',
      'sluice_sync_scheduled{account="acme",sync="removed"} 1',
    ]);
    work.expect({ ...WORK, syncs: { nightly: off, paused: on } });
    expect(await lines('sluice_sync_scheduled')).toEqual([
      'sluice_sync_scheduled{account="acme",sync="paused"} 1',
    ]);
  });

  it('counts on when it is announced again', async () => {
    const { work, lines } = open();
    const syncs = { leads: { account: 'acme' } };
    work.expect({ ...WORK, syncs });
    work.runEnded({ account: 'acme', sync: 'leads', status: 'failed' }, {});
    work.expect({ ...WORK, syncs });
    expect(await lines('sluice_runs_ended_total')).toContain(
      'sluice_runs_ended_total{account="acme",sync="leads",status="failed"} 1',
    );
  });

  it('of a thousand accounts does not fill the page', async () => {
    const { work, lines } = open();
    const names = Array.from({ length: 1000 }, (_, at) => [`leads-${at}`, { account: `a${at}` }]);
    work.expect({ ...WORK, syncs: Object.fromEntries(names) });
    expect(await lines('sluice_runs_ended_total')).toHaveLength(600);
  });
});

describe('the ledger', () => {
  it('what has gone since the last scrape leaves the page', async () => {
    const { setLedger, lines } = open();
    setLedger({
      ...EMPTY,
      waiting: [{ account: 'acme', kind: 'event', items: 7, oldestSeconds: 12.5 }],
      budgets: [{ account: 'acme', token: 1, limit: 120, used: 60, foreign: 2, blockedSeconds: 0 }],
      pollers: [{ account: 'acme', poller: 'inbox', state: 'blocked', lagSeconds: 7 }],
      sinks: [{ sink: 'bus', waiting: 3, dead: 1, lagSeconds: null, circuit: 'open' }],
      needs: [
        { account: null, kind: 'dead-outbox', count: 1 },
        { account: 'acme', kind: 'unknown-events', count: 2 },
        { account: 'acme', kind: 'unknown-events', count: 3 },
      ],
    });
    expect(await lines('sluice_ledger_up')).toEqual(['sluice_ledger_up 1']);
    expect(await lines('sluice_backlog_')).toEqual([
      'sluice_backlog_items{account="acme",kind="event"} 7',
      'sluice_backlog_oldest_seconds{account="acme",kind="event"} 12.5',
    ]);
    expect(await lines('sluice_needs_attention')).toEqual([
      'sluice_needs_attention{account="",kind="dead-outbox"} 1',
      'sluice_needs_attention{account="acme",kind="unknown-events"} 5',
    ]);
    expect(await lines('sluice_poll_')).toEqual([
      'sluice_poll_lag_seconds{account="acme",poller="inbox"} 7',
      'sluice_poll_state{account="acme",poller="inbox",state="polling"} 0',
      'sluice_poll_state{account="acme",poller="inbox",state="paused"} 0',
      'sluice_poll_state{account="acme",poller="inbox",state="blocked"} 1',
    ]);
    expect(await lines('sluice_outbox_circuit_open')).toEqual(['sluice_outbox_circuit_open{sink="bus"} 1']);
    setLedger(EMPTY);
    expect(await lines('sluice_backlog_')).toEqual([]);
    expect(await lines('sluice_needs_')).toEqual([]);
  });

  it('runs show the oldest of a sync, and stopped campaigns a code that can be trusted', async () => {
    const { setLedger, lines } = open();
    // Before the first answer of the ledger, 0 workers would be a false alarm.
    expect(await lines('sluice_workers_alive')).toEqual([]);
    setLedger({
      ...EMPTY,
      workers: 2,
      bytes: 8e9,
      runs: [
        { account: 'acme', sync: 'leads', ageSeconds: 7 },
        { account: 'acme', sync: 'leads', ageSeconds: 90 },
        { account: 'acme', sync: 'leads', ageSeconds: 8 },
      ],
      stopped: [
        { account: 'acme', campaign: 'spring', code: 'STOP_FAILED' },
        { account: 'acme', campaign: 'autumn', code: 'call +55 11 98765-4321' },
      ],
    });
    expect(await lines('sluice_backlog_')).toEqual([
      'sluice_backlog_run_seconds{account="acme",sync="leads"} 90',
      'sluice_backlog_stopped_campaigns{account="acme",campaign="spring",code="STOP_FAILED"} 1',
      'sluice_backlog_stopped_campaigns{account="acme",campaign="autumn",code="OTHER"} 1',
    ]);
    expect(await lines('sluice_workers_alive')).toEqual(['sluice_workers_alive 2']);
    expect(await lines('sluice_ledger_size_bytes')).toEqual(['sluice_ledger_size_bytes 8000000000']);
    // No worker is a value, not a gap: the alert depends on it.
    setLedger(EMPTY);
    expect(await lines('sluice_workers_alive')).toEqual(['sluice_workers_alive 0']);
    setLedger(null);
    expect(await lines('sluice_workers_alive')).toEqual([]);
    expect(await lines('sluice_ledger_size_bytes')).toEqual([]);
  });

  it('a ledger that does not answer shows no old values', async () => {
    const { setLedger, lines } = open();
    setLedger({ ...EMPTY, waiting: [{ account: 'acme', kind: 'event', items: 7, oldestSeconds: 1 }] });
    setLedger(null);
    expect(await lines('sluice_ledger_up')).toEqual(['sluice_ledger_up 0']);
    expect(await lines('sluice_backlog_')).toEqual([]);
  });

  it.each([
    ['all are busy', { total: 10, idle: 0, waiting: 7 }, 7],
    ['it begins in this moment', { total: 3, idle: 3, waiting: 1 }, 0],
    ['none is open yet', { total: 0, idle: 0, waiting: 1 }, 1],
  ])('a statement waits for a connection when none is idle: %s', async (_, pool, queued) => {
    const { ledger, lines } = open();
    ledger.watchPool(() => pool);
    expect(await lines('sluice_ledger_connections{state="queued"}')).toEqual([
      `sluice_ledger_connections{state="queued"} ${queued}`,
    ]);
  });

  it('statements count with their time, and failed ones with their code', async () => {
    const { ledger, lines } = open();
    ledger.watchPool(() => ({ total: 4, idle: 1, waiting: 2 }));
    ledger.statement(0.02, null);
    ledger.statement(0.03, '40P01');
    expect(await lines('sluice_ledger_statement_seconds_count')).toEqual([
      'sluice_ledger_statement_seconds_count 2',
    ]);
    expect(await lines('sluice_ledger_statement_errors_total')).toEqual([
      'sluice_ledger_statement_errors_total{code="40P01"} 1',
    ]);
    expect(await lines('sluice_ledger_connections')).toEqual([
      'sluice_ledger_connections{state="busy"} 3',
      'sluice_ledger_connections{state="idle"} 1',
      'sluice_ledger_connections{state="queued"} 1',
    ]);
  });
});

it('finished work counts by its outcome', async () => {
  const { work, lines } = open();
  work.runEnded({ account: 'acme', sync: 'crm', status: 'finished' }, { created: 3, failed: 0 });
  work.eventEnded({ account: 'acme', route: 'leads', outcome: 'unknown' });
  work.campaignEnded({ account: 'acme', campaign: 'back', status: 'cancelled' });
  work.memberEnded({ account: 'acme', campaign: 'back', outcome: 'triggered' });
  work.outboxSettled('bus', 'sent', 20);
  work.outboxSettled('bus', 'dead', 0);
  expect([
    ...(await lines('sluice_runs_')),
    ...(await lines('sluice_records_')),
    ...(await lines('sluice_events_')),
    ...(await lines('sluice_campaign_')),
    ...(await lines('sluice_outbox_messages')),
  ]).toEqual([
    'sluice_runs_ended_total{account="acme",sync="crm",status="finished"} 1',
    'sluice_records_total{account="acme",sync="crm",outcome="created"} 3',
    'sluice_events_ended_total{account="acme",route="leads",outcome="unknown"} 1',
    'sluice_campaign_runs_ended_total{account="acme",campaign="back",status="cancelled"} 1',
    'sluice_campaign_members_ended_total{account="acme",campaign="back",outcome="triggered"} 1',
    'sluice_outbox_messages_total{sink="bus",outcome="sent"} 20',
  ]);
});
