// Measures what operators' reads cost the ledger, with 1,000,000 people, 100,000 members and 1,000,000 calls in it, and
// what the call log costs a call. On PostgreSQL and on PGlite. Times are of statements; CPU is that of all processes of
// PostgreSQL, or of this process with PGlite inside.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoadedConfig } from '../src/config/load.ts';
import { type Database, openPglite, openPostgres } from '../src/core/sql/database.ts';
import { migrate } from '../src/core/sql/migrations/migrations.ts';
import { shortHash } from '../src/core/sql/short-hash.ts';
import { OVERVIEW } from '../src/operator/contract/overview.ts';
import type { OperatorDeps } from '../src/operator/service/deps.ts';
import { overviewHandlers } from '../src/operator/service/overview/index.ts';
import { type AgedCall, logCalls } from '../src/operator/store/calls.ts';
import { readMarks } from '../src/operator/store/change-marks.ts';
import { startPostgres } from '../test/support/postgres/postgres.ts';
import type { BenchResult } from './bench.ts';
import { MEMBERS } from './support/campaign-data.ts';
import { watchCpu } from './support/cpu.ts';
import { round } from './support/log.ts';
import { CALLS, fillLedger, PEOPLE } from './support/overview-data.ts';

const TOKEN = 'svc_bench';
const TIMES = 60;
const WARM_UPS = 30;
const FLUSHES = 200;
/** Calls per flush, as many as a worker makes in a second. */
const CALLS_PER_FLUSH = 250;

