// Runs: one row per execution of a sync, with its position in the source and its counts.
import { runEndedEvent } from '../../contracts/wire/events.ts';
import {
  type ProblemTotal,
  type RunReport,
  type RunSpec,
  type RunWarning,
  type SnapshotChoice,
  STEP_BITS,
} from '../../contracts/wire/run.ts';
import type { SourceCursor } from '../../contracts/wire/source.ts';
import type { Queryable } from '../database.ts';
import { putEvents } from '../outbox/outbox.ts';
import { resetDue } from './due-records.ts';
import { settleMembers } from './members.ts';
import { countRefused, listProblems, totalsOf } from './row-problems.ts';
import { countRecords, forgetPayloads, pruneEarlier, type RunCounts } from './run-end.ts';
import { moveWatermark } from './watermarks.ts';

/** Number of rows in a report. The report travels through Temporal; the whole list stays in the ledger. */
const PROBLEMS_SHOWN = 10;
const WARNINGS_SHOWN = 50;
/** Warnings with this code quote values of the source. */
export const UNKNOWN_TAG = 'UNKNOWN_TAG';

import { toJson } from '../../contracts/stored-json.ts';

export type RunStatus = 'planning' | 'syncing' | 'finished' | 'cancelled' | 'failed';

export interface RunRow {
  readonly id: string;
  readonly account: string;
  readonly sync: string;
  /** Number of the run among those of its sync, from 1. */
  readonly seq: number;
  readonly status: RunStatus;
  /**
   * `retry`: made of records that an earlier run kept, instead of a source. `plan`: a dry run. `intake`: of a route.
   * `poll`: of a poller. The specs of `intake`, `poll` and `campaign` have their own forms.
   */
  readonly kind: 'sync' | 'retry' | 'plan' | 'intake' | 'poll' | 'campaign';
  readonly spec: RunSpec;
  readonly cursor: SourceCursor | null;
  readonly rows_read: number;
  readonly rows_rejected: number;
  /** Rows whose person another row already represents. */
  readonly rows_merged: number;
  /** People with nothing to do, who are not in run_records. */
  readonly rows_same: number;
  /** Records taken over from the previous run; part of `rows_read`. */
  readonly rows_carried: number;
  /** Rejected rows without a readable number. */
  readonly rows_unreadable: number;
  /** Pages of the source that have been planned. */
  readonly pages: number;
  /** Where the next run of an incremental source starts, once this one has finished. */
  readonly watermark: SourceCursor | null;
  /** Counts by outcome; null while run_records has all records of the run. */
  readonly counts: RunCounts | null;
  readonly finished_at: Date | null;
  /** Decisions of the run with their figures. */
  readonly facts: SnapshotChoice[];
}

/**
 * Opens the next run of a sync, or finds the one that is still open. Two concurrent starters get the same run, and an
 * interrupted run continues. The id is `{account}/{sync}/{sequence number}`.
 */
export async function openRun(db: Queryable, spec: RunSpec): Promise<RunRow> {
  await db.query(
    `insert into runs (id, account, sync, seq, spec)
     select $1 || '/' || $2 || '/' || seq, $1, $2, seq, $3
       from (select coalesce(max(seq), 0) + 1 as seq from runs where account = $1 and sync = $2) next
     on conflict do nothing`,
    [spec.account, spec.sync, toJson(spec)],
  );
  const [run] = await db.query<RunRow>(
    'select * from runs where account = $1 and sync = $2 and finished_at is null',
    [spec.account, spec.sync],
  );
  if (run === undefined) throw new Error(`run of ${spec.account}/${spec.sync} ended while it was opened`);
  return run;
}

/** Distance between the numbers of dry runs and of real ones. */
const DRY_SEQ = 1_000_000;

/**
 * Creates the row of a dry run, in a transaction that will be rolled back. It counts as ended, and its number is far
 * away, so nobody who opens a real run meanwhile waits for this transaction.
 * @returns its id
 */
