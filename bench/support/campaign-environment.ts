// A campaign in an environment of its own: contacts with a tag, a flow, windows that are always open.
import { campaignIdentity, campaignPlanIdentity, WORK_QUEUE } from '../../src/core/ids.ts';
import type { CampaignPlan } from '../../src/jobs/campaigns/contract/plan.ts';
import type { campaignPlan } from '../../workflows/campaign-plan.ts';
import type { reactivationCampaign } from '../../workflows/reactivation-campaign.ts';
import { type Environment, openEnvironment } from './environment.ts';
import { readChain } from './histories.ts';
import { tokenOf } from './people.ts';

const NAME = { account: 'acme', campaign: 'winback' };
/** What the sandbox's log calls a trigger. */
export const TRIGGER = '/v1/flows/trigger';

/** @param rate calls a minute that the service allows */
export async function openCampaignEnvironment(
  members: number,
  waves: object,
  rate: number,
  minutes: number,
  say: (line: string) => void,
): Promise<Environment> {
  const contacts = Array.from({ length: members }, (_, i) => ({
    id: i + 1,
    number: `1415${2_000_000 + i}`,
    name: `Person ${i}`,
    tagIds: [1],
  }));
  const fixture = {
    id: 'acme',
    tokens: [{ value: tokenOf('acme'), scopes: ['contacts:read', 'connections:read', 'flows:trigger'] }],
    connections: [{ id: 1, name: 'main', channel: 'waba', status: 'CONNECTED' }],
    tags: [{ id: 1, name: 'lapsed' }],
    flows: [{ id: 1, name: 'reactivate', active: true, published: true, nodes: 3 }],
    contacts,
  };
  const allDay = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].map((day) => [day, ['00:00-24:00']]);
  return await openEnvironment({
    accounts: [{ id: 'acme', fixture, config: { callsPerMinute: rate, timeZone: 'UTC' } }],
    rate,
    config: {
      campaigns: {
        winback: {
          account: 'acme',
          flow: 1,
          connection: 1,
          audience: [{ from: 'contacts', tags: ['lapsed'] }],
          windows: { zone: 'account', days: Object.fromEntries(allDay) },
          waves,
        },
      },
    },
    files: {},
    minutes,
    say,
  });
}

export async function planCampaign(environment: Environment): Promise<{ run: string; planning: number }> {
  const plan: CampaignPlan = await environment.client.workflow.execute<typeof campaignPlan>('campaignPlan', {
    ...campaignPlanIdentity(NAME),
    taskQueue: WORK_QUEUE,
    args: [{ ...NAME, by: 'bench' }],
  });
  if (plan.problems.length > 0) throw new Error(JSON.stringify(plan.problems));
  return { run: plan.run, planning: plan.calls.planning };
}

export async function runCampaign(environment: Environment, planned: string) {
  const identity = campaignIdentity(NAME);
  const handle = await environment.client.workflow.start<typeof reactivationCampaign>(
    'reactivationCampaign',
    {
      ...identity,
      taskQueue: WORK_QUEUE,
      args: [{ ...NAME, run: planned, by: 'bench' }],
    },
  );
  const { startTime } = await handle.describe();
  const { workflowId } = identity;
  const firstRunId = handle.firstExecutionRunId;
  const bytes = () => readChain(environment.client, workflowId, firstRunId);
  return { handle, workflowId, firstRunId, startedAt: startTime.getTime(), bytes };
}

/** Contacts without a flow run, and flow runs beyond the first of each. */
export async function wrongRuns(environment: Environment, members: number): Promise<number> {
  const { runs } = await environment.panel<{ runs: { contactId: number }[] }>('/flow-runs');
  const different = new Set(runs.map(({ contactId }) => contactId)).size;
  return members - different + (runs.length - different);
}
