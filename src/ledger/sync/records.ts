// The records of a run: one row per person, with the steps still to do and their outcome.

import { toJson } from '../../contracts/stored-json.ts';
import type { CrmRecord } from '../../contracts/wire/record.ts';
import type { RecordOutcome } from '../../contracts/wire/run.ts';
import { plainArray, type Queryable } from '../database.ts';
import { type Note, runNotes, runTogether } from '../notes.ts';
import type { LoadedRecord } from './due-records.ts';
import type { PersonRow } from './people.ts';

/**
 * Thrown when another batch works on the record. This batch must neither call the API for it nor record its results.
 */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

export interface StagedRecord {
  readonly key: string;
  /** The first row of the person. */
  readonly row: number;
  /** The record, or its JSON from `toJson`. */
  readonly record: CrmRecord | string;
  readonly todo: number;
}

/** Records of earlier pages of the same run, by key. */
export async function findStaged(tx: Queryable, runId: string, keys: readonly string[]) {
  const rows = await tx.query<{ key: string; row_no: number; payload: CrmRecord; carried: boolean }>(
    'select key, row_no, payload, carried from run_records where run_id = $1 and key = any($2)',
    [runId, keys],
  );
  return new Map(rows.map((row) => [row.key, row]));
}

/**
 * Stages records. Measured with PGlite: 12 µs per record of a new person and 15 µs per other record; arrays as
 * parameters take twice that.
 * @param options `fresh`: the run has no record of any of these people, so none is searched for
 */
export async function stageRecords(
  tx: Queryable,
  runId: string,
  staged: readonly StagedRecord[],
  { carried = false, fresh = false } = {},
): Promise<void> {
  if (staged.length === 0) return;
  const replace = `on conflict (run_id, key, (coalesce(event_id, ''))) do update
        set payload = excluded.payload, todo = excluded.todo, status = excluded.status`;
  await tx.query(
    `insert into run_records (run_id, key, row_no, payload, todo, status, carried)
     select $1, key, row, record::jsonb, todo, case when todo = 0 then 'unchanged' else 'pending' end, $6
       from unnest($2::text::text[], $3::text::int[], string_to_array($4::text, e'\\n'), $5::text::int[])
            as s(key, row, record, todo) ${fresh ? '' : replace}`,
    [
      runId,
      plainArray(staged.map(({ key }) => key)),
      plainArray(staged.map(({ row }) => row)),
      // JSON texts contain no line breaks.
      staged.map(({ record }) => (typeof record === 'string' ? record : toJson(record))).join('\n'),
      plainArray(staged.map(({ todo }) => todo)),
      carried,
    ],
  );
}

/** Deletes records of people whose rows were refused. Records that the previous run left undone stay. */
export async function dropStaged(tx: Queryable, runId: string, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await tx.query('delete from run_records where run_id = $1 and key = any($2) and not carried', [
    runId,
    keys,
  ]);
}

/**
 * Stages the record of an event, in the run of its route. There may be several about one person.
 * @returns its id
 */
export async function stageEventRecord(
  tx: Queryable,
  event: { id: string; run_id: string },
  record: CrmRecord,
  todo: number,
): Promise<number> {
  const [row] = await tx.query<{ id: number }>(
    `with record as (
       insert into run_records (run_id, key, row_no, payload, todo, status, event_id)
       values ($1, $2, 1, $3, $4, case when $4 = 0 then 'unchanged' else 'pending' end, $5) returning id)
     update events set record_id = record.id from record where events.id = $5 returning record.id`,
    [event.run_id, record.key, toJson(record), todo, event.id],
  );
  return (row as { id: number }).id;
}

/** Counts each bit of `todo` among the pending records of a run. */
export async function countTodo(
  db: Queryable,
  runId: string,
  bits: { lookup: number; tags: number; cards: number },
): Promise<{ total: number; lookups: number; tags: number; cards: number }> {
  const [row] = await db.query<{ total: number; lookups: number; tags: number; cards: number }>(
    `select count(*)::int as total, count(*) filter (where todo & $2::int <> 0)::int as lookups,
            count(*) filter (where todo & $3::int <> 0)::int as tags,
            count(*) filter (where todo & $4::int <> 0)::int as cards
       from run_records where run_id = $1 and status = 'pending'`,
    [runId, bits.lookup, bits.tags, bits.cards],
  );
  return row ?? { total: 0, lookups: 0, tags: 0, cards: 0 };
}

/**
 * Gives steps to the records whose people wait for one of these tags. A record that had nothing to do is pending
 * again.
 * @returns the number of records
 */