export async function openDryRun(tx: Queryable, spec: RunSpec, name: string): Promise<string> {
  const id = `${spec.account}/${spec.sync}/plan-${name}`;
  await tx.query(
    `insert into runs (id, account, sync, seq, spec, kind, finished_at)
     select $1, $2, $3, coalesce(max(seq), 0) + $5 + floor(random() * $5)::int, $4, 'plan', now()
       from runs where account = $2 and sync = $3`,
    [id, spec.account, spec.sync, toJson(spec), DRY_SEQ],
  );
  return id;
}

export async function getRun(db: Queryable, id: string): Promise<RunRow> {
  const [run] = await db.query<RunRow>('select * from runs where id = $1', [id]);
  if (run === undefined) throw new Error(`the ledger has no run ${id}`);
  return run;
}

/** Locks the run's row until the transaction ends, so that two attempts at one page cannot both count it. */
export async function lockRun(tx: Queryable, id: string): Promise<RunRow> {
  const [run] = await tx.query<RunRow>('select * from runs where id = $1 for update', [id]);
  if (run === undefined) throw new Error(`the ledger has no run ${id}`);
  return run;
}

export async function advanceRun(
  tx: Queryable,
  id: string,
  page: {
    cursor: SourceCursor | null;
    progress: number | null;
    read: number;
    rejected: number;
    merged: number;
    same?: number;
    carried?: number;
    unreadable?: number;
    watermark?: SourceCursor | null;
  },
): Promise<RunRow> {
  const { cursor, same = 0, carried = 0, unreadable = 0, watermark = null } = page;
  const [run] = await tx.query<RunRow>(
    `update runs set cursor = $2, source_progress = $3, rows_read = rows_read + $4,
            rows_rejected = rows_rejected + $5, rows_merged = rows_merged + $6, rows_same = rows_same + $7,
            rows_carried = rows_carried + $8, rows_unreadable = rows_unreadable + $9,
            watermark = coalesce($10, watermark), pages = pages + 1,
            status = case when $2::jsonb is null then 'syncing' else status end
      where id = $1 returning *`,
    [
      id,
      cursor && toJson(cursor),
      page.progress,
      page.read,
      page.rejected,
      page.merged,
      same,
      carried,
      unreadable,
      watermark && toJson(watermark),
    ],
  );
  if (run === undefined) throw new Error(`the ledger has no run ${id}`);
  return run;
}

/** @param counts calls since the last time, by run */
export async function countCalls(db: Queryable, counts: ReadonlyMap<string, number>): Promise<void> {
  await db.query(
    `update runs r set calls = r.calls + c.calls
       from (select * from unnest($1::text[], $2::int[]) c(id, calls)) c where r.id = c.id`,
    [[...counts.keys()], [...counts.values()]],
  );
}

export async function addWarning(
  db: Queryable,
  runId: string,
  warning: RunWarning & { subject: string },
): Promise<void> {
  await db.query(
    'insert into run_warnings (run_id, step, subject, code, reason) values ($1, $2, $3, $4, $5) on conflict do nothing',
    [runId, warning.step, warning.subject, warning.code, warning.reason],
  );
}

/** Stores the figures that decided for or against a snapshot. The report shows them. */
export async function noteSnapshot(tx: Queryable, id: string, choice: SnapshotChoice): Promise<void> {
  await tx.query('update runs set facts = facts || $2::jsonb where id = $1', [id, toJson([choice])]);
}

/** Steps that the account refused for all records of the run. */
async function stoppedSteps(db: Queryable, runId: string): Promise<string[]> {
  const rows = await db.query<{ step: string }>(
    `select distinct step from run_warnings where run_id = $1 and step = any($2) and subject = '' order by step`,
    [runId, Object.keys(STEP_BITS)],
  );
  return rows.map(({ step }) => step);
}

