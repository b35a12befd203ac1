// Measures what encryption adds: the CPU of a call, and the rows that a run plans per second, without keys and with keys for
// Temporal's payloads and for the ledger. The kernel counts CPU, the sandbox calls.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchResult } from './bench.ts';
import { type Environment, openEnvironment } from './support/environment.ts';
import { round, sum } from './support/log.ts';
import { account, CONTACT_AND_CARD, people, peopleCsv, tokenHash } from './support/people.ts';
import { writeSource } from './support/plan-data.ts';
import { runPlanChild } from './support/plan-process.ts';

const PEOPLE = 2000;
const PLANNED_ROWS = 200_000;
/** Calls a minute that nobody reaches. */
const RAISED = 60_000;
/** In an order in which a machine that gets slower or faster favors neither. The first of each does not count. */
const RUNS = ['off', 'on', 'off', 'on', 'on', 'off', 'off', 'on'] as const;
type Mode = (typeof RUNS)[number];
const MODES = ['off', 'on'] as const;
const PLANS = ['off', 'on', 'on', 'off', 'off', 'on'] as const;
const KEY = randomBytes(32).toString('base64');

interface Used {
  readonly mode: Mode;
  /** CPU in milliseconds for one call. */
  readonly workers: number;
  readonly all: number;
}

export async function encryption(say: (line: string) => void): Promise<BenchResult> {
  const calls = await measureCalls(say);
  const rates = await measurePlans(say);
  const cost = (mode: Mode, part: 'workers' | 'all') => {
    const values = calls.filter((each) => each.mode === mode).map((each) => each[part]);
    return sum(values) / values.length;
  };
  const rate = (mode: Mode) => {
    const values = rates.filter((each) => each.mode === mode).map((each) => each.rate);
    return sum(values) / values.length;
  };
  return {
    figures: {
      how: `${RUNS.join(' ')}; ${PEOPLE} people with a card each; a new worker for each; then ${PLANS.length} plans of ${PLANNED_ROWS} new rows`,
      'CPU of workers without keys, ms/call': round(cost('off', 'workers')),
      'CPU of workers with keys, ms/call': round(cost('on', 'workers')),
      'CPU of Sluice without keys, ms/call': round(cost('off', 'all')),
      'CPU of Sluice with keys, ms/call': round(cost('on', 'all')),
      'CPU of Sluice with/without keys': round(cost('on', 'all') / cost('off', 'all'), 3),
      'each run, CPU ms/call': calls.map(({ mode, all }) => `${mode} ${round(all)}`).join(', '),
      'planned without keys, rows/s': Math.round(rate('off')),
      'planned with keys, rows/s': Math.round(rate('on')),
      'time of a plan with/without keys': round(rate('off') / rate('on'), 3),
      'each plan, rows/s': rates.map((each) => `${each.mode} ${Math.round(each.rate)}`).join(', '),
    },
    goals: {
      'CPU of Sluice with/without keys': { max: 1.1 },
      'time of a plan with/without keys': { max: 1.1 },
    },
  };
}

async function measureCalls(say: (line: string) => void): Promise<Used[]> {
  const environments: Partial<Record<Mode, Environment>> = {};
  try {
    for (const mode of MODES) environments[mode] = await open(mode, say);
    const used: Used[] = [];
    const begun = new Set<Mode>();
    for (const [n, mode] of RUNS.entries()) {
      say(`keys ${mode}, ${n + 1} of ${RUNS.length}`);
      const run = await runOnce(environments[mode] as Environment, mode, `run${n}`);
      if (begun.has(mode)) used.push(run);
      begun.add(mode);
    }
    return used;
  } finally {
    for (const mode of MODES) await environments[mode]?.close();
  }
}

function open(mode: Mode, say: (line: string) => void): Promise<Environment> {
  const ids = RUNS.map((_, n) => `run${n}`);
  const keys = { encryption: { keys: [{ id: 'one', key: 'env:BENCH_KEY' }] } };
  return openEnvironment({
    accounts: ids.map((id, n) => ({ id, fixture: account(id, n + 1), config: { callsPerMinute: RAISED } })),
    rate: RAISED,
    config: {
      sources: { people: { type: 'csv', path: './people.csv' } },
      mappings: { people: CONTACT_AND_CARD },
      syncs: Object.fromEntries(ids.map((id) => [id, { account: id, source: 'people', mapping: 'people' }])),
      ...(mode === 'on' ? { temporal: keys, ledger: keys } : {}),
    },
    env: { BENCH_KEY: KEY },
    files: { 'people.csv': peopleCsv(people(PEOPLE)) },
    minutes: 15,
    say,
  });
}

async function runOnce(environment: Environment, mode: Mode, id: string): Promise<Used> {
  const worker = await environment.worker();
  const cpu = await environment.watchCpu();
  await environment.start(id, id);
  // The bench has no key, so it cannot read the report: the sandbox says what was made.
  await environment.until(async () => (await environment.account(id)).cards.length === PEOPLE || null);
  const used = await cpu();
  await worker.kill('SIGTERM');
  const calls = (await environment.requests(0)).filter((call) => call.tokenHash === tokenHash(id)).length;
  const ms = (seconds: number) => (1000 * seconds) / calls;
  return { mode, workers: ms(used.workers), all: ms(used.workers + used.temporal + used.postgres) };
}

async function measurePlans(say: (line: string) => void): Promise<{ mode: Mode; rate: number }[]> {
  const dir = await mkdtemp(join(tmpdir(), 'sluice-encryption-'));
  try {
    await writeSource(join(dir, 'people.csv'), PLANNED_ROWS, PLANNED_ROWS + 1);
    const rates = [];
    for (const [n, mode] of PLANS.entries()) {
      say(`a plan, keys ${mode}, ${n + 1} of ${PLANS.length}`);
      await rm(join(dir, '.sluice'), { recursive: true, force: true });
      const { read, seconds } = await runPlanChild('plan', dir, mode === 'on' ? { PLAN_KEY: KEY } : {});
      rates.push({ mode, rate: read / seconds });
    }
    return rates;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
