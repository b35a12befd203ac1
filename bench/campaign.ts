// How close a campaign comes to the fewest minutes that its token allows, how long live leads wait beside it, and what a
// member costs in memory and history. Flow runs and calls are counted by the sandbox, bytes by the engine.
import type { CampaignPlan } from '../src/contracts/campaign.ts';
import type { campaignPlan } from '../workflows/campaign-plan.ts';
import { campaignIdentity, campaignPlanIdentity } from '../workflows/messages.ts';
import { WORK_QUEUE } from '../workflows/policies.ts';
import type { reactivationCampaign } from '../workflows/reactivation-campaign.ts';
import type { BenchResult } from './bench.ts';
import { readChain } from './support/engine.ts';
import { type House, openHouse } from './support/house.ts';
import { evaluate, LIMIT, openSender } from './support/leads.ts';
import { mostInAnyMinute, round, timeOf, wasTaken } from './support/log.ts';
import { residentMb } from './support/memory.ts';
import { tokenOf } from './support/people.ts';

const NAME = { account: 'acme', campaign: 'winback' };
const TRIGGER = '/v1/flows/trigger';
/** Beside nothing else: five minutes at the limit. */
const QUIET = 600;
const QUIET_WAVES = 3;
const LEADS = 100;
const LEAD_EVERY_MS = 4000;
/** Enough to be at it still when the last lead comes. */
const MIXED = 1000;
/** At a limit that nobody reaches: what grows with the members shows between the two. */
const LARGE = 20_000;
const LARGE_FROM = 4000;
const RAISED = 60_000;

export async function campaign(say: (line: string) => void): Promise<BenchResult> {
  const figures: Record<string, number | string> = { 'limit, calls/minute': LIMIT };
  for (const part of [quiet, mixed, large]) Object.assign(figures, await part(say));
  return {
    figures,
    goals: {
      'quiet: makespan/minimum': { max: 1.02 },
      'quiet: flow runs missing or twice': { max: 0 },
      'quiet: 429': { max: 0 },
      'quiet: most calls in any 60 s': { max: LIMIT },
      'with leads: wait p99, slots': { max: 2 },
      'with leads: flow runs missing or twice': { max: 0 },
      'large: flow runs missing or twice': { max: 0 },
    },
  };
}

/** Nothing else uses the token. */
async function quiet(say: (line: string) => void): Promise<Record<string, number | string>> {
  const house = await open(QUIET, { size: QUIET / QUIET_WAVES, settle: '0s' }, LIMIT, 10, say);
  try {
    await house.worker();
    const { run: planned, planning } = await plan(house);
    const from = Date.now();
    say(`quiet: ${QUIET} members in ${QUIET_WAVES} waves, about ${Math.ceil(QUIET / LIMIT)} minutes`);
    const { handle, startedAt, bytes } = await run(house, planned);
    await handle.result();
    const calls = (await house.requests(0)).filter((call) => timeOf(call) >= from);
    const triggers = calls.filter(({ path }) => path === TRIGGER);
    const last = Math.max(...triggers.map(timeOf));
    // As many calls, evenly, as the limit allows: the first at once.
    const least = ((QUIET - 1) * 60_000) / LIMIT;
    const chain = await bytes();
    return {
      'quiet: members': QUIET,
      'quiet: waves': QUIET_WAVES,
      'quiet: calls of the plan': planning,
      'quiet: makespan, s': round((last - startedAt) / 1000, 1),
      'quiet: minimum (even slots), s': round(least / 1000, 1),
      'quiet: makespan/minimum': round((last - startedAt) / least, 4),
      'quiet: calls/trigger': round(calls.length / QUIET, 4),
      'quiet: 429': calls.filter((call) => !wasTaken(call)).length,
      'quiet: most calls in any 60 s': mostInAnyMinute(calls.map(timeOf)),
      'quiet: flow runs missing or twice': await wrongRuns(house, QUIET),
      'quiet: history bytes a member': round(chain.bytes / QUIET, 0),
    };
  } finally {
    await house.close();
  }
}

