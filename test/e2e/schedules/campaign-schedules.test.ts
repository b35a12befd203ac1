// Schedules of campaigns on a real Temporal server: beside those of syncs, and each turn a plan that runs when nothing
// speaks against it.

import { WorkflowFailedError } from '@temporalio/client';
import { expect, it } from 'vitest';
import { asJson, describeEntry } from '../../../src/cli/lib/schedule/describe-schedule.ts';
import { ScheduleConfig } from '../../../src/core/config/schedule.ts';
import {
  campaignIdentity,
  campaignPlanIdentity,
  campaignScheduleId,
  SEARCH_KEYS,
  scheduledCampaignWorkflowId,
} from '../../../src/core/ids.ts';
import type { Job } from '../../../src/operator/contract/schedules.ts';
import { listSchedules } from '../../../src/operator/service/schedules/list.ts';
import { applySchedules, planSchedules } from '../../../src/operator/service/schedules/schedules.ts';
import type { campaignPlan } from '../../../workflows/campaign-plan.ts';
import { cancelCampaignUpdate, pauseCampaignUpdate } from '../../../workflows/messages.ts';
import type { reactivationCampaign } from '../../../workflows/reactivation-campaign.ts';
import type { ScheduledCampaignResult, scheduledCampaign } from '../../../workflows/scheduled-campaign.ts';
import { campaignEnvironment, flowRuns, report, winback } from '../../support/campaigns/campaign-context.ts';
import type { Environment } from '../../support/environment.ts';
import { syncContext } from '../../support/sync-context.ts';
import { until } from '../../support/until.ts';

const context = syncContext();
const NAME = { account: 'acme', campaign: 'winback' };
const COMMAND = { by: 'ana', reason: 'to hold the run' };
/** Never comes by itself while the tests run. */
const NEVER = ScheduleConfig.parse({ cron: '0 0 29 2 *', timeZone: 'America/Sao_Paulo' });

function configOf(scheduled: readonly Job[]) {
  const entry = (job: Job, name: string) => ({
    [name]: { account: 'acme', ...(scheduled.includes(job) ? { schedule: NEVER } : {}) },
  });
  return {
    accounts: { acme: {} },
    syncs: entry('sync', 'winback'),
    campaigns: entry('campaign', 'winback'),
  } as never;
}

async function apply(scheduled: readonly Job[], over: { jobs?: Job[]; taskQueue?: string } = {}) {
  const { client } = context.temporal;
  const changes = await applySchedules({ client, config: configOf(scheduled), ...over });
  return changes.map(({ job, change }) => `${job} ${change}`);
}

let scheduledRuns = 0;
async function scheduledRun(
  environment: Environment,
  overlap: 'skip' | 'buffer-one' | 'cancel-other',
  campaign = NAME.campaign,
) {
  return await context.temporal.client.workflow.start<typeof scheduledCampaign>('scheduledCampaign', {
    workflowId: `${scheduledCampaignWorkflowId(NAME)}-${scheduledRuns++}`,
    taskQueue: environment.workQueue,
    args: [{ ...NAME, campaign, overlap }],
  });
}

const campaign = () =>
  context.temporal.client.workflow.getHandle<typeof reactivationCampaign>(campaignIdentity(NAME).workflowId);

/** A scheduled run whose campaign is paused before it has reached anybody. */
async function paused(environment: Environment) {
  const handle = await scheduledRun(environment, 'skip');
  await until('the campaign has begun', async () => {
    const found = await campaign()
      .describe()
      .catch(() => null);
    return found?.status.name === 'RUNNING';
  });
  await campaign().executeUpdate(pauseCampaignUpdate, { args: [COMMAND] });
  return handle;
}

async function untilRunsFor(scheduledRunId: string): Promise<void> {
  await until(`the campaign runs for ${scheduledRunId}`, async () => {
    const { status, raw } = await campaign().describe();
    const parent = raw.workflowExecutionInfo?.parentExecution?.workflowId;
    return status.name === 'RUNNING' && parent === scheduledRunId;
  });
}

/** Windows are closed but for one minute of the week: a campaign begins, and waits. */
const CLOSED = { windows: { zone: 'account', days: { sun: ['03:59-04:00'] } } };
const NOBODY: ScheduledCampaignResult = { run: null, started: false, why: 'overlap' };

it('a sync and a campaign of one name have a schedule each, and applying one kind leaves the other alone', async () => {
  expect(await apply(['sync', 'campaign'])).toEqual(['sync create', 'campaign create']);
  expect(await apply(['sync', 'campaign'])).toEqual(['sync none', 'campaign none']);
  const { client } = context.temporal;
  await until('the list knows both', async () => {
    const gone = await planSchedules({ client, config: configOf([]) });
    return gone.length === 2;
  });
  const [entry, ...others] = await listSchedules(client, configOf(['campaign']), 'campaign');
  expect(others).toEqual([]);
  expect(asJson(entry!)).toMatchObject({ ...NAME, state: 'in-step', scheduleId: 'campaign/acme/winback' });
  expect(asJson(entry!)).not.toHaveProperty('job');
  const [differing] = await listSchedules(client, configOf([]), 'campaign');
  expect(describeEntry(differing!, 'UTC')[0]).toBe(
    'winback (account acme): 0 0 29 2 * in America/Sao_Paulo (on the server only, not in this configuration)',
  );
  expect(await apply([], { jobs: ['sync'] })).toEqual(['sync delete']);
  expect(await apply([], { jobs: ['campaign'] })).toEqual(['campaign delete']);
});