export async function reviveForTags(
  tx: Queryable,
  run: { id: string; account: string },
  names: readonly string[],
  bits: number,
): Promise<number> {
  const rows = await tx.query(
    `update run_records r set todo = r.todo | $4::int, status = 'pending'
       from people p
      where r.run_id = $1 and r.status in ('pending', 'unchanged') and p.account = $2 and p.key = r.key
        and p.tags_missing <> '[]' and p.tags_missing ?| $3::text[]
      returning r.id`,
    [run.id, run.account, names, bits],
  );
  return rows.length;
}

/** Pending records with their payloads, ordered by id. */
export async function stagedRecords(
  db: Queryable,
  runId: string,
  page: { after: number; limit: number },
): Promise<Pick<RecordRow & { payload: CrmRecord }, 'id' | 'row_no' | 'key' | 'todo' | 'payload'>[]> {
  return await db.query(
    // No record waits while the run is planned. With the due time, the index returns them in this order.
    `select id, row_no, key, todo, payload from run_records
      where run_id = $1 and status = 'pending' and due_at = '-infinity' and id > $2 order by id limit $3`,
    [runId, page.after, page.limit],
  );
}

/** What a step needs to know about its record. */
export interface RecordRow {
  readonly id: number;
  readonly run_id: string;
  readonly key: string;
  /** Number of the row in the source; 0 for a person who left it. */
  readonly row_no: number;
  readonly payload: CrmRecord | null;
  readonly todo: number;
  readonly status: 'pending' | RecordOutcome;
  /** Where and why it failed or became unknown. */
  readonly step: string | null;
  readonly code: string | null;
  readonly reason: string | null;
  /** Transient failures in a row. */
  readonly attempts: number;
  /** The batch that works on the record; null when none does, and for the record of an event. */
  readonly holder: string | null;
  readonly sent_at: Date | null;
  /**
   * Tag ids that the contact must have, which of their names Sluice set, and names that the account does not have.
   */
  readonly tag_ids: { readonly ids: number[]; readonly added: string[]; readonly missing: string[] } | null;
}

export async function getRecord(db: Queryable, runId: string, id: number): Promise<RecordRow> {
  const [row] = await db.query<RecordRow>('select * from run_records where run_id = $1 and id = $2', [
    runId,
    id,
  ]);
  if (row === undefined) throw new Error(`run ${runId} has no record ${id}`);
  return row;
}

/** Marks a record as sent while this holder's batch leases it. It is a part of a statement. */
export const MARK_SENT = (id: string, holder: string): string =>
  `update run_records set sent_at = coalesce(sent_at, clock_timestamp())
    where id = ${id} and status = 'pending' and holder is not distinct from ${holder} returning 1`;

/**
 * Records that a write for the record is about to go out. The time of the first one is kept.
 * @param holder the batch that is about to call; null outside of batches
 * @returns false when the record does not belong to this batch any more: then it must not call
 */
export async function markSent(db: Queryable, id: number, holder: string | null): Promise<boolean> {
  return (await db.query(MARK_SENT('$1', '$2'), [id, holder])).length > 0;
}

/** A record and the batch that works on it; null outside of batches. */
export type LeasedRecord = Pick<RecordRow, 'id' | 'holder'>;

/** A tag list that a contact must have. The upsert's answer determines it, and the next step writes it. */
export type TagIds = NonNullable<RecordRow['tag_ids']>;

/** What a step has changed about its record. */
export interface StepChange {
  /** Steps that are done, and steps that must follow, as bits. */
  readonly clear: number;
  readonly add?: number;
  readonly created?: boolean;
  readonly touched?: boolean;
  readonly cardCreated?: boolean;
  /** Stored for the step that writes the tags. */
  readonly tagIds?: TagIds;
}

/**
 * Records a step's result in one statement: steps cleared and added, and everything else that it changed. The record
 * ends as created or updated when nothing is left to do. If it has already ended, it does not change, and its end is
 * returned.
 * @param notes what the step has found about the person, the card or the effect; no two for one row
 * @throws LeaseLostError when another batch has the record: nothing was written, and a transaction around it must end
 */
export async function settleStep(
  tx: Queryable,
  record: LeasedRecord,
  change: StepChange,
  ...notes: readonly Note[]
): Promise<RecordEnd> {
  const [row] = await runNotes<Settled>(
    tx,
    SETTLE,
    settleParams(record, change),
    notes,
    mustBeLeased(record),
  );
  return row === undefined ? await endOf(tx, record, notes.length > 0) : endIn(row);
}

