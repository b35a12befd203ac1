// Reads the outcome of each row of a run in pages, so that a million rows are never in memory at once.

import { RECORD_PAYLOAD } from '../../../core/encryption/columns.ts';
import { decryptValue } from '../../../core/encryption/values.ts';
import type { CrmRecord } from '../../../core/record.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import { OUTCOMES, type Outcome, UNKNOWN_TAG } from '../constants.ts';
import { pageOfMerged } from './merged-rows.ts';
import { readFindings } from './row-problems.ts';
import type { RunRow } from './runs.ts';

/** `pending`: not ended; the run is under way or was canceled. */
export type RowStatus = Outcome | 'pending';
export const ROW_STATUSES: readonly RowStatus[] = [...OUTCOMES, 'pending'];

export interface RowOutcome {
  /** Number of the row in the source. For several rows about one person, the first. */
  readonly row: number;
  /** The person's number; null for a row that could not be mapped. */
  readonly key: string | null;
  readonly status: RowStatus;
  /** The mapping field or sync step where the row ended. */
  readonly step: string | null;
  readonly code: string | null;
  readonly reason: string | null;
  /** Source column or path of a refused value; null for a row that was mapped. */
  readonly column: string | null;
  /** Number of API calls tried for the record. */
  readonly attempts: number;
  readonly created: boolean;
  readonly cardCreated: boolean;
  readonly endedAt: Date | null;
  /** The record, while somebody may still need it. For a rejected row, the refused value under its field. */
  readonly payload: CrmRecord | Readonly<Record<string, string>> | null;
  /**
   * The row that a rejected row contradicts, with its value. For a merged row, the row that represents it if it is of
   * this run.
   */
  readonly other: {
    readonly row: number;
    readonly payload: Readonly<Record<string, string>> | null;
  } | null;
}

export interface OutcomeFilter {
  readonly statuses: readonly RowStatus[];
  /** Null means any code. */
  readonly codes: readonly string[] | null;
  /** Null means every row. */
  readonly row: number | null;
}

const PAGE_ROWS = 500;

/** How far each reader has been read: its number, the last position, and the outcomes taken at that position. */
export type OutcomePosition = readonly (readonly [reader: number, at: number, taken: number])[];

export interface OutcomePage {
  readonly rows: readonly RowOutcome[];
  /** Where the next page begins; null after the last row. */
  readonly next: OutcomePosition | null;
}

/** An outcome with its position in its reader: the id of a record, or the number of a row. */
interface Placed {
  readonly at: number;
  readonly outcome: RowOutcome;
}

/**
 * A page of the rows of a run and its retries that pass the filter, in the order of the source. A record that was
 * retried has the retry's outcome.
 * @param runs ids, newest first; the same for every page
 */
export async function pageOutcomes(
  db: Queryable,
  runs: readonly string[],
  filter: OutcomeFilter,
  { limit, from }: { limit: number; from: OutcomePosition | null },
): Promise<OutcomePage> {
  const positions = new Map((from ?? []).map(([reader, at, taken]) => [reader, { at, taken }]));
  // One reader per run and status, along its index. Ids follow the order of rows, so the smallest head is next.
  const readers = runs.flatMap((run, n) =>
    filter.statuses.map((status, m) => {
      const position = positions.get(n * filter.statuses.length + m) ?? null;
      const pageRows = Math.min(PAGE_ROWS, limit + 1);
      if (status === 'rejected') return readRejected(db, run, filter, { pageRows, position });
      if (status === 'merged') return readMerged(db, run, filter, { pageRows, position });
      return readRecords(db, { run, later: runs.slice(0, n) }, status, filter, { pageRows, position });
    }),
  );
  const heads = await Promise.all(readers.map((reader) => reader.next()));
  const rows: RowOutcome[] = [];
  for (;;) {
    let first = -1;
    for (const [n, head] of heads.entries()) {
      const best = heads[first]?.value as Placed | undefined;
      if (head.done !== true && (best === undefined || head.value.outcome.row < best.outcome.row)) first = n;
    }
    if (first < 0) return { rows, next: null };
    if (rows.length === limit)
      return { rows, next: [...positions].map(([reader, { at, taken }]) => [reader, at, taken]) };
    const { at, outcome } = (heads[first] as IteratorYieldResult<Placed>).value;
    rows.push(outcome);
    const before = positions.get(first);
    positions.set(first, { at, taken: before?.at === at ? before.taken + 1 : 1 });
    heads[first] = await (readers[first] as AsyncGenerator<Placed>).next();
  }
}

