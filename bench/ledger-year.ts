// Shows that the ledger stays as quick as it was: the statements of the hot path on a new ledger and on one that holds what
// retention keeps of a year. Both are in one PostgreSQL, and the repetitions alternate, so that the machine's load
// changes neither. LEDGER_YEAR_SCALE=0.1 loads a tenth. With DATABASE_URL, both databases stay on that server and the next
// run measures them again.
import { type Database, openPostgres } from '../src/core/sql/database.ts';
import { migrate } from '../src/core/sql/migrations/migrations.ts';
import { startPostgresServer } from '../test/support/postgres/postgres.ts';
import type { BenchResult } from './bench.ts';
import { addWork, type HotCall, hotPath } from './support/hot-path.ts';
import { round } from './support/log.ts';
import { rolledBack, statementsOf, tablesScanned } from './support/plans.ts';
import { BIG_TABLES, fillYear, type YearOf } from './support/year-data.ts';

const TIMES = 200;
const WARM_UPS = 30;
const QUIET_ACCOUNTS = 500;
/** For one statement of the load. */
const LOAD_MS = 30 * 60_000;

/**
 * One account that uses its whole limit all year: 120 calls a minute are 63,072,000 calls. Retention keeps 14 days of
 * them, 2,419,200, and 90 days of minutes in four lanes.
 */
const BUSY: YearOf = {
  people: 1_000_000,
  calls: 2_419_200,
  minutes: 518_400,
  events: 1_000_000,
  conversations: 200_000,
  messages: 2_000_000,
  runs: 8760,
  records: 1_000_000,
  members: 500_000,
  touches: 500_000,
  dead: 20_000,
  audit: 100_000,
};
/** All quiet accounts together: 200 calls a day each. */
const QUIET: YearOf = {
  people: 500_000,
  calls: 1_400_000,
  minutes: 1_000_000,
  events: 500_000,
  conversations: 100_000,
  messages: 500_000,
  runs: 365,
  records: 250_000,
  members: 100_000,
  touches: 100_000,
  dead: 5000,
  audit: 50_000,
};

export async function ledgerYear(say: (line: string) => void): Promise<BenchResult> {
  const scale = Number(process.env.LEDGER_YEAR_SCALE ?? 1);
  if (!(scale > 0 && scale <= 1)) throw new Error('LEDGER_YEAR_SCALE is a number above 0, at most 1');
  say(`assumed: one account with 63,072,000 calls in a year, ${QUIET_ACCOUNTS} with 200 calls a day each`);
  say(`kept of the busy one: ${JSON.stringify(scaled(BUSY, scale))}`);
  say(`kept of the quiet ones together: ${JSON.stringify(scaled(QUIET, scale))}`);
  const postgres = await startPostgresServer(['shared_buffers=512MB', 'max_wal_size=4GB', 'jit=off']);
  try {
    return await measure(postgres.url, scale, say);
  } finally {
    await postgres.stop();
  }
}

async function measure(url: string, scale: number, say: (line: string) => void): Promise<BenchResult> {
  const loadedIn = await loadBoth(url, scale, say);
  const open = (name: string) => openPostgres(addressOf(url, name), console.error);
  const [fresh, full] = await Promise.all([open(FRESH), open(FULL)]);
  // An earlier run may have loaded them with older tables.
  for (const db of [fresh, full]) await migrate(db);
  try {
    const [size] = await full.query<{ gb: number }>(
      'select (pg_database_size(current_database()) / 1e9)::float8 as gb',
    );
    const ratios = await compare(fresh, full, say);
    const scans = await scansOf(full);
    for (const scan of scans) say(`  reads a table completely: ${scan}`);
    return {
      figures: {
        'part of a year': scale,
        ...(loadedIn !== null && { 'loaded in, s': loadedIn }),
        'size of the full ledger, GB': round(size?.gb ?? Number.NaN, 2),
        ...ratios,
        'statements that read a growing table completely': scans.length,
      },
      goals: {
        ...Object.fromEntries(
          Object.keys(ratios)
            .filter((name) => name.endsWith(', times'))
            .map((name) => [name, { max: 1.5 }]),
        ),
        'statements that read a growing table completely': { max: 0 },
      },
    };
  } finally {
    await Promise.all([fresh.close(), full.close()]);
  }
}

