// Fifty tokens, one of them with a thousand times the backlog of each other: does any of the others get less than its
// own limit allows? Counted by the sandbox, over the same minutes for all.
import type { BenchResult } from './bench.ts';
import { readChain } from './support/engine.ts';
import { openHouse } from './support/house.ts';
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

const TOKENS = 50;
const TIMES = 1000;
const WORKERS = 2;
const MINUTES = 2;
/** Fifty syncs that start at once take a moment; a share is that of a token at work. */
const SETTLE_MS = 15_000;
/** The service's own limit first; what the machine can't carry is tried at less. */
const LIMITS = [120, 60, 30];
const OK = 0.95;
const BIG = 't0';
const OTHERS = Array.from({ length: TOKENS - 1 }, (_, i) => `t${i + 1}`);

export async function fairness(say: (line: string) => void): Promise<BenchResult> {
  const figures: Record<string, number | string> = { tokens: TOKENS, 'worker processes': WORKERS };
  for (const limit of LIMITS) {
    const found = await measure(limit, say);
    const least = Math.min(...found.shares);
    say(`at ${limit} calls/minute a token: least ${round(least)}, machine ${found.cpu.machine} cores`);
    Object.assign(figures, {
      'limit, calls/minute': limit,
      'backlog of each other': found.backlog,
      'backlog of the big one': found.backlog * TIMES,
      'least share of its limit': round(least),
      'median share of its limit': round(quantile(found.shares, 0.5)),
      'share of the big one': round(found.big),
      'calls/s in all': round(found.perSecond, 1),
      'attempts per call': round(found.attempts, 2),
      '429': found.refused,
      'most in any 60 s': found.most,
      'busy cores: machine': found.cpu.machine,
      'busy cores: Temporal': found.cpu.temporal,
      'busy cores: workers': found.cpu.workers,
    });
    if (least >= OK) break;
    figures[`at ${limit}/minute`] =
      `least ${round(least)}, median ${round(quantile(found.shares, 0.5))}, ${round(found.perSecond, 1)} calls/s of ${round((limit * TOKENS) / 60, 1)}, ${round(found.attempts, 2)} attempts a call; busy cores ${JSON.stringify(found.cpu)}`;
  }
  return { figures, goals: { 'least share of its limit': { min: OK }, '429': { max: 0 } } };
}

async function measure(limit: number, say: (line: string) => void) {
  // What a token can spend in the measured time, and in the time until the last of them has begun.
  const backlog = Math.ceil(limit * (MINUTES + 1.5));
  const sync = { mapping: 'people' };
  const house = await openHouse({
    accounts: [BIG, ...OTHERS].map((id, i) => ({
      id,
      fixture: account(id, i + 1),
      config: { callsPerMinute: limit },
    })),
    rate: limit,
    config: {
      sources: { big: { type: 'csv', path: './big.csv' }, small: { type: 'csv', path: './small.csv' } },
      mappings: { people: CONTACT_ONLY },
      syncs: Object.fromEntries([
        [BIG, { ...sync, account: BIG, source: 'big' }],
        ...OTHERS.map((id) => [id, { ...sync, account: id, source: 'small' }]),
      ]),
    },
    files: { 'big.csv': contactsCsv(backlog * TIMES), 'small.csv': contactsCsv(backlog) },
    minutes: 10,
    say,
  });
  try {
    for (let i = 0; i < WORKERS; i++) await house.worker();
    say(
      `at ${limit}/minute: a backlog of ${backlog * TIMES} rows is planned, then ${OTHERS.length} of ${backlog}`,
    );
    await house.start(BIG, BIG);
    await house.until(async () => (await house.requests(0))[0] ?? null);
    const since = (await house.requests(0)).length;
    const [sample] = await Promise.all(OTHERS.map((id) => house.start(id, id)));
    const started = await house.until(async () => {
      const first = firstCalls(await house.requests(since));
      return first.size === TOKENS ? first : null;
    });
    say(`every token has called; ${MINUTES} minutes are measured`);
    const from = Math.max(...started.values()) + SETTLE_MS;
    const until = from + MINUTES * 60_000;
    await house.wait(Math.max(0, from - Date.now()));
    const cpu = await house.watchCpu();
    await house.wait(Math.max(0, until + 500 - Date.now()));
    const busy = await cpu();
    const calls = await house.requests(0);
    const times = timesByToken(calls.filter(wasTaken));
    const share = (id: string) =>
      sum(perMinute(times.get(tokenHash(id)) ?? [], from, until)) / (limit * MINUTES);
    // One of the others stands for all: reading fifty histories would load the engine.
    const chain = await readChain(house.client, sample?.handle.workflowId ?? '', sample?.firstRunId ?? '');
    const tried = chain.activities.filter(({ type, attempts }) => type === 'upsertContact' && attempts > 0);
    const inTime = calls.filter((call) => wasTaken(call) && timeOf(call) >= from && timeOf(call) < until);
    return {
      backlog,
      shares: OTHERS.map(share),
      big: share(BIG),
      perSecond: inTime.length / (MINUTES * 60),
      refused: calls.filter((call) => !wasTaken(call)).length,
      most: Math.max(...[...times.values()].map(mostInAnyMinute)),
      cpu: busy,
      attempts: sum(tried.map(({ attempts }) => attempts)) / tried.length,
    };
  } finally {
    await house.close();
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
