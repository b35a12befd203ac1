// How much of the ledger's disk a row of each kind takes, indexes included.
import { openPostgres } from '../../src/core/sql/database.ts';
import { migrate } from '../../src/core/sql/migrations/migrations.ts';
import { startPostgresServer } from '../../test/support/postgres/postgres.ts';
import { fillYear, type YearOf } from './year-data.ts';

const ROWS = 50_000;
const YEAR: YearOf = {
  people: ROWS,
  calls: ROWS,
  minutes: ROWS,
  events: ROWS,
  conversations: ROWS,
  messages: ROWS,
  runs: 10,
  records: ROWS,
  members: ROWS,
  touches: ROWS,
  dead: 10,
  audit: 10,
};

/** Tables of each kind. A person has a card with its intent, and belongs to a mirror. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  'person with a card': ['people', 'cards', 'intents', 'sync_members'],
  'record of a run': ['run_records'],
  call: ['calls'],
  'minute with calls': ['call_minutes'],
  event: ['events', 'event_ranks'],
  message: ['messages'],
  'member of a campaign': ['campaign_members'],
};

/** Bytes per row by kind, on a PostgreSQL server of its own. */
export async function rowBytes(say: (line: string) => void): Promise<Record<string, number>> {
  const server = await startPostgresServer(['fsync=off', 'jit=off']);
  const db = await openPostgres(server.url, (error) => say(error.message));
  try {
    await migrate(db);
    await fillYear(db, 'acme', YEAR, 0, () => undefined);
    await db.query('vacuum analyze');
    const bytes: Record<string, number> = {};
    for (const [kind, tables] of Object.entries(KINDS)) {
      const [row] = await db.query<{ bytes: number }>(
        'select sum(pg_total_relation_size(name::regclass))::float8 as bytes from unnest($1::text[]) name',
        [tables],
      );
      bytes[kind] = Math.round((row?.bytes ?? Number.NaN) / ROWS);
    }
    return bytes;
  } finally {
    await db.close();
    await server.stop();
  }
}
