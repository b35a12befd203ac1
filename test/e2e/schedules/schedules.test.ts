// Schedules on a real Temporal server: kept in step with the configuration, and never two runs of one sync at once.

import { WorkflowFailedError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { ScheduleConfig } from '../../../src/core/config/schedule.ts';
import {
  crmSyncWorkflowId,
  SEARCH_KEYS,
  scheduledSyncWorkflowId,
  syncScheduleId,
} from '../../../src/core/ids.ts';
import { listSchedules } from '../../../src/operator/service/schedules/list.ts';
import {
  applySchedules,
  findSchedule,
  planSchedules,
  ScheduleRefusedError,
} from '../../../src/operator/service/schedules/schedules.ts';
import type { crmSync } from '../../../workflows/crm-sync.ts';
import { pauseUpdate, resumeUpdate } from '../../../workflows/messages.ts';
import type { scheduledSync } from '../../../workflows/scheduled-sync.ts';
import type { Environment } from '../../support/environment.ts';
import { plainRows, syncContext } from '../../support/sync-context.ts';
import { until } from '../../support/until.ts';

const context = syncContext();
const COMMAND = { by: 'test', reason: 'to hold the run' };
/** Never comes by itself while the tests run. */
const NEVER = '0 0 29 2 *';

type Schedules = Readonly<Record<string, Partial<ScheduleConfig> | null>>;

/** The part of a configuration that schedules depend on; null: a sync without one. */
function configOf(schedules: Schedules, account = 'acme') {
  const syncs = Object.entries(schedules).map(([sync, schedule]) => [
    sync,
    {
      account,
      ...(schedule === null ? {} : { schedule: ScheduleConfig.parse({ cron: NEVER, ...schedule }) }),
    },
  ]);
  return { accounts: { [account]: {} }, syncs: Object.fromEntries(syncs), campaigns: {} } as never;
}

const apply = async (schedules: Schedules, account = 'acme', taskQueue = 'nobody') => {
  const { client } = context.temporal;
  const changes = await applySchedules({ client, config: configOf(schedules, account), taskQueue });
  return Object.fromEntries(changes.map(({ name, change }) => [name, change]));
};
const handleOf = (sync: string, account = 'acme') =>
  context.temporal.client.schedule.getHandle(syncScheduleId(account, sync));

describe('applySchedules', () => {
  it('creates, updates and deletes what differs, and touches nothing else', async () => {
    expect(await apply({ a: {}, b: {}, none: null })).toEqual({ a: 'create', b: 'create' });
    const before = await handleOf('a').describe();
    await until('the list knows both', async () => {
      const all = await listSchedules(context.temporal.client, configOf({}), 'sync');
      return all.length === 2;
    });
    expect(await apply({ a: {}, b: { cron: '@daily', overlap: 'buffer-one' } })).toEqual({
      a: 'none',
      b: 'update',
    });
    expect((await handleOf('b').describe()).policies.overlap).toBe('BUFFER_ONE');
    expect(await apply({ a: {}, b: null })).toEqual({ a: 'none', b: 'delete' });
    expect(await apply({ a: {}, b: null })).toEqual({ a: 'none' });
    const after = await handleOf('a').describe();
    expect(after.info.lastUpdatedAt).toEqual(before.info.lastUpdatedAt);
    await apply({});
  });

  it('leaves schedules of other accounts and of other programs alone', async () => {
    await apply({ theirs: {} }, 'other');
    await context.temporal.client.schedule.create({
      scheduleId: 'sync',
      spec: { cronExpressions: [NEVER] },
      action: { type: 'startWorkflow', workflowType: 'x', taskQueue: 'x' },
    });
    await until('the list knows both', async () => {
      const all = await listSchedules(context.temporal.client, configOf({}), 'sync');
      return all.some(({ account, state }) => account === 'other' && state === 'not-configured');
    });
    expect(await apply({})).toEqual({});
    expect(
      await findSchedule(context.temporal.client, { job: 'sync', account: 'other', name: 'theirs' }),
    ).not.toBeNull();
    expect(await apply({}, 'other')).toEqual({ theirs: 'delete' });
  });

  it('keeps a pause that an operator made, and ends one of the configuration with it', async () => {
    const paused = async () => (await handleOf('p').describe()).state.paused;
    await apply({ p: {} });
    await handleOf('p').pause('paused by ana');
    await apply({ p: { jitter: '1s' } });
    expect(await paused()).toBe(true);
    await handleOf('p').unpause('resumed by ana');
    await apply({ p: { paused: true } });
    expect(await paused()).toBe(true);
    await apply({ p: {} });
    expect(await paused()).toBe(false);
    await handleOf('p').delete();
  });

  it('the server takes every cron and zone that the configuration takes', async () => {
    const crons = ['*/15 8-18 * * mon-FRI', '0,30 0 1,15 JAN,dec *', '0/20 1-5/2 * * 7', '5 4 * * sun-sat'];
    const words = ['@hourly', '@daily', '@midnight', '@weekly', '@monthly', '@yearly', '@annually'];
    const cron = [...crons, ...words];
    expect(await apply({ c: { cron, timeZone: 'Asia/Calcutta' } })).toEqual({ c: 'create' });
    const [entry] = await listSchedules(context.temporal.client, configOf({ c: { cron } }), 'sync');
    expect(entry).toMatchObject({ job: 'sync', name: 'c', state: 'differs', cron });
    expect(entry?.next[0]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    await handleOf('c').delete();
  });

  it('a schedule that the server refuses is named', async () => {
    const config = {
      accounts: { acme: {} },
      syncs: {
        bad: {
          account: 'acme',
          schedule: { ...ScheduleConfig.parse({ cron: '@daily' }), timeZone: 'Mars/Base' },
        },
      },
      campaigns: {},
    };
    const refused = applySchedules({ client: context.temporal.client, config: config as never });
    await expect(refused).rejects.toThrow(ScheduleRefusedError);
    await expect(refused).rejects.toMatchObject({ place: 'syncs.bad.schedule' });
  });
});

describe('a scheduled sync', () => {
  /** A sync that a person starts by hand, paused halfway. */
  const byHand = async (environment: Environment) => {
    const { client } = context.temporal;
    const handle = await client.workflow.start<typeof crmSync>('crmSync', {
      workflowId: crmSyncWorkflowId('acme', 'leads'),
      taskQueue: environment.workQueue,
      args: [{ account: 'acme', sync: 'leads' }],
    });
    await handle.executeUpdate(pauseUpdate, { args: [COMMAND] });
    return handle;
  };
  let runs = 0;
  const scheduled = async (environment: Environment, overlap: 'skip' | 'buffer-one' | 'cancel-other') =>
    await context.temporal.client.workflow.start<typeof scheduledSync>('scheduledSync', {
      workflowId: `${scheduledSyncWorkflowId('acme', 'leads')}-${runs++}`,
      taskQueue: environment.workQueue,
      args: [{ account: 'acme', sync: 'leads', overlap }],
    });
  const syncHandle = () =>
    context.temporal.client.workflow.getHandle<typeof crmSync>(crmSyncWorkflowId('acme', 'leads'));
  const statusOf = async () => (await syncHandle().describe()).status.name;

  it('triggered and backfilled runs the sync under its one id, found by the same attributes', async () => {
    await context.inEnvironment({ csv: plainRows(2) }, async (environment) => {
      await apply(
        { leads: { cron: '0 6 * * *', timeZone: 'America/Sao_Paulo' } },
        'acme',
        environment.workQueue,
      );
      const handle = handleOf('leads');
      await handle.trigger('SKIP');
      const taken = async (count: number) =>
        await until(`${count} scheduled runs started`, async () => {
          const { info } = await handle.describe();
          return info.numActionsTaken >= count ? info.recentActions.at(-1)?.action.workflow : null;
        });
      const first = await taken(1);
      const workflow = context.temporal.client.workflow.getHandle<typeof scheduledSync>(first.workflowId);
      expect(await workflow.result()).toEqual({
        joined: false,
        skipped: false,
        cancelled: false,
        run: 'acme/leads/1',
      });
      const sync = await syncHandle().describe();
      expect(sync.typedSearchAttributes.get(SEARCH_KEYS.job)).toBe('crm-sync/leads');
      expect(sync.typedSearchAttributes.get(SEARCH_KEYS.run)).toBe('acme/leads/1');
      expect(await environment.panel.account('acme')).toMatchObject({ contacts: { length: 2 } });
      // Three turns lie in the span, both ends of it included: one run makes up for all.
      const [start, end] = [new Date('2026-11-01T09:00:00Z'), new Date('2026-11-03T09:00:00Z')];
      await handle.backfill({ start, end, overlap: 'SKIP' });
      const { workflowId } = await taken(2);
      expect(workflowId).toContain('2026-11-01T09:00:00Z');
      const backfilled = context.temporal.client.workflow.getHandle<typeof scheduledSync>(workflowId);
      expect(await backfilled.result()).toMatchObject({ run: 'acme/leads/2' });
      expect((await handle.describe()).info.numActionsSkippedOverlap).toBe(2);
      await handle.delete();
    });
  });

  it('leaves its scheduled run out, waits, or cancels the other, as the policy says', async () => {
    await context.inEnvironment({ csv: plainRows(2) }, async (environment) => {
      const first = await byHand(environment);
      expect(await (await scheduled(environment, 'skip')).result()).toMatchObject({
        skipped: true,
        run: null,
      });
      expect(await statusOf()).toBe('RUNNING');

      const cancelling = await scheduled(environment, 'cancel-other');
      expect(await cancelling.result()).toMatchObject({ skipped: false, run: 'acme/leads/2' });
      await expect(first.result()).rejects.toThrow(WorkflowFailedError);

      const owner = await byHand(environment);
      const waiting = await scheduled(environment, 'buffer-one');
      await until('the waiting one has seen that the id is taken', async () => {
        const { events } = await waiting.fetchHistory();
        return events?.some(({ startChildWorkflowExecutionFailedEventAttributes: failed }) => failed != null);
      });
      await owner.executeUpdate(resumeUpdate, { args: [COMMAND] });
      expect((await owner.result()).run).toBe('acme/leads/3');
      expect(await waiting.result()).toMatchObject({ skipped: false, run: 'acme/leads/4' });
    });
  });

  it('ended hard leaves its sync running; cancelled it cancels the sync; a sync cancelled by name is reported', async () => {
    const start = async (environment: Environment) => {
      const outer = await scheduled(environment, 'skip');
      await until('the sync runs', async () => {
        const inner = await syncHandle()
          .describe()
          .catch(() => null);
        return (
          inner?.status.name === 'RUNNING' &&
          inner.raw.workflowExecutionInfo?.parentExecution?.workflowId === outer.workflowId
        );
      });
      await syncHandle().executeUpdate(pauseUpdate, { args: [COMMAND] });
      return outer;
    };
    await context.inEnvironment({ csv: plainRows(1) }, async (environment) => {
      await (await start(environment)).terminate('test');
      expect(await statusOf()).toBe('RUNNING');
      await syncHandle().executeUpdate(resumeUpdate, { args: [COMMAND] });
      expect((await syncHandle().result()).run).toBe('acme/leads/1');

      const outer = await start(environment);
      await outer.cancel();
      await expect(outer.result()).rejects.toThrow(WorkflowFailedError);
      expect((await outer.describe()).status.name).toBe('CANCELLED');
      expect(await statusOf()).toBe('CANCELLED');

      const reported = await start(environment);
      await syncHandle().cancel();
      expect(await reported.result()).toEqual({ joined: false, skipped: false, cancelled: true, run: null });
    });
  });

  it('planSchedules changes nothing', async () => {
    const { client } = context.temporal;
    expect(await planSchedules({ client, config: configOf({ x: {} }) })).toEqual([
      { job: 'sync', account: 'acme', name: 'x', change: 'create' },
    ]);
    expect(await findSchedule(client, { job: 'sync', account: 'acme', name: 'x' })).toBeNull();
  });
});