/**
 * Like {@link settleStep}, for a step that wrote the person's contact.
 * @returns also the record and its person for the next step
 */
export async function settleContact(
  tx: Queryable,
  { row, person }: LoadedRecord,
  change: StepChange,
  contact: Note,
): Promise<RecordEnd & { readonly next?: LoadedRecord }> {
  const values = [...settleParams(row, change)];
  const sql = `
    with person as (${contact((value) => `$${values.push(value)}`)}), main as (${SETTLE})
    select main.*, to_json(person) as person from main, person`;
  type WithPerson = Settled & { readonly person: PersonRow };
  const [settled] = await runTogether<WithPerson>(tx, sql, values, mustBeLeased(row));
  if (settled === undefined) return await endOf(tx, row, true);
  const { person: written, card_created: _, ...now } = settled;
  return {
    ...endIn(settled),
    next: { row: { ...row, ...now }, person: { ...written, card: person?.card ?? null } },
  };
}

/** What is left to do for a record after a step. */
export interface RecordEnd {
  /** As bits. */
  readonly todo: number;
  /** Set when the record has ended. */
  readonly ended?: RecordOutcome;
  /** The record has ended, and the run created a card for it. */
  readonly cardCreated?: boolean;
}

type EndRow = Pick<RecordRow, 'todo' | 'status'> & { readonly card_created: boolean };
type Settled = EndRow & Pick<RecordRow, 'attempts' | 'holder' | 'sent_at' | 'tag_ids'>;

/** Notes of an event's record are always valid, even from a late attempt, because no batch takes it over. */
const mustBeLeased = ({ holder }: LeasedRecord) => holder !== null;

// Computed from the locked row itself. A subquery would read it as it was before a concurrent step's commit.
const TODO = '((todo & ~($2::int)) | $3::int)';

const SETTLE = `
  update run_records
     set todo = ${TODO}, created = created or $4, touched = touched or $5, card_created = card_created or $6,
         tag_ids = coalesce($7, tag_ids), attempts = 0, tries = tries + 1,
         ended_at = case when ${TODO} <> 0 then null else clock_timestamp() end,
         status = case when ${TODO} <> 0 then 'pending'
                       when created or $4 then 'created'
                       when touched or $5 then 'updated' else 'unchanged' end
   where id = $1 and holder is not distinct from $8 and status = 'pending'
  returning todo, status, card_created, attempts, holder, sent_at, tag_ids`;

function settleParams({ id, holder }: LeasedRecord, change: StepChange): unknown[] {
  const { clear, add = 0, created = false, touched = false, cardCreated = false, tagIds } = change;
  const tags = tagIds === undefined ? null : toJson(tagIds);
  return [id, clear, add, created, touched, cardCreated, tags, holder];
}

/**
 * Ends a record as failed or unknown, with the step and the code. A record that has already ended does not change.
 * @throws LeaseLostError when another batch has the record
 */
export async function endRecord(
  db: Queryable,
  record: LeasedRecord,
  end: { status: 'failed' | 'unknown'; step: string; code: string; reason: string },
): Promise<RecordEnd> {
  const [row] = await db.query<EndRow>(
    `update run_records set status = $2, step = $3, code = $4, reason = $5, tries = tries + 1, ended_at = clock_timestamp()
      where id = $1 and holder is not distinct from $6 and status = 'pending' returning todo, status, card_created`,
    [record.id, end.status, end.step, end.code, end.reason, record.holder],
  );
  return row === undefined ? await endOf(db, record) : endIn(row);
}

/**
 * The end of a record that nobody else has ended.
 * @param refused the previous statement was refused as a whole, which ends a transaction around it
 * @throws LeaseLostError when another batch has the record
 */
async function endOf(db: Queryable, record: LeasedRecord, refused = false): Promise<RecordEnd> {
  const { id, holder } = record;
  const end = refused && mustBeLeased(record) ? null : await findEnd(db, record);
  if (end === null) throw new LeaseLostError(`record ${id} is not leased by ${holder}`);
  return end;
}

/** The end of a record that this holder has ended; null when it has not. */
export async function findEnd(db: Queryable, { id, holder }: LeasedRecord): Promise<RecordEnd | null> {
  const [row] = await db.query<EndRow>(
    `select todo, status, card_created from run_records
      where id = $1 and holder is not distinct from $2 and status <> 'pending'`,
    [id, holder],
  );
  return row === undefined ? null : endIn(row);
}

function endIn({ todo, status, card_created }: EndRow): RecordEnd {
  if (status === 'pending') return { todo };
  return { todo, ended: status, ...(card_created ? { cardCreated: true } : {}) };
}