/** Where a reader begins, and how many rows it reads at once. */
interface ReaderPage {
  readonly pageRows: number;
  readonly position: { readonly at: number; readonly taken: number } | null;
}

/**
 * Both parts are in the order of the index of due records. Sorting everything that is pending for each page would
 * take too long.
 */
const PENDING = `(
  (select * from run_records where run_id = $1 and status = 'pending' and due_at = '-infinity' and id > $3 order by id)
  union all
  select * from run_records where run_id = $1 and status = 'pending' and due_at > '-infinity' and id > $3) run_records`;

async function* readRecords(
  db: Queryable,
  { run, later }: { readonly run: string; readonly later: readonly string[] },
  status: RowStatus,
  { codes, row }: OutcomeFilter,
  { pageRows, position }: ReaderPage,
): AsyncGenerator<Placed> {
  for (let after = position?.at ?? 0; ; ) {
    const page = await db.query<Omit<RowOutcome, 'other'> & { id: number; event_id: string | null }>(
      `select id, event_id, row_no as row, key, status, step, code, reason, null as "column", tries as attempts, created,
              card_created as "cardCreated", ended_at as "endedAt", payload
         from ${status === 'pending' ? PENDING : 'run_records'}
        where run_id = $1 and status = $2 and id > $3
          and ($4::text[] is null or code = any($4)
               or $8 and exists (select from missing_tags m where m.run_id = $1 and m.row_no = run_records.row_no))
          and ($5::int is null or row_no = $5)
          and not exists (select 1 from run_records n
                           where n.run_id = any($7) and n.key = run_records.key and n.status <> 'pending')
        order by id limit $6`,
      [run, status, after, codes, row, pageRows, later, codes?.includes(UNKNOWN_TAG) ?? false],
    );
    for (const { id, event_id, ...outcome } of page) {
      const payload = decryptValue(db, RECORD_PAYLOAD, [run, outcome.key, event_id], outcome.payload);
      yield { at: id, outcome: { ...outcome, payload, other: null } };
      after = id;
    }
    if (page.length < pageRows) return;
  }
}

async function* readRejected(
  db: Queryable,
  runId: string,
  { codes, row }: OutcomeFilter,
  { pageRows, position }: ReaderPage,
): AsyncGenerator<Placed> {
  // A row may have several findings. Those that an earlier page has shown are skipped.
  let skipped = 0;
  for await (const finding of readFindings(
    db,
    runId,
    { kinds: ['reject'], codes, row, from: position?.at ?? 0 },
    pageRows,
  )) {
    if (finding.row === position?.at && skipped < position.taken) {
      skipped++;
      continue;
    }
    const { field, code, reason, column, value, otherRow, otherValue } = finding;
    yield {
      at: finding.row,
      outcome: {
        ...WITHOUT_RECORD,
        row: finding.row,
        key: null,
        status: 'rejected',
        step: field,
        code,
        reason,
        column,
        payload: valueOf(field, value),
        other: otherRow === null ? null : { row: otherRow, payload: valueOf(field, otherValue) },
      },
    };
  }
}

async function* readMerged(
  db: Queryable,
  runId: string,
  { codes, row }: OutcomeFilter,
  { pageRows, position }: ReaderPage,
): AsyncGenerator<Placed> {
  // A merged row has no code.
  if (codes !== null) return;
  for (let after = position?.at ?? -1; ; ) {
    const page = await pageOfMerged(db, runId, { after, row, limit: pageRows });
    for (const { row: number, key, into } of page) {
      const stands = into === null ? 'a record that the previous run left undone' : `row ${into}`;
      yield {
        at: number,
        outcome: {
          ...WITHOUT_RECORD,
          row: number,
          key,
          status: 'merged',
          step: null,
          code: null,
          reason: `${stands} represents this person`,
          column: null,
          payload: null,
          other: into === null ? null : { row: into, payload: null },
        },
      };
      after = number;
    }
    if (page.length < pageRows) return;
  }
}

const WITHOUT_RECORD = { attempts: 0, created: false, cardCreated: false, endedAt: null } as const;

const valueOf = (field: string, value: string | null) => (value === null ? null : { [field]: value });

/** A run of this sync by its id; null when the sync has no such run. */
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
