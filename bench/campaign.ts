// Measures how close a campaign comes to the minimum time that its token allows, how long live leads wait beside it,
// and what a member costs in memory and history. The sandbox counts flow runs and calls, Temporal counts bytes.
import type { BenchResult } from './bench.ts';
import {
  openCampaignEnvironment,
  planCampaign,
  runCampaign,
  TRIGGER,
  wrongRuns,
} from './support/campaign-environment.ts';
import { readChain } from './support/histories.ts';
import { evaluate, LIMIT, openSender } from './support/leads.ts';
import { mostInAnyMinute, round, timeOf, wasTaken } from './support/log.ts';
import { residentMb } from './support/memory.ts';

/** Without other work: five minutes at the limit. */
const QUIET = 600;
const QUIET_WAVES = 3;
const LEADS = 100;
const LEAD_EVERY_MS = 4000;
/** Enough members to be still running when the last lead comes. */
const MIXED = 1000;
/** At a limit that nobody reaches. The difference between the two sizes shows what grows with the members. */
const LARGE = 10_000;
const LARGE_FROM = 3000;
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
  const environment = await openCampaignEnvironment(
    QUIET,
    { size: QUIET / QUIET_WAVES, settle: '0s' },
    LIMIT,
    10,
    say,
  );
  try {
    await environment.worker();
    const { run: planned, planning } = await planCampaign(environment);
    const from = Date.now();
    say(`quiet: ${QUIET} members in ${QUIET_WAVES} waves, about ${Math.ceil(QUIET / LIMIT)} minutes`);
    const { handle, startedAt, bytes } = await runCampaign(environment, planned);
    await handle.result();
    const calls = (await environment.requests(0)).filter((call) => timeOf(call) >= from);
    const triggers = calls.filter(({ path }) => path === TRIGGER);
    const last = Math.max(...triggers.map(timeOf));
    // As many evenly spaced calls as the limit allows, the first one at once.
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
      'quiet: flow runs missing or twice': await wrongRuns(environment, QUIET),
      'quiet: history bytes a member': round(chain.bytes / QUIET, 0),
    };
  } finally {
    await environment.close();
  }
}

/** Leads come at random meanwhile. */
async function mixed(say: (line: string) => void): Promise<Record<string, number | string>> {
  const environment = await openCampaignEnvironment(MIXED, { size: MIXED, settle: '0s' }, LIMIT, 16, say);
  try {
    for (let i = 0; i < 2; i++) await environment.worker();
    const { run: planned } = await planCampaign(environment);
    const { handle, workflowId, firstRunId } = await runCampaign(environment, planned);
    const trigger = await environment.until(
      async () => (await environment.requests(0)).find(({ path }) => path === TRIGGER) ?? null,
    );
    await environment.wait(15_000);
    const { activities } = await readChain(environment.client, workflowId, firstRunId);
    const tokenKey = activities.find(({ fairnessKey }) => fairnessKey !== '')?.fairnessKey ?? '';
    const sender = await openSender(environment, { run: planned, tokenKey, callsPerMinute: LIMIT });
    try {
      say(`with leads: ${LEADS} leads, one in ${LEAD_EVERY_MS / 1000} s, beside ${MIXED} members`);
      const leads = await sender.send(LEADS, LEAD_EVERY_MS);
      const found = evaluate(leads, await environment.requests(0), timeOf(trigger));
      await handle.result();
      return {
        ...Object.fromEntries(Object.entries(found).map(([name, value]) => [`with leads: ${name}`, value])),
        'with leads: members': MIXED,
        'with leads: flow runs missing or twice': await wrongRuns(environment, MIXED),
      };
    } finally {
      await sender.close();
    }
  } finally {
    await environment.close();
  }
}

/** Many members, as fast as this machine allows. */
async function large(say: (line: string) => void): Promise<Record<string, number | string>> {
  const environment = await openCampaignEnvironment(LARGE, { size: 5000, settle: '0s' }, RAISED, 20, say);
  try {
    const worker = await environment.worker();
    const { run: planned } = await planCampaign(environment);
    say(`large: ${LARGE} members at a limit of ${RAISED}`);
    const { handle, startedAt, bytes } = await runCampaign(environment, planned);
    const doneBy = async (count: number) =>
      (await environment.requests(0)).filter(({ path }) => path === TRIGGER).length >= count ? true : null;
    await environment.until(() => doneBy(LARGE_FROM), 2000);
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
      // Zero if garbage collection freed more than the members added.
      'large: memory growth a member, bytes': round(
        Math.max(0, ((after - before) * 1e6) / (LARGE - LARGE_FROM)),
        0,
      ),
      'large: flow runs missing or twice': await wrongRuns(environment, LARGE),
    };
  } finally {
    await environment.close();
  }
}