/** Leads come at random meanwhile. */
async function mixed(say: (line: string) => void): Promise<Record<string, number | string>> {
  const house = await open(MIXED, { size: MIXED, settle: '0s' }, LIMIT, 16, say);
  try {
    for (let i = 0; i < 2; i++) await house.worker();
    const { run: planned } = await plan(house);
    const { handle, workflowId, firstRunId } = await run(house, planned);
    const trigger = await house.until(
      async () => (await house.requests(0)).find(({ path }) => path === TRIGGER) ?? null,
    );
    await house.wait(15_000);
    const { activities } = await readChain(house.client, workflowId, firstRunId);
    const [tokenKey = ''] =
      activities.find(({ queue }) => queue.endsWith('-api'))?.fairnessKey.split(':') ?? [];
    const sender = await openSender(house, { run: planned, tokenKey, callsPerMinute: LIMIT });
    try {
      say(`with leads: ${LEADS} leads, one in ${LEAD_EVERY_MS / 1000} s, beside ${MIXED} members`);
      const leads = await sender.send(LEADS, LEAD_EVERY_MS);
      const found = evaluate(leads, await house.requests(0), timeOf(trigger));
      await handle.result();
      return {
        ...Object.fromEntries(Object.entries(found).map(([name, value]) => [`with leads: ${name}`, value])),
        'with leads: members': MIXED,
        'with leads: flow runs missing or twice': await wrongRuns(house, MIXED),
      };
    } finally {
      await sender.close();
    }
  } finally {
    await house.close();
  }
}

/** Many members, as fast as this machine goes. */
async function large(say: (line: string) => void): Promise<Record<string, number | string>> {
  const house = await open(LARGE, { size: 5000, settle: '0s' }, RAISED, 20, say);
  try {
    const worker = await house.worker();
    const { run: planned } = await plan(house);
    say(`large: ${LARGE} members at a limit of ${RAISED}`);
    const { handle, startedAt, bytes } = await run(house, planned);
    const doneBy = async (count: number) =>
      (await house.requests(0)).filter(({ path }) => path === TRIGGER).length >= count ? true : null;
    await house.until(() => doneBy(LARGE_FROM), 2000);
    const before = await residentMb(worker.pid);
    await handle.result();
    const seconds = (Date.now() - startedAt) / 1000;
    const after = await residentMb(worker.pid);
    const chain = await bytes();
    return {
      'large: members': LARGE,
      'large: seconds': round(seconds, 0),
      'large: history bytes a member': round(chain.bytes / LARGE, 0),
      'large: history events a member': round(chain.events / LARGE, 2),
      'large: runs continued as new': chain.runs - 1,
      [`large: worker memory after ${LARGE_FROM}, MB`]: before,
      [`large: worker memory after ${LARGE}, MB`]: after,
      'large: memory bytes a member': round(((after - before) * 1e6) / (LARGE - LARGE_FROM), 0),
      'large: flow runs missing or twice': await wrongRuns(house, LARGE),
    };
  } finally {
    await house.close();
  }
}

async function open(
  members: number,
  waves: object,
  rate: number,
  minutes: number,
  say: (line: string) => void,
): Promise<House> {
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
  return await openHouse({
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

async function plan(house: House): Promise<{ run: string; planning: number }> {
  const plan: CampaignPlan = await house.client.workflow.execute<typeof campaignPlan>('campaignPlan', {
    ...campaignPlanIdentity(NAME),
    taskQueue: WORK_QUEUE,
    args: [{ ...NAME, by: 'bench' }],
  });
  if (plan.problems.length > 0) throw new Error(JSON.stringify(plan.problems));
  return { run: plan.run, planning: plan.calls.planning };
}

async function run(house: House, planned: string) {
  const identity = campaignIdentity(NAME);
  const handle = await house.client.workflow.start<typeof reactivationCampaign>('reactivationCampaign', {
    ...identity,
    taskQueue: WORK_QUEUE,
    args: [{ ...NAME, run: planned, by: 'bench' }],
  });
  const { startTime } = await handle.describe();
  const { workflowId } = identity;
  const firstRunId = handle.firstExecutionRunId;
  const bytes = () => readChain(house.client, workflowId, firstRunId);
  return { handle, workflowId, firstRunId, startedAt: startTime.getTime(), bytes };
}

/** Contacts without a flow run, and flow runs beyond the first of each. */
async function wrongRuns(house: House, members: number): Promise<number> {
  const { runs } = await house.panel<{ runs: { contactId: number }[] }>('/flow-runs');
  const different = new Set(runs.map(({ contactId }) => contactId)).size;
  return members - different + (runs.length - different);
}
