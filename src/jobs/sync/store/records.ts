// Records the results of a record's steps, and its end.

import { toJson } from '../../../core/json/stored-json.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import { type Note, runNotes, runTogether } from '../../../core/sql/notes.ts';
import { MARK_SENT } from '../../../core/store/intents.ts';
import { decryptPerson, type PersonRow } from '../../../core/store/people.ts';
import type { RecordOutcome } from '../constants.ts';
import type { LeasedRecord, LoadedRecord, RecordRow, TagIds } from './record-rows.ts';

/**
 * Thrown when another batch works on the record. This batch must neither call the API for it nor record its results.
 */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/**
 * Records that a write for the record is about to go out. The time of the first one is kept.
 * @param holder the batch that is about to call; null outside of batches
 * @returns false when the record does not belong to this batch any more: then it must not call
 */
export async function markSent(db: Queryable, id: number, holder: string | null): Promise<boolean> {
  return (await db.query(MARK_SENT('$1', '$2'), [id, holder])).length > 0;
}

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
    with person as (${contact((value) => `$${values.push(value)}`, tx)}), main as (${SETTLE})
    select main.*, to_json(person) as person from main, person`;
  type WithPerson = Settled & { readonly person: PersonRow };
  const [settled] = await runTogether<WithPerson>(tx, sql, values, mustBeLeased(row));
  if (settled === undefined) return await endOf(tx, row, true);
  const { person: written, card_created: _, ...now } = settled;
  return {
    ...endIn(settled),
    next: { row: { ...row, ...now }, person: { ...decryptPerson(tx, written), card: person?.card ?? null } },
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
