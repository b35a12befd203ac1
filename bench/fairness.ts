// Runs fifty tokens, then a hundred, one of them with a thousand times the backlog of each other. It measures whether
// any of the others gets less than its own limit allows. The sandbox counts the same minutes for all.
import type { BenchResult } from './bench.ts';
import { openEnvironment } from './support/environment.ts';
import { readChain } from './support/histories.ts';
import {
  type LoggedCall,
  mostInAnyMinute,
  perMinute,
  quantile,
  round,
  sum,
  timeOf,
  wasTaken,
} from './support/log.ts';
import { account, CONTACT_ONLY, contactsCsv, tokenHash } from './support/people.ts';

/** Number of tokens, and the minimum share of its limit that each of the others must get. */
const CASES = [
  { tokens: 50, atLeast: 0.98 },
  { tokens: 100, atLeast: 0.95 },
] as const;
const TIMES = 1000;
const WORKERS = 2;
const MINUTES = 2;
/** Syncs that start at once need a moment. A share counts from the time at which a token is active. */
const SETTLE_MS = 15_000;
const LIMIT = 120;
const BIG = 't0';

export async function fairness(say: (line: string) => void): Promise<BenchResult> {
  const figures: Record<string, number | string> = {
    'worker processes': WORKERS,
    'limit, calls/minute': LIMIT,
    how: `each other token has a backlog of ${BACKLOG} rows, the big one ${TIMES} times as many`,
  };
  const goals: Record<string, { min?: number; max?: number }> = {};
  for (const { tokens, atLeast } of CASES) {
    const found = await measure(tokens, say);
    const least = Math.min(...found.shares);
    const name = (figure: string) => `${tokens} tokens: ${figure}`;
    say(`${tokens} tokens: least ${round(least)}, machine ${found.cpu.machine} cores`);
    Object.assign(figures, {
      [name('least share of its limit')]: round(least),
      [name('median share of its limit')]: round(quantile(found.shares, 0.5)),
      [name('share of the big one')]: round(found.big),
      [name('calls/s in all')]: round(found.perSecond, 1),
      [name('activities per call')]: round(found.activities, 3),
      [name('429')]: found.refused,
      [name('most in any 60 s')]: found.most,
      [name('busy cores: machine')]: found.cpu.machine,
      [name('busy cores: Temporal')]: found.cpu.temporal,
      [name('busy cores: workers')]: found.cpu.workers,
    });
    goals[name('least share of its limit')] = { min: atLeast };
    goals[name('429')] = { max: 0 };
    goals[name('most in any 60 s')] = { max: LIMIT };
  }
  return { figures, goals };
}

/** What a token can spend in the measured time, and until the last token has begun. */
const BACKLOG = Math.ceil(LIMIT * (MINUTES + 1.5));

async function measure(tokens: number, say: (line: string) => void) {
  const others = Array.from({ length: tokens - 1 }, (_, i) => `t${i + 1}`);
  const sync = { mapping: 'people' };
  const environment = await openEnvironment({
    accounts: [BIG, ...others].map((id, i) => ({
      id,
      fixture: account(id, i + 1),
      config: { callsPerMinute: LIMIT },
    })),
    rate: LIMIT,
    config: {
      sources: { big: { type: 'csv', path: './big.csv' }, small: { type: 'csv', path: './small.csv' } },
      mappings: { people: CONTACT_ONLY },
      syncs: Object.fromEntries([
        [BIG, { ...sync, account: BIG, source: 'big' }],
        ...others.map((id) => [id, { ...sync, account: id, source: 'small' }]),
      ]),
    },
    files: { 'big.csv': contactsCsv(BACKLOG * TIMES), 'small.csv': contactsCsv(BACKLOG) },
    minutes: 12,
    say,
  });
  try {
    for (let i = 0; i < WORKERS; i++) await environment.worker();
    say(
      `${tokens} tokens: a backlog of ${BACKLOG * TIMES} rows is planned, then ${others.length} of ${BACKLOG}`,
    );
    await environment.start(BIG, BIG);
    await environment.until(async () => (await environment.requests(0))[0] ?? null);
    const since = (await environment.requests(0)).length;
    const [sample] = await Promise.all(others.map((id) => environment.start(id, id)));
    const started = await environment.until(async () => {
      const first = firstCalls(await environment.requests(since));
      return first.size === tokens ? first : null;
    });
    say(`every token has called; ${MINUTES} minutes are measured`);
    const from = Math.max(...started.values()) + SETTLE_MS;
    const until = from + MINUTES * 60_000;
    await environment.wait(Math.max(0, from - Date.now()));
    const cpu = await environment.watchCpu();
    await environment.wait(Math.max(0, until + 500 - Date.now()));
    const { elapsed, temporal, workers, sandbox, machine } = await cpu();
    const cores = (seconds: number) => round(seconds / elapsed, 2);
    const calls = await environment.requests(0);
    const times = timesByToken(calls.filter(wasTaken));
    const share = (id: string) =>
      sum(perMinute(times.get(tokenHash(id)) ?? [], from, until)) / (LIMIT * MINUTES);
    // One of the others stands for all, because reading fifty histories would load Temporal.
    const chain = await readChain(
      environment.client,
      sample?.handle.workflowId ?? '',
      sample?.firstRunId ?? '',
    );
    const inTime = calls.filter((call) => wasTaken(call) && timeOf(call) >= from && timeOf(call) < until);
    return {
      shares: others.map(share),
      big: share(BIG),
      perSecond: inTime.length / (MINUTES * 60),
      refused: calls.filter((call) => !wasTaken(call)).length,
      most: Math.max(...[...times.values()].map(mostInAnyMinute)),
      cpu: {
        temporal: cores(temporal),
        workers: cores(workers),
        sandbox: cores(sandbox),
        machine: cores(machine),
      },
      activities: chain.activities.length / (times.get(tokenHash(others[0] as string))?.length ?? Number.NaN),
    };
  } finally {
    await environment.close();
  }
}

function timesByToken(calls: readonly LoggedCall[]): Map<string, number[]> {
  const byToken = new Map<string, number[]>();
  for (const call of calls) {
    const times = byToken.get(call.tokenHash ?? '');
    if (times === undefined) byToken.set(call.tokenHash ?? '', [timeOf(call)]);
    else times.push(timeOf(call));
  }
  return byToken;
}

function firstCalls(calls: readonly LoggedCall[]): Map<string, number> {
  return new Map([...timesByToken(calls)].map(([token, times]) => [token, Math.min(...times)]));
}
