// Measures how long an operator waits for a search and for the page of a person, with a million people in the ledger, on
// PostgreSQL and on the embedded database. Each search is another person, so that few pages are in memory already.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openPglite, openPostgres } from '../src/core/sql/database.ts';
import { migrate } from '../src/core/sql/migrations/migrations.ts';
import { type PeopleQuery, searchPeople } from '../src/operator/store/people/people-search.ts';
import { NOTHING } from '../test/support/people-query.ts';
import { startPostgres } from '../test/support/postgres/postgres.ts';
import type { BenchResult } from './bench.ts';
import { ACCOUNT, fillLedger, keyOf } from './support/ledger-people.ts';
import { quantile, round } from './support/log.ts';
import { seeded } from './support/random.ts';

const PEOPLE = 1_000_000;
const ROUNDS = 60;
const SHOWN = 21;
const GOAL_MS = 200;

type Ask = (i: number) => Partial<PeopleQuery>;

/** From the rarest to the most frequent answer: the last ones match tens of thousands of people. */
const SEARCHES: Readonly<Record<string, Ask>> = {
  phone: (i) => ({ keys: [keyOf(i)] }),
  'e-mail': (i) => ({ email: `silva${i}@example.com` }),
  'contact, card or conversation id': (i) => ({ id: i }),
  'rare name': (i) => ({ name: `q${i.toString(16).slice(0, 3)}` }),
  'two words': (i) => ({ name: i % 2 === 0 ? 'marcia cavalc' : 'JULIA MOU' }),
  'a name like any other': () => ({ name: 'maria silva' }),
  'two letters': () => ({ name: 'ma' }),
};

export async function person(say: (line: string) => void): Promise<BenchResult> {
  const figures: Record<string, number | string> = { people: PEOPLE };
  const goals: Record<string, { max: number }> = {};
  const measure = async (place: string, db: Database) => {
    await migrate(db);
    const began = Date.now();
    await fillLedger(db, PEOPLE, (line) => say(`${place}: ${line}`));
    figures[`${place}: filling, s`] = round((Date.now() - began) / 1000, 0);
    for (const [what, ask] of Object.entries(SEARCHES)) {
      const name = `${place}: ${what}, p95 ms`;
      figures[name] = await p95(db, ask);
      goals[name] = { max: GOAL_MS };
      say(`${name} ${figures[name]}`);
    }
  };
  const postgres = await startPostgres();
  try {
    const db = await openPostgres(postgres.url, (error) => say(error.message));
    await measure('PostgreSQL', db).finally(() => db.close());
  } finally {
    await postgres.stop();
  }
  const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  try {
    const db = await openPglite(join(folder, 'ledger'));
    await measure('PGlite', db).finally(() => db.close());
  } finally {
    await rm(folder, { recursive: true });
  }
  return { figures, goals };
}

async function p95(db: Database, ask: Ask): Promise<number> {
  const random = seeded(7);
  const times: number[] = [];
  for (let n = 0; n < ROUNDS; n++) {
    const query = {
      accounts: [ACCOUNT],
      ...NOTHING,
      ...ask(Math.floor(random() * PEOPLE)),
    };
    const began = performance.now();
    await searchPeople(db, query, SHOWN);
    times.push(performance.now() - began);
  }
  return round(quantile(times, 0.95), 1);
}
