// Sends live leads at random beside other work on the same token, and measures how long each waits for its call.
import { join } from 'node:path';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import type { LeadInput, lead } from '../lead-workflow.ts';
import type { Environment } from './environment.ts';
import { readChain, type ScheduledActivity } from './histories.ts';
import { type LoggedCall, perMinute, quantile, round, sum, timeOf, wasTaken } from './log.ts';
import { poissonTimes, seeded } from './random.ts';

export const LIMIT = 120;
const SLOT_MS = 60_000 / LIMIT;
const SEED = 99;
const QUEUE = 'bench-leads';
/** A call that only leads make. */
const LEAD_PATH = '/v1/tags';

export interface Lead {
  /** Temporal's start of the workflow. */
  readonly startedAt: number;
  readonly call: ScheduledActivity;
}

/** A worker in this process runs the lead workflows. The worker processes make their calls. */
export async function openSender(environment: Environment, input: LeadInput) {
  // The last line of a bench contains its figures, so the SDK's log is off.
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
  const connection = await NativeConnection.connect({ address: environment.temporalAddress });
  const worker = await Worker.create({
    connection,
    taskQueue: QUEUE,
    workflowsPath: join(import.meta.dirname, '../lead-workflow.js'),
  });
  const running = worker.run();
  running.catch(() => undefined);
  return {
    /** @param everyMs mean distance between two leads */
    async send(count: number, everyMs: number): Promise<Lead[]> {
      const begin = Date.now();
      const pending: Promise<Lead>[] = [];
      for (const [i, at] of poissonTimes(count, everyMs, seeded(SEED)).entries()) {
        await environment.wait(Math.max(0, begin + at - Date.now()));
        const one = sendLead(environment, `lead-${everyMs}-${i}`, input);
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

async function sendLead(environment: Environment, workflowId: string, input: LeadInput): Promise<Lead> {
  const handle = await environment.client.workflow.start<typeof lead>('lead', {
    workflowId,
    taskQueue: QUEUE,
    args: [input],
  });
  await handle.result();
  const chain = await readChain(environment.client, workflowId, handle.firstExecutionRunId);
  return { startedAt: chain.startedAt, call: chain.activities[0] as ScheduledActivity };
}

/** @param began time of the first call of the work beside them, epoch milliseconds */
export function evaluate(
  leads: readonly Lead[],
  calls: readonly LoggedCall[],
  began: number,
): Record<string, number> {
  const free = calls.filter((call) => call.path === LEAD_PATH && wasTaken(call)).map(timeOf);
  const waits: { fromScheduling: number; fromStart: number }[] = [];
  // A call belongs to the lead whose last attempt was in progress when the call arrived. If there are several, to the
  // one that ended first.
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
 * What the same leads would wait if each took the next slot that no earlier lead has: the optimum for evenly spaced
 * slots, because several leads may come at once. In slots.
 */
function perfectWaits(arrivals: readonly number[], began: number): number[] {
  let taken = -1;
  return arrivals.map((at) => {
    const now = (at - began) / SLOT_MS;
    taken = Math.max(Math.ceil(now), taken + 1);
    return taken - now;
  });
}