const FRESH = 'sluice_year_fresh';
const FULL = 'sluice_year_full';

function addressOf(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** @returns seconds; null when an earlier run has loaded both */
async function loadBoth(url: string, scale: number, say: (line: string) => void): Promise<number | null> {
  const admin = await openPostgres(url, console.error);
  try {
    // The comment is written last: a database without it is incomplete.
    const loaded = await admin.query(
      "select 1 from pg_database where datname = $1 and shobj_description(oid, 'pg_database') = $2",
      [FULL, `part ${scale}`],
    );
    if (loaded.length > 0) return null;
    const began = performance.now();
    for (const name of [FRESH, FULL]) {
      await admin.query(`drop database if exists ${name} with (force)`);
      await admin.query(`create database ${name}`);
      const db = await openPostgres(addressOf(url, name), console.error, LOAD_MS);
      await migrate(db);
      if (name === FULL) {
        await fillYear(db, 'acme', scaled(BUSY, scale), 0, say);
        await fillYear(db, 'quiet', scaled(QUIET, scale), QUIET_ACCOUNTS, say);
      }
      await addWork(db);
      await db.query('vacuum analyze');
      await db.close();
    }
    await admin.query(`comment on database ${FULL} is 'part ${scale}'`);
    const seconds = round((performance.now() - began) / 1000, 0);
    say(`loaded in ${seconds} s`);
    return seconds;
  } finally {
    await admin.close();
  }
}

/** The runs of a sync are few already. */
function scaled(year: YearOf, scale: number): YearOf {
  const entries = Object.entries(year).map(([kind, rows]) => [kind, Math.ceil(rows * scale)]);
  return { ...(Object.fromEntries(entries) as unknown as YearOf), runs: year.runs };
}

/** The median time of each call on the full ledger, as a multiple of that on the new one. */
async function compare(
  fresh: Database,
  full: Database,
  say: (line: string) => void,
): Promise<Record<string, number>> {
  const paths = [await hotPath(fresh), await hotPath(full)] as const;
  const figures: Record<string, number> = {};
  for (const [at, call] of paths[0].entries()) {
    const other = paths[1][at] as HotCall;
    const times: [number[], number[]] = [[], []];
    for (let n = -WARM_UPS; n < TIMES; n++) {
      const took = [
        await timeOf(fresh, call, n + WARM_UPS),
        await timeOf(full, other, n + WARM_UPS),
      ] as const;
      if (n >= 0) for (const side of [0, 1] as const) times[side].push(took[side]);
    }
    const [before, after] = times.map(median) as [number, number];
    figures[`${call.name}: new, ms`] = round(before, 2);
    figures[`${call.name}: full, ms`] = round(after, 2);
    figures[`${call.name}, times`] = round(after / before, 2);
    say(`  ${call.name}: ${round(before, 2)} → ${round(after, 2)} ms, ${round(after / before, 2)} times`);
  }
  return figures;
}

async function timeOf(db: Database, call: HotCall, n: number): Promise<number> {
  let took = Number.NaN;
  await rolledBack(db, async (tx) => {
    const began = performance.now();
    await call.run(tx, n);
    took = performance.now() - began;
  });
  return took;
}

function median(times: number[]): number {
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}

async function scansOf(db: Database): Promise<string[]> {
  const found: string[] = [];
  for (const statement of await statementsOf(db, await hotPath(db)))
    for (const table of await tablesScanned(db, statement))
      if ((BIG_TABLES as readonly string[]).includes(table)) found.push(`${statement.call}: ${table}`);
  return found;
}