export async function overview(say: (line: string) => void): Promise<BenchResult> {
  const dir = await mkdtemp(join(tmpdir(), 'sluice-overview-'));
  const postgres = await startPostgres();
  try {
    const server = postgres.pid === null ? [] : [postgres.pid];
    const onPostgres = await measure(await openPostgres(postgres.url, console.error), server, say);
    const onPglite = await measure(await openPglite(join(dir, 'ledger')), [], say);
    const figures = { people: PEOPLE, members: MEMBERS, calls: CALLS, ...onPostgres, ...onPglite };
    const goals: Record<string, { max: number }> = {};
    for (const name of Object.keys(figures)) {
      if (name.endsWith('GET /overview: CPU, ms')) goals[name] = { max: 20 };
      if (name.endsWith('p95, ms')) goals[name] = { max: 200 };
    }
    return { figures, goals };
  } finally {
    await postgres.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

/** @param server processes of the database; none for PGlite, which is in this process */
async function measure(
  db: Database,
  server: readonly number[],
  say: (line: string) => void,
): Promise<BenchResult['figures']> {
  try {
    await migrate(db);
    say(`${db.kind}: the ledger is filled`);
    await fillLedger(db, shortHash(TOKEN), say);
    const reads = await readTimes(db, server, say);
    return { ...(await sizeOfLog(db)), ...reads, ...(await writeTimes(db, server)) };
  } finally {
    await db.close();
  }
}

async function readTimes(
  db: Database,
  server: readonly number[],
  say: (line: string) => void,
): Promise<BenchResult['figures']> {
  const timed = timedDatabase(db);
  const handlers = overviewHandlers(depsOf(timed.db));
  const [person] = await db.query<{ id: number }>('select id from people order by id desc limit 1');
  const reads: readonly (readonly [string, keyof typeof OVERVIEW, object])[] = [
    ['GET /overview', 'GET /overview', {}],
    ['GET /calls/minutes, one hour', 'GET /calls/minutes', { minutes: 60 }],
    ['GET /calls/minutes, 14 days', 'GET /calls/minutes', { minutes: 14 * 1440 }],
    ['GET /calls, newest', 'GET /calls', {}],
    ['GET /calls, person', 'GET /calls', { person: `p${(person?.id ?? 1) - 900_000}` }],
    ['GET /calls, run', 'GET /calls', { run: 'acme/leads/4700' }],
    ['GET /calls, failed', 'GET /calls', { outcome: 'failed' }],
    ['GET /spending, one day', 'GET /spending', {}],
    ['GET /failures, one day', 'GET /failures', {}],
  ];
  const figures: Record<string, number> = {};
  const watch = async (name: string, read: () => Promise<unknown>) => {
    const times: number[] = [];
    // The first reads compile PGlite and name the statements.
    for (let n = 0; n < WARM_UPS; n++) await read();
    const cpu = await watchLedger(server);
    for (let n = 0; n < TIMES; n++) {
      timed.reset();
      await read();
      times.push(timed.spentMs());
    }
    const used = round(((await cpu()) * 1000) / TIMES, 1);
    times.sort((a, b) => a - b);
    const at = (part: number) => round(times[Math.floor(times.length * part)] ?? Number.NaN, 1);
    figures[`${db.kind}: ${name}: CPU, ms`] = used;
    figures[`${db.kind}: ${name}: p50, ms`] = at(0.5);
    figures[`${db.kind}: ${name}: p95, ms`] = at(0.95);
    say(`  ${name}: CPU ${used} ms; ${at(0.5)} / ${at(0.95)} ms`);
  };
  for (const [name, route, input] of reads) {
    const handler = handlers[route] as (input: unknown) => Promise<unknown>;
    const parsed = OVERVIEW[route].input.parse(input);
    await watch(name, async () => OVERVIEW[route].output.parse(await handler(parsed)));
  }
  await watch('marks of changes', () => readMarks(timed.db));
  return figures;
}

/** What the log adds to a flush: CPU of this process, and of PostgreSQL. */
async function writeTimes(db: Database, server: readonly number[]): Promise<BenchResult['figures']> {
  const run = 'acme/leads/5001';
  const time = async (log: boolean) => {
    const [own, ledger] = [await watchLedger([]), await watchLedger(server)];
    for (let n = 0; n < FLUSHES; n++) {
      const first = n * CALLS_PER_FLUSH;
      const calls = log ? Array.from({ length: CALLS_PER_FLUSH }, (_, i) => callOf(run, first + i)) : [];
      await logCalls(db, calls, new Map([[run, CALLS_PER_FLUSH]]));
    }
    const seconds = (await own()) + (server.length === 0 ? 0 : await ledger());
    return (seconds * 1e6) / FLUSHES / CALLS_PER_FLUSH;
  };
  await time(true);
  const [without, logged] = [await time(false), await time(true)];
  return {
    [`${db.kind}: CPU of a flush without the log, µs a call`]: round(without, 1),
    [`${db.kind}: CPU of a flush with the log, µs a call`]: round(logged, 1),
  };
}

/** @returns a function that answers the CPU seconds since then: of these processes, or of this one */
async function watchLedger(server: readonly number[]): Promise<() => Promise<number>> {
  if (server.length === 0) {
    const before = process.cpuUsage();
    return async () => {
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1e6;
    };
  }
  const used = await watchCpu(() => ({ temporal: [], postgres: server, sandbox: [], workers: [] }));
  return async () => (await used()).postgres;
}

function callOf(run_id: string, n: number): AgedCall {
  return {
    age_ms: n % 1000,
    account: 'acme',
    token: shortHash(TOKEN),
    run_id,
    lane: 5,
    method: 'POST',
    route: '/v1/cards',
    status: 200,
    code: null,
    request_id: crypto.randomUUID(),
    person_key: String(5_511_000_000_000 + n),
    event_id: null,
    conversation_id: null,
    card_id: null,
    wait_ms: 900,
    took_ms: 80,
  };
}

async function sizeOfLog(db: Database): Promise<BenchResult['figures']> {
  const [row] = await db.query<{ mb: number }>(
    `select (pg_total_relation_size('calls') / 1e6)::float8 as mb`,
  );
  return { [`${db.kind}: size of the call log, MB`]: round(row?.mb ?? Number.NaN, 1) };
}

function timedDatabase(inner: Database) {
  let spent = 0;
  const db: Database = {
    ...inner,
    async query(sql, params) {
      const began = performance.now();
      try {
        return await inner.query(sql, params);
      } finally {
        spent += performance.now() - began;
      }
    },
  };
  return {
    db,
    spentMs: () => spent,
    reset: () => {
      spent = 0;
    },
  };
}

function depsOf(db: Database): OperatorDeps {
  const config = {
    config: {
      accounts: { acme: { tokens: [TOKEN], callsPerMinute: 120 } },
      sinks: { crm: {} },
      routes: {},
      ingress: { kafka: {} },
    },
    secret: async (value: string) => ({ value }),
  } as unknown as LoadedConfig;
  return {
    db,
    config: () => config,
    live: null,
    runningTemporal: async () => null,
    now: async () => Date.now(),
    log: console,
  } as unknown as OperatorDeps;
}
