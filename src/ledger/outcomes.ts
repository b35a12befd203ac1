// What came of each row of a run: read in pages, so that a million rows never sit in memory.
import type { CrmRecord } from '../contracts/record.ts';
import { OUTCOMES, type Outcome } from '../contracts/run.ts';
import type { Queryable } from './database.ts';
import type { RunRow } from './runs.ts';

/** `pending`: not ended, in a run under way or cancelled. */
export type RowStatus = Outcome | 'pending';
export const ROW_STATUSES: readonly RowStatus[] = [...OUTCOMES, 'pending'];

export interface RowOutcome {
  /** Number of the row in the source; of several rows about one person the first. */
  readonly row: number;
  /** The person's number; null for a row that could not be mapped. */
  readonly key: string | null;
  readonly status: RowStatus;
  /** Field of the mapping, or step of the sync, where it ended. */
  readonly step: string | null;
  readonly code: string | null;
  readonly reason: string | null;
  /** API calls tried for the record. */
  readonly attempts: number;
  readonly created: boolean;
  readonly cardCreated: boolean;
  readonly endedAt: Date | null;
  /** The record, as long as somebody may still need it; of a rejected row the value that was refused, under its field. */
  readonly payload: CrmRecord | Readonly<Record<string, string>> | null;
}

export interface OutcomeFilter {
  readonly statuses: readonly RowStatus[];
  /** Null: whatever the code. */
  readonly codes: readonly string[] | null;
  /** Null: every row. */
  readonly row: number | null;
}

const PAGE_ROWS = 500;

/**
 * Rows of a run that the filter lets through, in the order of the source.
 * @param pageRows rows of one status held at once
 */
export async function* readOutcomes(
  db: Queryable,
  runId: string,
  filter: OutcomeFilter,
  pageRows = PAGE_ROWS,
): AsyncGenerator<RowOutcome> {
  // One reader a status, each along its index; ids were given in the order of rows, so the smallest head is next.
  const readers = filter.statuses.map((status) =>
    status === 'rejected'
      ? readRejected(db, runId, filter, pageRows)
      : readRecords(db, runId, status, filter, pageRows),
  );
  const heads = await Promise.all(readers.map((reader) => reader.next()));
  for (;;) {
    let first = -1;
    for (const [n, head] of heads.entries()) {
      const best = heads[first]?.value as RowOutcome | undefined;
      if (head.done !== true && (best === undefined || head.value.row < best.row)) first = n;
    }
    if (first < 0) return;
    yield heads[first]?.value as RowOutcome;
    heads[first] = await (readers[first] as AsyncGenerator<RowOutcome>).next();
  }
}

async function* readRecords(
  db: Queryable,
  runId: string,
  status: RowStatus,
  { codes, row }: OutcomeFilter,
  pageRows: number,
): AsyncGenerator<RowOutcome> {
  for (let after = 0; ; ) {
    const page = await db.query<RowOutcome & { id: number }>(
      `select id, row_no as row, key, status, step, code, reason, tries as attempts, created,
              card_created as "cardCreated", ended_at as "endedAt", payload
         from run_records
        where run_id = $1 and status = $2 and id > $3
          and ($4::text[] is null or code = any($4)) and ($5::int is null or row_no = $5)
        order by id limit $6`,
      [runId, status, after, codes, row, pageRows],
    );
    for (const { id, ...outcome } of page) {
      yield outcome;
      after = id;
    }
    if (page.length < pageRows) return;
  }
}

async function* readRejected(
  db: Queryable,
  runId: string,
  { codes, row }: OutcomeFilter,
  pageRows: number,
): AsyncGenerator<RowOutcome> {
  for (let after = { row: -1, field: '', code: '' }; ; ) {
    const page = await db.query<{
      row: number;
      field: string;
      code: string;
      reason: string;
      value: string | null;
    }>(
      `select row_no as row, field, code, reason, value from row_problems
        where run_id = $1 and kind = 'reject' and (row_no, field, code) > ($2, $3, $4)
          and ($5::text[] is null or code = any($5)) and ($6::int is null or row_no = $6)
        order by row_no, field, code limit $7`,
      [runId, after.row, after.field, after.code, codes, row, pageRows],
    );
    for (const { row: number, field, code, reason, value } of page) {
      after = { row: number, field, code };
      yield {
        row: number,
        key: null,
        status: 'rejected',
        step: field,
        code,
        reason,
        attempts: 0,
        created: false,
        cardCreated: false,
        endedAt: null,
        payload: value === null ? null : { [field]: value },
      };
    }
    if (page.length < pageRows) return;
  }
}

/** A run of this sync by its id; null when the sync has none of that id. */
export async function findRun(
  db: Queryable,
  account: string,
  sync: string,
  id: string,
): Promise<RunRow | null> {
  const [run] = await db.query<RunRow>('select * from runs where account = $1 and sync = $2 and id = $3', [
    account,
    sync,
    id,
  ]);
  return run ?? null;
}
