// Measures how much of a token's limit Sluice uses, and whether it ever exceeds the limit. It runs 1, 2 and 4 worker
// processes and kills one half way, repeats that beside busy processes, and beside a program that spends 30 % of the
// same token. The sandbox counts.
import { spawn } from 'node:child_process';
import type { BenchResult } from './bench.ts';
import { FOREIGN_PATH, runForeign } from './foreign.ts';
import { type Environment, openEnvironment } from './support/environment.ts';
import { readChain } from './support/histories.ts';
import {
  type LoggedCall,
  longestGap,
  mostInAnyMinute,
  perMinute,
  round,
  serviceWindows,
  sum,
  timeOf,
  wasTaken,
} from './support/log.ts';
import { account, CONTACT_ONLY, contactsCsv, tokenOf } from './support/people.ts';

const LIMIT = 120;
/** Share of the limit that the foreign program takes, as the issue states it. */
const FOREIGN_SHARE = 0.3;
const MINUTES = 5;
const MINUTES_FOREIGN = 4;

/** Processes that only keep the machine busy. */
const BUSY = 4;

interface Case {
  readonly name: string;
  /** Beside {@link BUSY} busy processes. */
  readonly busy?: boolean;
  readonly workers: number;
  readonly minutes: number;
  readonly foreign?: 'even' | 'bursts';
}

/** Cases of one group run side by side, each with a Temporal server, a database, a sandbox and workers of its own. */
const GROUPS: readonly (readonly Case[])[] = [
  [1, 2, 4].map((workers) => ({
    name: `${workers} worker${workers === 1 ? '' : 's'}`,
    workers,
    minutes: MINUTES,
  })),
  [
    { name: 'busy, 1 worker', workers: 1, minutes: MINUTES, busy: true },
    { name: 'busy, 2 workers', workers: 2, minutes: MINUTES, busy: true },
  ],
  (['even', 'bursts'] as const).map((foreign) => ({
    name: `foreign ${foreign}`,
    workers: 1,
    minutes: MINUTES_FOREIGN,
    foreign,
  })),
];

export async function budget(say: (line: string) => void): Promise<BenchResult> {
  const figures: Record<string, number | string> = {
    'limit, calls/minute': LIMIT,
    how: 'limit not raised; cases of a group run side by side on this machine',
  };
  const goals: Record<string, { min?: number; max?: number }> = {};
  for (const group of GROUPS) {
    say(`side by side: ${group.map(({ name }) => name).join(', ')}; about ${group[0]?.minutes} minutes`);
    const quiet = group.some(({ busy }) => busy) ? keepBusy() : () => undefined;
    try {
      for (const found of await inParallel(group, (each) => runCase(each, say))) {
        Object.assign(figures, found.figures);
        Object.assign(goals, found.goals);
      }
    } finally {
      quiet();
    }
  }
  return { figures, goals };
}

/** @returns what ends the busy processes */
function keepBusy(): () => void {
  const all = Array.from({ length: BUSY }, () =>
    // They end on their own when the bench is killed, because its end of the pipe closes.
    spawn(
      process.execPath,
      [
        '-e',
        "process.stdin.on('close', () => process.exit()).resume(); (function spin() { for (const end = Date.now() + 50; Date.now() < end; ); setImmediate(spin); })()",
      ],
      {
        stdio: ['pipe', 'ignore', 'ignore'],
      },
    ),
  );
  return () => {
    for (const each of all) each.kill('SIGKILL');
  };
}

/** Waits for all, even if one fails, because each has processes to end. */
async function inParallel<A, B>(all: readonly A[], work: (each: A) => Promise<B>): Promise<B[]> {
  const settled = await Promise.allSettled(all.map(work));
  return settled.map((each) => {
    if (each.status === 'rejected') throw each.reason;
    return each.value;
  });
}

