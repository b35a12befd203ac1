// The report of a run: its counts, warnings and first problems.

import type { Queryable } from '../../../core/sql/database.ts';
import { UNKNOWN_TAG } from '../constants.ts';
import type { ProblemTotal, RunReport, RunWarning } from '../contract/run.ts';
import { type AskedFor, countMissingTags } from './missing-tags.ts';
import { listProblems, totalsOf } from './row-problems.ts';
import { stoppedSteps } from './run-warnings.ts';
import type { RunCounts, RunRow } from './runs.ts';

/** Number of rows in a report. The report travels through Temporal; the whole list stays in the ledger. */
const PROBLEMS_SHOWN = 10;

const WARNINGS_SHOWN = 50;

const NOBODY: AskedFor = { people: 0, firstRows: [] };

/** A run of an older program kept no rows of its warnings. */
function withRows(warning: RunWarning, { people, firstRows }: AskedFor): RunWarning {
  return warning.code === UNKNOWN_TAG && people > 0 ? { ...warning, people, firstRows } : warning;
}

/** Counts of a run, as the ledger has them now. */
export async function reportRun(db: Queryable, id: string): Promise<RunReport> {
  const [run] = await db.query<RunRow & { calls: number; seconds: number }>(
    `select *, extract(epoch from coalesce(finished_at, now()) - started_at)::float8 as seconds from runs where id = $1`,
    [id],
  );
  if (run === undefined) throw new Error(`the ledger has no run ${id}`);
  const counts = await countRecords(db, run);
  // The report travels through Temporal, so warnings that quote values of the source become a count.
  const warnings = await db.query<RunWarning>(
    `select step, code, reason from
       (select 1 as part, step, code, reason, subject, 0 as n from run_warnings where run_id = $1 and code <> $2
        union all
        select 2, step, code, case count(*) when 1 then '1 tag name of the source is not a tag of the account'
                                  else count(*) || ' tag names of the source are not tags of the account' end, '', count(*)
          from run_warnings where run_id = $1 and code = $2 group by step, code) w
      order by part, n desc, step, subject limit $3`,
    [id, UNKNOWN_TAG, WARNINGS_SHOWN],
  );
  const asked = warnings.some(({ code }) => code === UNKNOWN_TAG) ? await countMissingTags(db, id) : NOBODY;
  const totals = await totalsOf(db, id);
  return {
    run: run.id,
    read: run.rows_read,
    created: counts.created,
    updated: counts.updated,
    unchanged: counts.unchanged,
    merged: run.rows_merged,
    rejected: run.rows_rejected,
    failed: counts.failed,
    unknown: counts.unknown,
    cards: counts.cards,
    calls: run.calls,
    seconds: Math.round(run.seconds * 10) / 10,
    pending: counts.pending,
    ...(run.rows_carried === 0 ? {} : { carried: run.rows_carried }),
    ...(run.spec.options.mode === 'mirror'
      ? { vanished: counts.vanished, vanishedFailed: counts.vanishedFailed }
      : {}),
    stoppedSteps: await stoppedSteps(db, id),
    warnings: [...warnings.map((each) => withRows(each, asked)), ...totals.flatMap(warningOf)].slice(
      0,
      WARNINGS_SHOWN,
    ),
    ...(run.facts.length === 0 ? {} : { snapshots: run.facts }),
    problems: await listProblems(db, id, PROBLEMS_SHOWN),
    totals,
  };
}

/** The run's counts; the stored ones when its records have been deleted. */
export async function countRecords(
  db: Queryable,
  run: Pick<RunRow, 'id' | 'counts' | 'rows_same'>,
): Promise<RunCounts> {
  if (run.counts !== null) return run.counts;
  const rows = await db.query<{ status: string; gone: boolean; n: number; cards: number }>(
    `select status, row_no = 0 as gone, count(*)::int as n, count(*) filter (where card_created)::int as cards
       from run_records where run_id = $1 group by status, row_no = 0`,
    [run.id],
  );
  const sum = (gone: boolean, ...wanted: string[]) =>
    rows
      .filter((row) => row.gone === gone && wanted.includes(row.status))
      .reduce((total, { n }) => total + n, 0);
  return {
    created: sum(false, 'created'),
    updated: sum(false, 'updated'),
    unchanged: sum(false, 'unchanged') + run.rows_same,
    pending: sum(false, 'pending'),
    failed: sum(false, 'failed'),
    unknown: sum(false, 'unknown'),
    cards: rows.reduce((total, { cards }) => total + cards, 0),
    vanished: sum(true, 'created', 'updated', 'unchanged'),
    vanishedFailed: sum(true, 'failed', 'unknown'),
  };
}

/** What was left out of rows, as a warning of the report. */
function warningOf({ outcome, where, column, code, rows, reason }: ProblemTotal): RunWarning[] {
  if (outcome !== 'warning') return [];
  const place = column === undefined ? where : `${where} (column ${column})`;
  return [{ step: 'mapping', code, reason: `${rows} ${rows === 1 ? 'row' : 'rows'}: ${place}: ${reason}` }];
}
