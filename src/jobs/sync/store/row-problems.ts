// Problems of a run's rows: why rows were rejected, and what was left out of the rows that were kept.

import { toJson } from '../../../core/json/stored-json.ts';
import type { RowProblem } from '../../../core/record.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import type { ProblemTotal, RunProblem } from '../contract/run.ts';

/** Code of findings about rows of one number with different names, e-mail addresses or documents. */
export const CONFLICT = 'conflict';

/** Why a row was rejected, or what was left out of a row that was kept. */
export interface RowFinding {
  readonly row: number;
  readonly kind: 'reject' | 'warning';
  readonly problem: RowProblem;
}

/** The first rows of a run with a problem or warning of this code. */
export async function findProblems(
  db: Queryable,
  runId: string,
  code: string,
  limit: number,
): Promise<{ row: number; field: string }[]> {
  return await db.query(
    'select row_no as row, field from row_problems where run_id = $1 and code = $2 order by row_no limit $3',
    [runId, code, limit],
  );
}

export async function addRowProblems(
  tx: Queryable,
  runId: string,
  findings: readonly RowFinding[],
): Promise<void> {
  if (findings.length === 0) return;
  await tx.query(
    `insert into row_problems (run_id, row_no, kind, field, code, reason, value, source_column, other_row, other_value)
     select $1, r.row, r.kind, r.field, r.code, r.reason, r.value, r."column", r."otherRow", r."otherValue"
       from jsonb_to_recordset($2::jsonb)
         as r(row int, kind text, field text, code text, reason text, value text, "column" text,
              "otherRow" int, "otherValue" text)
     on conflict do nothing`,
    [runId, toJson(findings.map(({ row, kind, problem }) => ({ row, kind, ...problem })))],
  );
}

/** Deletes the warnings with this code about rows that are rejected after all. */
export async function dropWarnings(
  tx: Queryable,
  runId: string,
  rows: readonly number[],
  code: string,
): Promise<void> {
  if (rows.length === 0) return;
  await tx.query(
    `delete from row_problems where run_id = $1 and row_no = any($2) and code = $3 and kind = 'warning'`,
    [runId, rows, code],
  );
}

/** Number of rows that were rejected because rows of their number contradict each other. */
export async function countRefused(db: Queryable, runId: string): Promise<number> {
  const [row] = await db.query<{ n: number }>(
    `select count(distinct row_no)::int as n from row_problems
      where run_id = $1 and kind = 'reject' and code = $2`,
    [runId, CONFLICT],
  );
  return row?.n ?? 0;
}

/** The first rows that were rejected, failed or are unknown, in the order of the source. */
export async function listProblems(
  db: Queryable,
  runId: string,
  limit: number,
  outcomes: readonly RunProblem['outcome'][] = ['rejected', 'failed', 'unknown'],
): Promise<RunProblem[]> {
  const rows = await db.query<Omit<RunProblem, 'column'> & { column: string | null }>(
    `select row_no as row, outcome, place as "where", code, reason, "column" from
       (select row_no, 'rejected' as outcome, field as place, code, reason, source_column as "column"
          from row_problems where run_id = $1 and kind = 'reject'
        union all
        select row_no, status, step, code, reason, null
          from run_records where run_id = $1 and status in ('failed', 'unknown')) p
      where outcome = any($3) order by row_no, place limit $2`,
    [runId, limit, outcomes],
  );
  return rows.map(({ column, ...problem }) => (column === null ? problem : { ...problem, column }));
}

/** A finding for a list. It contains personal data. */
export interface ListedFinding {
  readonly row: number;
  readonly kind: RowFinding['kind'];
  readonly field: string;
  readonly code: string;
  readonly reason: string;
  readonly column: string | null;
  readonly value: string | null;
  readonly otherRow: number | null;
  readonly otherValue: string | null;
}

export interface FindingFilter {
  readonly kinds: readonly RowFinding['kind'][];
  /** Null means any code. */
  readonly codes?: readonly string[] | null;
  /** Null means every row. */
  readonly row?: number | null;
  /** Only rows from this number on. @default 0 */
  readonly from?: number;
}

const PAGE_ROWS = 500;

/**
 * Findings about rows in the order of the source, read in pages, so that a million rows are never in memory at once.
 * @param pageRows maximum number of findings in memory
 */
export async function* readFindings(
  db: Queryable,
  runId: string,
  { kinds, codes = null, row = null, from: first = 0 }: FindingFilter,
  pageRows = PAGE_ROWS,
): AsyncGenerator<ListedFinding> {
  for (let from: number | null = row ?? first; ; from += pageRows) {
    from = row ?? (await nextRow(db, runId, from));
    if (from === null) return;
    // Selects a range of rows without a limit. Without statistics, PGlite would read and sort everything after a page
    // for each page.
    yield* await db.query<ListedFinding>(
      `select row_no as row, kind, field, code, reason, source_column as "column", value,
              other_row as "otherRow", other_value as "otherValue"
         from row_problems
        where run_id = $1 and row_no between $2 and $3 and kind = any($4) and ($5::text[] is null or code = any($5))
        order by row_no, field, code`,
      [runId, from, row ?? from + pageRows - 1, kinds, codes],
    );
    if (row !== null) return;
  }
}

/** The first row from `from` on that has findings. */
async function nextRow(db: Queryable, runId: string, from: number): Promise<number | null> {
  const [found] = await db.query<{ row: number | null }>(
    'select min(row_no) as row from row_problems where run_id = $1 and row_no >= $2',
    [runId, from],
  );
  return found?.row ?? null;
}

/** Maximum number of reasons in a report. A mapping and a service produce only a short list of them. */
const TOTALS_SHOWN = 50;

/** Number of rows per problem, most frequent first. Rejected, failed and unknown rows come before warnings. */
export async function totalsOf(db: Queryable, runId: string): Promise<ProblemTotal[]> {
  // Reads one reason per group, by its first row. A million reasons would not fit into memory.
  const totals = await db.query<Omit<ProblemTotal, 'column'> & { column: string | null }>(
    `select t.outcome, t.place as "where", t."column", t.code, t.rows, t.first, t.varied,
            coalesce(p.reason, r.reason) as reason
       from (select outcome, place, "column", code, count(*)::int as rows, min(row_no) as first,
                    min(reason) is distinct from max(reason) as varied
               from (select row_no, case kind when 'reject' then 'rejected' else 'warning' end as outcome,
                            field as place, source_column as "column", code, reason
                       from row_problems where run_id = $1
                     union all
                     select row_no, status, step, null, code, reason from run_records
                      where run_id = $1 and status in ('failed', 'unknown') and row_no > 0) each
              group by outcome, place, "column", code
              order by outcome = 'warning', rows desc, place, code limit $2) t
       left join lateral (
         select reason from row_problems
          where t.outcome in ('rejected', 'warning') and run_id = $1 and row_no = t.first and field = t.place
            and code = t.code) p on true
       left join lateral (
         select reason from run_records
          where t.outcome in ('failed', 'unknown') and run_id = $1 and status = t.outcome and row_no = t.first
            and step = t.place limit 1) r on true
      order by t.outcome = 'warning', t.rows desc, t.place, t.code`,
    [runId, TOTALS_SHOWN],
  );
  return totals.map(({ column, ...total }) => (column === null ? total : { ...total, column }));
}
