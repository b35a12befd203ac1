// What later runs of a sync made of rows that it had rejected.
import type { Queryable } from '../../../core/sql/database.ts';
import { isoText } from '../../../core/sql/iso-text.ts';
import { searchPeople } from './people-search.ts';
import type { FoundRow } from './row-search.ts';

/** A later run of the sync after which the rejection is over. */
export interface LaterRun {
  readonly run: string;
  /** The row in which it has the person; null: it read the whole source again. */
  readonly row: number | null;
  readonly at: string;
}

/** A name that many people have must not cost more than this many of them. */
const NAMESAKES = 50;

/** Runs after the run `:run`, which count as `l`. */
const LATER = `runs u join runs l on l.account = u.account and l.sync = u.sync and l.seq > u.seq and l.kind <> 'plan'`;
/** They read the whole source, so what it still has of such a row is rejected there. */
export const READ_WHOLE = `l.kind = 'sync' and l.status = 'finished' and l.pages > 0
  and l.spec ->> 'partial' is distinct from 'true' and l.spec #> '{source,incremental}' is null`;

/** Rows that no later run has taken up are missing. */
export async function laterRuns(
  db: Queryable,
  rows: readonly FoundRow[],
): Promise<ReadonlyMap<FoundRow, LaterRun>> {
  const later = new Map<FoundRow, LaterRun>();
  const whole = await readAgain(db, [...new Set(rows.map(({ run }) => run))]);
  // A file that is read each day has the same row each day.
  const known = new Map<string, readonly string[]>();
  for (const row of rows) {
    const who = JSON.stringify([row.account, row.name, row.email, row.number]);
    const keys = known.get(who) ?? (await keysOf(db, row));
    known.set(who, keys);
    const found = (keys.length === 0 ? null : await sentLater(db, row.run, keys)) ?? whole.get(row.run);
    if (found !== undefined) later.set(row, found);
  }
  return later;
}

async function readAgain(db: Queryable, runs: readonly string[]): Promise<ReadonlyMap<string, LaterRun>> {
  const rows = await db.query<{ of: string; run: string; at: string }>(
    `select distinct on (u.id) u.id as of, l.id as run, ${isoText('l.started_at')} as at
       from ${LATER} where u.id = any($1) and ${READ_WHOLE} order by u.id, l.seq`,
    [runs],
  );
  return new Map(rows.map(({ of, run, at }) => [of, { run, row: null, at }]));
}

/** The first later run that has one of these people, who were in no row of the run that rejected theirs. */
async function sentLater(db: Queryable, run: string, keys: readonly string[]): Promise<LaterRun | null> {
  const [found] = await db.query<LaterRun>(
    `select l.id as run, r.row_no as row, ${isoText('coalesce(r.sent_at, r.ended_at, l.started_at)')} as at
       from ${LATER} join run_records r on r.run_id = l.id
      where u.id = $1 and r.key = any($2) and r.row_no > 0 and r.status in ('created', 'updated', 'unchanged')
        and not exists (select 1 from run_records where run_id = u.id and key = r.key)
        and not exists (select 1 from merged_rows where run_id = u.id and key = r.key)
      order by l.seq, r.row_no limit 1`,
    [run, keys],
  );
  return found ?? null;
}

/**
 * People that a row may be about: with its number, its e-mail address, or all words of its name. A name counts if it has
 * more than one word and the addresses do not differ.
 */
async function keysOf(db: Queryable, { account, name, email, number }: FoundRow): Promise<string[]> {
  const digits = number?.replace(/\D/g, '') ?? '';
  const isFullName = name !== null && /\S\s+\S/.test(name);
  const found = await searchPeople(
    db,
    {
      accounts: [account],
      keys: digits === '' ? [] : [digits],
      whole: true,
      email,
      name: isFullName ? name : null,
      id: null,
      idKind: null,
      ref: null,
      event: null,
      request: null,
      row: null,
    },
    NAMESAKES,
  );
  return found.flatMap((hit) =>
    hit.key !== null && (hit.by.some((by) => by !== 'name') || !differ(hit.email, email)) ? [hit.key] : [],
  );
}

const differ = (one: string | null, other: string | null) =>
  one !== null && other !== null && one.toLowerCase() !== other.toLowerCase();