/** Whether one of the steps was stopped for all records of the run. */
export async function stepIsStopped(
  db: Queryable,
  runId: string,
  steps: readonly string[],
): Promise<boolean> {
  const rows = await db.query(
    `select 1 from run_warnings where run_id = $1 and step = any($2) and subject = ''`,
    [runId, steps],
  );
  return rows.length > 0;
}

/**
 * Ends a run and counts its records. Records whose open steps were all stopped by the account count by what was done
 * for them. The event for the sync's sink goes to the outbox. Idempotent: a run that has ended is only counted again.
 */
export async function closeRun(
  tx: Queryable,
  id: string,
  end: { status: 'finished' | 'cancelled' | 'failed'; stopped: number; error?: string },
): Promise<RunReport> {
  // Locks the run's row first, as everywhere else. Two transactions with different lock orders would deadlock.
  const [run] = await tx.query<RunRow>(
    `update runs set status = $2, error = $3, finished_at = now() where id = $1 and finished_at is null returning *`,
    [id, end.status, end.error ?? null],
  );
  if (run === undefined) return await reportRun(tx, id);
  await tx.query(
    `update run_records
        set status = case when created then 'created' when touched then 'updated' else 'unchanged' end
      where run_id = $1 and status = 'pending' and ((todo & ~($2::int)) = 0 or due_at = 'infinity')`,
    [id, end.stopped],
  );
  const { source } = run.spec;
  const incremental = 'incremental' in source && source.incremental !== undefined;
  await resetDue(tx, id);
  await forgetPayloads(tx, run, incremental);
  if (run.spec.options.mode === 'mirror') await settleMembers(tx, run);
  if (end.status === 'finished' && !(incremental && (await keepsWatermark(tx, id))))
    await moveWatermark(tx, id);
  // A run that ended before its first page has taken nothing over yet.
  if (run.pages > 0) await pruneEarlier(tx, run);
  const report = await reportRun(tx, id);
  const { announce } = run.spec.options;
  if (announce !== undefined) {
    const { account, sync, finished_at: endedAt } = run;
    const event = runEndedEvent({ account, sync, status: end.status, endedAt: endedAt as Date, report });
    await putEvents(tx, account, [{ sink: announce, event }]);
  }
  return report;
}

/**
 * Contradicting rows of an incremental source are read again only from the old watermark: when one of them is
 * corrected, the others do not change.
 */
async function keepsWatermark(tx: Queryable, id: string): Promise<boolean> {
  const rows = await countRefused(tx, id);
  if (rows === 0) return false;
  const what = rows === 1 ? '1 row was' : `${rows} rows were`;
  const reason = `${what} rejected because rows with one number contradict each other: the next run starts at the same position again; correct the source, or set onConflict of the sync`;
  await addWarning(tx, id, { step: 'planning', subject: '', code: 'WATERMARK_KEPT', reason });
  return true;
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
    warnings: [...warnings, ...totals.flatMap(warningOf)].slice(0, WARNINGS_SHOWN),
    ...(run.facts.length === 0 ? {} : { snapshots: run.facts }),
    problems: await listProblems(db, id, PROBLEMS_SHOWN),
    totals,
  };
}

/** What was left out of rows, as a warning of the report. */
function warningOf({ outcome, where, column, code, rows, reason }: ProblemTotal): RunWarning[] {
  if (outcome !== 'warning') return [];
  const place = column === undefined ? where : `${where} (column ${column})`;
  return [{ step: 'mapping', code, reason: `${rows} ${rows === 1 ? 'row' : 'rows'}: ${place}: ${reason}` }];
}

/** All warnings of a run in full, for the operator and never for Temporal. */
export async function listWarnings(db: Queryable, id: string): Promise<RunWarning[]> {
  return await db.query(
    'select step, code, reason from run_warnings where run_id = $1 order by at, step, subject',
    [id],
  );
}
