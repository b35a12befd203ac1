// How long a lead waits for its first call while a backfill of 100,000 rows takes every slot of the token. From the
// engine's time of scheduling the call to the time at which it came in at the sandbox.
import { join } from 'node:path';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import type { BenchResult } from './bench.ts';
import type { lead } from './lead-workflow.ts';
import { readChain, type ScheduledActivity } from './support/engine.ts';
import { type House, openHouse } from './support/house.ts';
import { perMinute, quantile, round, sum, timeOf, wasTaken } from './support/log.ts';
import { account, CONTACT_ONLY, contactsCsv } from './support/people.ts';
import { poissonTimes, seeded } from './support/random.ts';

const LIMIT = 120;
const SLOT_MS = 60_000 / LIMIT;
const ROWS = 100_000;
const WORKERS = 2;
const LEADS = 150;
/** Mean distance of two leads. */
const LEAD_EVERY_MS = 2000;
/** The backfill calls steadily by then. */
const SETTLE_MS = 15_000;
const QUEUE = 'bench-leads';
/** What a lead calls and the backfill never does. */
const LEAD_PATH = '/v1/tags';

export async function lanes(say: (line: string) => void): Promise<BenchResult> {
  const house = await openHouse({
    accounts: [{ id: 'acme', fixture: account('acme') }],
    rate: LIMIT,
    config: {
      sources: { people: { type: 'csv', path: './people.csv' } },
      mappings: { people: CONTACT_ONLY },
      syncs: { backfill: { account: 'acme', source: 'people', mapping: 'people' } },
    },
    files: { 'people.csv': contactsCsv(ROWS) },
    minutes: 15,
    say,
  });
  try {
    for (let i = 0; i < WORKERS; i++) await house.worker();
    say(`a backfill of ${ROWS} rows is planned`);
    const { handle, firstRunId } = await house.start('acme', 'backfill');
    const began = timeOf(await house.until(async () => (await house.requests(0))[0] ?? null));
    await house.wait(SETTLE_MS);
    const run = (await house.until(() => house.progress(handle))).run ?? '';
    const { activities } = await readChain(house.client, handle.workflowId, firstRunId);
    const fairnessKey = activities.find(({ queue }) => queue.endsWith('-api'))?.fairnessKey ?? '';
    say(
      `${LEADS} leads arrive at random, one in ${LEAD_EVERY_MS / 1000} s; about ${Math.round((LEADS * LEAD_EVERY_MS) / 60_000)} minutes`,
    );
    const leads = await sendLeads(house, { run, fairnessKey });
    return evaluate(leads, await house.requests(0), began);
  } finally {
    await house.close();
  }
}

interface Lead {
  /** The engine's start of the workflow. */
  readonly startedAt: number;
  readonly call: ScheduledActivity;
}

async function sendLeads(house: House, input: Parameters<typeof lead>[0]): Promise<Lead[]> {
  // The last line of a bench is its figures; the SDK would fill the rest.
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
  const connection = await NativeConnection.connect({ address: house.temporalAddress });
  const worker = await Worker.create({
    connection,
    taskQueue: QUEUE,
    workflowsPath: join(import.meta.dirname, 'lead-workflow.js'),
  });
  const work = async () => {
    const begin = Date.now();
    const pending: Promise<Lead>[] = [];
    for (const [i, at] of poissonTimes(LEADS, LEAD_EVERY_MS, seeded(7)).entries()) {
      await house.wait(Math.max(0, begin + at - Date.now()));
      const one = sendLead(house, `lead-${i}`, input);
      one.catch(() => undefined);
      pending.push(one);
    }
    return await Promise.all(pending);
  };
  try {
    return await worker.runUntil(work());
  } finally {
    await connection.close();
  }
}

async function sendLead(house: House, workflowId: string, input: Parameters<typeof lead>[0]): Promise<Lead> {
  const handle = await house.client.workflow.start<typeof lead>('lead', {
    workflowId,
    taskQueue: QUEUE,
    args: [input],
  });
  await handle.result();
  const chain = await readChain(house.client, workflowId, handle.firstExecutionRunId);
  return { startedAt: chain.startedAt, call: chain.activities[0] as ScheduledActivity };
}

function evaluate(
  leads: readonly Lead[],
  calls: Awaited<ReturnType<House['requests']>>,
  began: number,
): BenchResult {
  const free = calls.filter((call) => call.path === LEAD_PATH && wasTaken(call)).map(timeOf);
  const waits: { fromScheduling: number; fromStart: number }[] = [];
  // A call belongs to the lead whose last attempt was under way when it came in; of several the one that ended first.
  for (const { startedAt, call } of [...leads].sort(
    (a, b) => (a.call.endedAt ?? 0) - (b.call.endedAt ?? 0),
  )) {
    const mine = free.findIndex(
      (at) => at >= Math.floor(call.startedAt ?? 0) && at <= Math.ceil(call.endedAt ?? 0),
    );
    if (mine < 0) throw new Error('the call of a lead is not in the log of the sandbox');
    const [at = 0] = free.splice(mine, 1);
    waits.push({ fromScheduling: (at - call.scheduledAt) / SLOT_MS, fromStart: (at - startedAt) / SLOT_MS });
  }
  const scheduling = waits.map(({ fromScheduling }) => fromScheduling);
  const start = waits.map(({ fromStart }) => fromStart);
  const arrivals = leads.map(({ call }) => call.scheduledAt).sort((a, b) => a - b);
  const perfect = perfectWaits(arrivals, began);
  const from = arrivals[0] ?? 0;
  const used = perMinute(calls.filter(wasTaken).map(timeOf), from, arrivals.at(-1) ?? 0);
  return {
    figures: {
      'limit, calls/minute': LIMIT,
      'rows of the backfill': ROWS,
      'worker processes': WORKERS,
      leads: leads.length,
      'one lead in, s': LEAD_EVERY_MS / 1000,
      'wait p50, slots': round(quantile(scheduling, 0.5), 2),
      'wait p99, slots': round(quantile(scheduling, 0.99), 2),
      'wait max, slots': round(Math.max(...scheduling), 2),
      'from workflow start p50, slots': round(quantile(start, 0.5), 2),
      'from workflow start p99, slots': round(quantile(start, 0.99), 2),
      'perfect queue p50, slots': round(quantile(perfect, 0.5), 2),
      'perfect queue p99, slots': round(quantile(perfect, 0.99), 2),
      'attempts per lead': round(sum(leads.map(({ call }) => call.attempts)) / leads.length, 2),
      'used/allowed meanwhile': round(sum(used) / (LIMIT * used.length), 4),
      '429': calls.filter((call) => !wasTaken(call)).length,
    },
    goals: { 'wait p99, slots': { max: 2 }, '429': { max: 0 } },
  };
}

/**
 * What the same leads would wait if each took the very next slot that no earlier lead has: the best that slots in
 * equal distances allow, as leads come several at once too. In slots.
 */
function perfectWaits(arrivals: readonly number[], began: number): number[] {
  let taken = -1;
  return arrivals.map((at) => {
    const now = (at - began) / SLOT_MS;
    taken = Math.max(Math.ceil(now), taken + 1);
    return taken - now;
  });
}