it('a scheduled run plans the campaign and runs it, by the schedule', async () => {
  await context.inEnvironment(campaignEnvironment(3), async (environment) => {
    const { client } = context.temporal;
    await apply(['campaign'], { taskQueue: environment.workQueue });
    const schedule = client.schedule.getHandle(campaignScheduleId(NAME));
    await schedule.trigger('SKIP');
    const { workflowId } = await until('the scheduled run started', async () => {
      const { info } = await schedule.describe();
      return info.recentActions.at(-1)?.action.workflow ?? null;
    });
    await schedule.delete();
    const handle = client.workflow.getHandle<typeof scheduledCampaign>(workflowId);
    const result = await handle.result();
    expect(result).toMatchObject({ started: true, why: null });
    expect((await handle.describe()).typedSearchAttributes.get(SEARCH_KEYS.job)).toBe(
      'scheduled-campaign/winback',
    );
    expect(await report(environment, result.run!)).toMatchObject({
      state: 'finished',
      plannedBy: 'schedule',
    });
    expect(await flowRuns(environment)).toHaveLength(3);
  });
});

it('a plan of nobody, with problems, or that somebody has to approve, is made and left to people', async () => {
  const cases = {
    nobody: { exclude: { tags: ['crm'] } },
    problems: { end: '2026-01-01T00:00:00Z' },
    approval: { approval: 'second-person' },
  };
  const campaigns = Object.fromEntries(Object.entries(cases).map(([name, over]) => [name, winback(over)]));
  await context.inEnvironment({ ...campaignEnvironment(2), campaigns }, async (environment) => {
    for (const why of Object.keys(cases)) {
      const result = await (await scheduledRun(environment, 'skip', why)).result();
      expect(result).toEqual({ run: expect.stringContaining(`acme/+${why}/`), started: false, why });
      expect(await report(environment, result.run!)).toMatchObject({ state: 'planned' });
    }
    expect(await flowRuns(environment)).toEqual([]);
  });
});

it('a scheduled run that meets a run is left out, waits for its end, or cancels it, as the policy says', async () => {
  await context.inEnvironment(campaignEnvironment(2, { campaign: CLOSED }), async (environment) => {
    const first = await paused(environment);
    expect(await (await scheduledRun(environment, 'skip')).result()).toEqual(NOBODY);

    const waiting = await scheduledRun(environment, 'buffer-one');
    await until('the waiting one has seen that a run is under way', async () => {
      const { events } = await waiting.fetchHistory();
      return events?.some(({ childWorkflowExecutionFailedEventAttributes: failed }) => failed != null);
    });
    await campaign().executeUpdate(cancelCampaignUpdate, { args: [COMMAND] });
    expect(await first.result()).toMatchObject({ started: true, why: 'cancelled' });
    await untilRunsFor(waiting.workflowId);
    // Until then a newer plan would replace its plan.
    await until('its campaign has begun', async () => {
      const runs = await environment.db.query<{ state: string }>(
        'select state from campaigns order by run_id desc limit 1',
      );
      return runs[0]?.state === 'running';
    });

    const cancelling = await scheduledRun(environment, 'cancel-other');
    expect(await waiting.result()).toMatchObject({ started: true, why: 'cancelled' });
    await untilRunsFor(cancelling.workflowId);
    await cancelling.cancel();
    await expect(cancelling.result()).rejects.toThrow(WorkflowFailedError);
    expect((await cancelling.describe()).status.name).toBe('CANCELLED');
    expect((await campaign().describe()).status.name).toBe('CANCELLED');
    expect(await flowRuns(environment)).toEqual([]);
  });
});

it('a scheduled run that meets a plan being made is left out, and one ended hard leaves its campaign running', async () => {
  await context.inEnvironment(campaignEnvironment(2, { campaign: CLOSED }), async (environment) => {
    const { client } = context.temporal;
    const planning = await client.workflow.start<typeof campaignPlan>('campaignPlan', {
      ...campaignPlanIdentity(NAME),
      // Where nobody works: it is being made for as long as the test wants.
      taskQueue: 'nobody',
      args: [{ ...NAME, by: 'ana' }],
    });
    expect(await (await scheduledRun(environment, 'skip')).result()).toEqual(NOBODY);
    await planning.terminate('test');
    await (await paused(environment)).terminate('test');
    expect((await campaign().describe()).status.name).toBe('RUNNING');
    await campaign().executeUpdate(cancelCampaignUpdate, { args: [COMMAND] });
    await campaign().result();
  });
});
