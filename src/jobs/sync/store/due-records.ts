// Finds a run's due records, and leases them to batches.

import { RECORD_PAYLOAD } from '../../../core/encryption/columns.ts';
import { decryptRow } from '../../../core/encryption/values.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import { type CardRow, decryptPerson, type PersonRow } from '../../../core/store/people.ts';
import type { RecordOutcome } from '../constants.ts';
import type { EndCounts } from '../contract/run.ts';
import type { LoadedRecord, RecordRow } from './record-rows.ts';

interface RunPlace {
  readonly id: string;
  readonly account: string;
  /** The pipeline's name as the ledger stores it. See `pipelineName`. */
  readonly pipeline: string;
}

type Row = RecordRow & { readonly person: PersonRow | null; readonly card: CardRow | null };

/**
 * Joins the data that a step needs to the records `r`. "limit 1" makes it one index look-up each, even without
 * statistics.
 */
const withPerson = (account: string, pipeline: string) => `
  left join lateral (
    select to_json(p) as person,
           (select to_json(c) from cards c
             where c.account = ${account} and c.person_id = p.id and c.pipeline = ${pipeline} limit 1) as card
      from people p where p.account = ${account} and p.key = r.key limit 1) p on true`;

/**
 * Leases due records, while the run continues and the attempt was not taken back. It locks the run's row: whoever
 * takes the batch back or ends the run waits for the leases and then finds them. Records that wait for a retry come
 * before new ones. New ones come in the order of the source.
 * @param batch `holder`: the batch, followed by the attempt's number; `steps`: only records with one of these steps,
 *   as bits
 * @default all; `without`: only records with none of these
 */
export async function takeDue(
  db: Queryable,
  run: RunPlace,
  batch: { holder: string; seconds: number; limit: number; steps?: number; without?: number },
): Promise<LoadedRecord[]> {
  const rows = await db.query<Row>(
    `with run as materialized (
       select 1 from runs
        where id = $1 and finished_at is null
          and coalesce((taken_back ->> rtrim($3::text, '0123456789'))::int <= substring($3 from '\\d+$')::int, true)
          for share
     ), taken as (
       update run_records set holder = $3, due_at = now() + make_interval(secs => $4)
        where id = any(array(
          select id from run_records
           where exists (select from run)
             and run_id = $1 and status = 'pending' and due_at <= now() and todo & $7::int <> 0 and todo & $8::int = 0
           order by due_at desc, id limit $2 for update skip locked))
       returning *)
     select r.*, p.person, p.card from taken r ${withPerson('$5', '$6')} order by r.id`,
    [
      run.id,
      batch.limit,
      batch.holder,
      batch.seconds,
      run.account,
      run.pipeline,
      batch.steps ?? -1,
      batch.without ?? 0,
    ],
  );
  return rows.map((row) => loaded(db, row));
}

/** The current record, for its next step. */
export async function loadRecord(db: Queryable, run: RunPlace, id: number): Promise<LoadedRecord> {
  const [row] = await db.query<Row>(
    `select r.*, p.person, p.card from run_records r ${withPerson('$3', '$4')} where r.run_id = $1 and r.id = $2`,
    [run.id, id, run.account, run.pipeline],
  );
  if (row === undefined) throw new Error(`run ${run.id} has no record ${id}`);
  return loaded(db, row);
}

function loaded(db: Queryable, { person, card, ...row }: Row): LoadedRecord {
  return {
    row: decryptRow(db, RECORD_PAYLOAD, row),
    person: person && { ...decryptPerson(db, person), card },
  };
}

/** Renews the leases of records that the batch still holds. An expired lease cannot be renewed. */
export async function renewDue(
  db: Queryable,
  holder: string,
  ids: readonly number[],
  seconds: number,
): Promise<void> {
  await db.query(
    `update run_records set due_at = now() + make_interval(secs => $3)
      where id = any($2::bigint[]) and holder = $1 and status = 'pending' and due_at > now()`,
    [holder, ids, seconds],
  );
}

/**
 * Gives records back, so that they are due at once.
 * @returns the records given back; the others have ended or belong to another batch
 */
export async function releaseDue(
  db: Queryable,
  holder: string,
  ids: readonly number[],
): Promise<Set<number>> {
  const rows = await db.query<{ id: number }>(
    `update run_records set due_at = now(), holder = null
      where id = any($2::bigint[]) and holder = $1 and status = 'pending' returning id`,
    [holder, ids],
  );
  return new Set(rows.map(({ id }) => id));
}

