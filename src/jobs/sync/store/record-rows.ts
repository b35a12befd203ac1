// The row of a record: its steps, its outcome, and the person that it is about.

import { RECORD_PAYLOAD } from '../../../core/encryption/columns.ts';
import { decryptRow } from '../../../core/encryption/values.ts';
import type { CrmRecord } from '../../../core/record.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import type { KnownPerson } from '../../../core/store/people.ts';
import type { RecordOutcome } from '../constants.ts';

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
  readonly tag_ids: {
    readonly ids: number[];
    readonly added: string[];
    readonly missing: string[];
    /** Absent in a record that an older program has planned. */
    readonly wanted?: string[];
  } | null;
}

/** A record and the batch that works on it; null outside of batches. */
export type LeasedRecord = Pick<RecordRow, 'id' | 'holder'>;

/** A record and its person, as the ledger has them. */
export interface LoadedRecord {
  readonly row: RecordRow;
  /** The person with the card of the run's pipeline; null when the ledger does not know the person. */
  readonly person: KnownPerson | null;
}

/** A tag list that a contact must have. The upsert's answer determines it, and the next step writes it. */
export type TagIds = NonNullable<RecordRow['tag_ids']>;

export async function getRecord(db: Queryable, runId: string, id: number): Promise<RecordRow> {
  const [row] = await db.query<RecordRow>('select * from run_records where run_id = $1 and id = $2', [
    runId,
    id,
  ]);
  if (row === undefined) throw new Error(`run ${runId} has no record ${id}`);
  return decryptRow(db, RECORD_PAYLOAD, row);
}
