// How long a lead waits for its first call while a backfill of 100,000 rows takes every slot of the token. From the
// engine's time of scheduling the call to the time at which it came in at the sandbox.
import { join } from 'node:path';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import type { BenchResult } from './bench.ts';
import type { LeadInput, lead } from './lead-workflow.ts';
import { readChain, type ScheduledActivity } from './support/engine.ts';
import { type House, openHouse } from './support/house.ts';
import { perMinute, quantile, round, sum, timeOf, wasTaken } from './support/log.ts';
import { account, CONTACT_ONLY, contactsCsv } from './support/people.ts';
import { poissonTimes, seeded } from './support/random.ts';

const LIMIT = 120;
const SLOT_MS = 60_000 / LIMIT;
const ROWS = 100_000;
const WORKERS = 2;
const LEADS = 100;
/**
 * Mean distances of two leads. At one in 2 s leads so often stand behind each other that even a perfect queue of
 * evenly spaced slots lets one in a hundred wait 2.3 slots; at one in 4 s it is 1.7. The goal is that of the second.
 */
const LEAD_EVERY_S = [4, 2];
const GOAL_S = 4;
/** Leads of one distance are served before those of the next come. */
const BETWEEN_MS = 10_000;
/** The backfill calls steadily by then. */
const SETTLE_MS = 15_000;
const SEED = 99;
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
    // The key of the token and lane; the lead's lane has another.
    const [tokenKey = ''] =
      activities.find(({ queue }) => queue.endsWith('-api'))?.fairnessKey.split(':') ?? [];
    const figures: Record<string, number | string> = {
      'limit, calls/minute': LIMIT,
      'rows of the backfill': ROWS,
      'worker processes': WORKERS,
      'leads of each distance': LEADS,
    };
    const sender = await openSender(house, { run, tokenKey, callsPerMinute: LIMIT });
    try {
      for (const seconds of LEAD_EVERY_S) {
        await house.wait(BETWEEN_MS);
        say(
          `${LEADS} leads at random, one in ${seconds} s; about ${Math.round((LEADS * seconds) / 60)} minutes`,
        );
        const leads = await sender.send(seconds * 1000);
        const found = evaluate(leads, await house.requests(0), began);
        for (const [name, value] of Object.entries(found)) figures[`one in ${seconds} s: ${name}`] = value;
        say(JSON.stringify(found));
      }
    } finally {
      await sender.close();
    }
    figures['429'] = (await house.requests(0)).filter((call) => !wasTaken(call)).length;
    return {
      figures,
      goals: { [`one in ${GOAL_S} s: wait p99, slots`]: { max: 2 }, '429': { max: 0 } },
    };
  } finally {
    await house.close();
  }
}

interface Lead {
  /** The engine's start of the workflow. */
  readonly startedAt: number;
  readonly call: ScheduledActivity;
}

/** A worker of this process runs the workflows of leads; their calls are made by the worker processes. */
async function openSender(house: House, input: LeadInput) {
  // The last line of a bench is its figures; the SDK would fill the rest.
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
  const connection = await NativeConnection.connect({ address: house.temporalAddress });
  const worker = await Worker.create({
    connection,
    taskQueue: QUEUE,
    workflowsPath: join(import.meta.dirname, 'lead-workflow.js'),
  });
  const running = worker.run();
  running.catch(() => undefined);
  return {
    async send(everyMs: number): Promise<Lead[]> {
      const begin = Date.now();
      const pending: Promise<Lead>[] = [];
      for (const [i, at] of poissonTimes(LEADS, everyMs, seeded(SEED)).entries()) {
        await house.wait(Math.max(0, begin + at - Date.now()));
        const one = sendLead(house, `lead-${everyMs}-${i}`, input);
        one.catch(() => undefined);
        pending.push(one);
      }
      return await Promise.all(pending);
    },
    async close() {
      worker.shutdown();
      await running;
      await connection.close();
    },
  };
}

async function sendLead(house: House, workflowId: string, input: LeadInput): Promise<Lead> {
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
): Record<string, number> {
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
    'wait p50, slots': round(quantile(scheduling, 0.5), 2),
    'wait p99, slots': round(quantile(scheduling, 0.99), 2),
    'wait max, slots': round(Math.max(...scheduling), 2),
    'from workflow start p50, slots': round(quantile(start, 0.5), 2),
    'from workflow start p99, slots': round(quantile(start, 0.99), 2),
    'perfect queue p50, slots': round(quantile(perfect, 0.5), 2),
    'perfect queue p99, slots': round(quantile(perfect, 0.99), 2),
    'attempts per lead': round(sum(leads.map(({ call }) => call.attempts)) / leads.length, 2),
    'used/allowed meanwhile': round(sum(used) / (LIMIT * used.length), 4),
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