/** A number that no attempt has. */
const NO_ATTEMPT = 2 ** 31 - 1;

/**
 * Takes the records back from a batch. They are due at once, and the batch's attempts can no longer write or take
 * others.
 * @param batch prefix of the holders' names
 * @param attempt the attempt that continues the batch
 * @default none
 * @returns counts of the records that all attempts have ended
 */
export async function takeBack(
  db: Queryable,
  runId: string,
  batch: string,
  attempt = NO_ATTEMPT,
): Promise<EndCounts> {
  // This runs first: it waits for an attempt that is taking records, and the next statement finds those.
  await db.query(
    `update runs
        set taken_back = taken_back || jsonb_build_object($2::text, greatest((taken_back ->> $2)::int, $3::int))
      where id = $1`,
    [runId, batch, attempt],
  );
  await db.query(
    `update run_records set due_at = now(), holder = null
      where run_id = $1 and status = 'pending' and starts_with(holder, $2)`,
    [runId, batch],
  );
  const rows = await db.query<{ status: RecordOutcome; n: number; cards: number }>(
    `select status, count(*)::int as n, count(*) filter (where card_created)::int as cards from run_records
      where run_id = $1 and status <> 'pending' and starts_with(holder, $2) group by status`,
    [runId, batch],
  );
  const cards = rows.reduce((sum, row) => sum + row.cards, 0);
  return { ...Object.fromEntries(rows.map(({ status, n }) => [status, n])), cards };
}

/**
 * Makes the record due again later.
 * @param wait `failed`: it failed once more
 * @returns false when it has ended or belongs to another batch
 */
export async function deferRecord(
  db: Queryable,
  { id, holder }: Pick<RecordRow, 'id' | 'holder'>,
  wait: { ms: number; failed: boolean },
): Promise<boolean> {
  const rows = await db.query(
    `update run_records
        set due_at = now() + make_interval(secs => $3), holder = null,
            attempts = attempts + $4::int, tries = tries + $4::int
      where id = $1 and holder is not distinct from $2 and status = 'pending' returning 1`,
    [id, holder, wait.ms / 1000, wait.failed ? 1 : 0],
  );
  return rows.length > 0;
}

/**
 * Gives back records whose open steps are all stopped. They are not due again in this run. A record that received
 * another step meanwhile is due at once.
 * @param stopped steps as bits
 */
export async function parkRecords(
  db: Queryable,
  holder: string,
  ids: readonly number[],
  stopped: number,
): Promise<void> {
  await db.query(
    `update run_records
        set due_at = case when todo & ~$3::int = 0 then 'infinity'::timestamptz else now() end, holder = null
      where id = any($2::bigint[]) and holder = $1 and status = 'pending'`,
    [holder, ids, stopped],
  );
}

/** Makes all waiting and leased records due at once, because the run starts again or has ended. */
export async function resetDue(db: Queryable, runId: string): Promise<void> {
  await db.query(
    `update run_records set due_at = '-infinity', holder = null
      where run_id = $1 and status = 'pending' and due_at > '-infinity'`,
    [runId],
  );
}

/**
 * Milliseconds until a record is due that this batch does not hold; null when none will be. A record of another batch
 * counts with the end of its lease, because that batch may be dead.
 */
export async function nextDueMs(db: Queryable, runId: string, holder: string): Promise<number | null> {
  const [row] = await db.query<{ ms: number }>(
    `select greatest(0, 1000 * (extract(epoch from due_at) - extract(epoch from now())))::float8 as ms
       from run_records
      where run_id = $1 and status = 'pending' and due_at < 'infinity' and holder is distinct from $2
      order by due_at, id desc limit 1`,
    [runId, holder],
  );
  return row === undefined ? null : Math.ceil(row.ms);
}

/** All steps that the run's records still have to do, as bits. Records that are never due do not count. */
export async function openSteps(db: Queryable, runId: string): Promise<number> {
  const [row] = await db.query<{ todo: number | null }>(
    `select bit_or(todo) as todo from run_records where run_id = $1 and status = 'pending' and due_at < 'infinity'`,
    [runId],
  );
  return row?.todo ?? 0;
}