async function runCase(what: Case, say: (line: string) => void): Promise<BenchResult> {
  const { name, workers, minutes, foreign } = what;
  const environment = await openEnvironment({
    accounts: [{ id: 'acme', fixture: account('acme') }],
    rate: LIMIT,
    config: {
      sources: { people: { type: 'csv', path: './people.csv' } },
      mappings: { people: CONTACT_ONLY },
      syncs: { people: { account: 'acme', source: 'people', mapping: 'people' } },
    },
    files: { 'people.csv': contactsCsv(LIMIT * (minutes + 3)) },
    minutes: minutes + 4,
    say: (line) => say(`${name}: ${line}`),
  });
  const quiet = new AbortController();
  try {
    const all = await Promise.all(Array.from({ length: workers }, () => environment.worker()));
    const { handle, firstRunId } = await environment.start('acme', 'people');
    const began = await environment.until(async () => (await environment.requests(0))[0] ?? null, 100);
    const from = timeOf(began);
    const other =
      foreign === undefined
        ? Promise.resolve()
        : runForeign(
            {
              baseUrl: environment.baseUrl,
              token: tokenOf('acme'),
              callsPerMinute: LIMIT * FOREIGN_SHARE,
              how: foreign,
            },
            quiet.signal,
          );
    other.catch(() => undefined);
    let startSeconds: number | null = null;
    // In the middle of a minute and of the whole, not at the edge of a window.
    if (foreign === undefined) {
      await untilTime(environment, from + minutes * 30_000);
      // Losing the process that has the workflow in memory is the hardest case.
      const { carrier } = await readChain(environment.client, handle.workflowId, firstRunId);
      const victim = all.find(({ pid }) => carrier.startsWith(`${pid}@`));
      if (victim === undefined) throw new Error(`${carrier} is none of the worker processes`);
      await victim.kill('SIGKILL');
      const killed = Date.now();
      say(`${name}: the one with the workflow is killed${workers === 1 ? ', and restarted' : ''}`);
      if (workers === 1) {
        await environment.worker();
        startSeconds = (Date.now() - killed) / 1000;
      }
    }
    await untilTime(environment, from + minutes * 60_000 + 500);
    quiet.abort();
    await other;
    const calls = await environment.requests(0);
    const chain = await readChain(environment.client, handle.workflowId, firstRunId);
    const found = evaluate(what, calls, from);
    found.figures[`${name}: activities per call`] = round(chain.activities.length / calls.length, 3);
    if (startSeconds !== null) found.figures[`${name}: start of the new process, s`] = round(startSeconds, 1);
    say(`${name}: ${JSON.stringify(found.figures)}`);
    return found;
  } finally {
    quiet.abort();
    await environment.close();
  }
}

function untilTime(environment: Environment, at: number): Promise<void> {
  return environment.wait(Math.max(0, at - Date.now()));
}

/** Whole minutes from the token's first call on. Time without calls counts as unused. */
function evaluate({ name, minutes, foreign, busy }: Case, calls: readonly LoggedCall[], from: number) {
  const until = from + minutes * 60_000;
  const within = calls.filter((call) => timeOf(call) < until);
  const taken = within.filter(wasTaken).map(timeOf);
  const own = within.filter((call) => wasTaken(call) && call.path !== FOREIGN_PATH).map(timeOf);
  const windows = perMinute(taken, from, until);
  const refused = within.filter((call) => !wasTaken(call));
  const figures: Record<string, number | string> = {
    [`${name}: used/allowed`]: round(sum(windows) / (LIMIT * minutes), 4),
    [`${name}: calls by window`]: windows.join(' '),
    [`${name}: most in any 60 s`]: mostInAnyMinute(taken),
    [`${name}: longest pause of Sluice, s`]: round(longestGap(own), 1),
  };
  if (foreign === undefined) {
    figures[`${name}: 429`] = refused.length;
    return {
      figures,
      goals: {
        [`${name}: used/allowed`]: { min: busy ? 0.97 : 0.99 },
        [`${name}: 429`]: { max: 0 },
        [`${name}: most in any 60 s`]: { max: LIMIT },
      },
    };
  }
  const refusals = serviceWindows(within).map((window) => window.refused);
  figures[`${name}: calls of Sluice by window`] = perMinute(own, from, until).join(' ');
  figures[`${name}: 429 by window`] = refusals.join(' ');
  figures[`${name}: 429 of Sluice`] = refused.filter(({ path }) => path !== FOREIGN_PATH).length;
  figures[`${name}: most 429 in a window`] = Math.max(...refusals);
  figures[`${name}: most 429 in a window after the first`] = Math.max(...refusals.slice(1));
  // Nothing announces a burst in a token's first window.
  const goal = foreign === 'even' ? 'most 429 in a window' : 'most 429 in a window after the first';
  return { figures, goals: { [`${name}: ${goal}`]: { max: 1 } } };
}
