// The span of an activity: what it continues, what it shows of the input, and that it never keeps the work from running.
import type { ActivityExecuteInput, ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import { LedgerError, type Queryable } from '../../../src/core/sql/database.ts';
import { NO_TRACING, type SpanAttributes, type SpanDraft, type Tracing } from '../../../src/core/tracing.ts';
import { tracedActivities } from '../../../workers/traced-activities.ts';

const PARENT = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
const ROW = { route: 'leads', action: 'lead', traceparent: PARENT, tracestate: 'v=1', age_ms: 1500.4 };

function recording(rows: () => Promise<unknown[]>) {
  const spans: { draft: SpanDraft; set: SpanAttributes }[] = [];
  const warnings: string[] = [];
  const tracing: Tracing = {
    ...NO_TRACING,
    isOn: true,
    within(draft, work) {
      const span = { draft, set: {} };
      spans.push(span);
      return work({ context: null, set: (more) => Object.assign(span.set, more), fail: () => undefined });
    },
  };
  const db = { query: rows } as unknown as Queryable;
  const log = { info() {}, error() {}, warn: (_fields: object, text: string) => void warnings.push(text) };
  const run = async (activityType: string, input: unknown, result: unknown = null) => {
    const info = {
      activityType,
      workflowType: 'leadIntake',
      workflowExecution: { workflowId: 'w1', runId: 'r1' },
      attempt: 2,
      taskQueue: 'sluice-events',
    };
    const { inbound } = tracedActivities({ tracing, db, log })({ info } as never);
    const execute = inbound?.execute as NonNullable<ActivityInboundCallsInterceptor['execute']>;
    return await execute({ args: [input], headers: {} } as ActivityExecuteInput, async () => result);
  };
  return { run, spans, warnings };
}

describe('the activity of an event', () => {
  it('continues the trace that the ledger has, and shows how far it got', async () => {
    const { run, spans } = recording(async () => [ROW]);
    const input = { account: 'acme', event: 'e1', workflow: 'w1' };
    expect(await run('workEvent', input, { state: 'ended', next: null })).toEqual({
      state: 'ended',
      next: null,
    });
    expect(spans).toEqual([
      {
        draft: {
          name: 'event leads',
          kind: 'consumer',
          parent: { traceparent: PARENT, tracestate: 'v=1' },
          attributes: {
            'sluice.account': 'acme',
            'sluice.event': 'e1',
            'sluice.route': 'leads',
            'sluice.action': 'lead',
            'sluice.event_age_ms': 1500,
            'temporal.activity': 'workEvent',
            'temporal.workflow': 'leadIntake',
            'temporal.workflow_id': 'w1',
            'temporal.run_id': 'r1',
            'temporal.attempt': 2,
            'temporal.task_queue': 'sluice-events',
          },
        },
        set: { 'sluice.state': 'ended', 'sluice.next_ms': undefined },
      },
    ]);
  });

  it.each<[string, () => Promise<unknown[]>]>([
    ['that the ledger does not have', async () => []],
    ['while the ledger is away', () => Promise.reject(new LedgerError(new Error('away'), 'the ledger'))],
  ])('%s runs, and begins a trace', async (_what, rows) => {
    const { run, spans } = recording(rows);
    expect(await run('workEvent', { event: 'e1' }, { state: 'ended' })).toEqual({ state: 'ended' });
    expect(spans).toMatchObject([{ draft: { name: 'workEvent', parent: null } }]);
  });

  it('whose context in the ledger is broken begins a trace', async () => {
    const { run, spans } = recording(async () => [{ ...ROW, traceparent: 'x'.repeat(55) }]);
    await run('workEvent', { event: 'e1' });
    expect(spans).toMatchObject([{ draft: { name: 'event leads', parent: null } }]);
  });
});

describe('any other activity', () => {
  it('begins a trace, and shows only names and ids of its input', async () => {
    const { run, spans } = recording(() => Promise.reject(new Error('not asked')));
    const input = {
      run: 'run-1',
      account: 'acme',
      number: '5511987654321',
      name: 'Bia',
      sink: { password: 'secret' },
      poller: 'x'.repeat(201),
    };
    await run('syncBatch', input, { nextMs: 250, report: { name: 'Bia' } });
    const [{ draft, set } = {} as never] = spans;
    expect(draft).toMatchObject({ name: 'syncBatch', parent: null });
    const shown = Object.keys(draft?.attributes ?? {}).filter((key) => key.startsWith('sluice.'));
    expect(shown).toEqual(['sluice.run', 'sluice.account']);
    expect(set).toEqual({ 'sluice.state': undefined, 'sluice.next_ms': 250 });
  });

  it.each([undefined, null, 'text', 7])('with the input %j has a span', async (input) => {
    const { run, spans } = recording(async () => []);
    await run('openRun', input, input);
    expect(spans).toHaveLength(1);
  });
});
