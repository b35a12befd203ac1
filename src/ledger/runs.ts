// Runs: one row an execution of a sync, its place in the source and its counts.
import type { RunReport, RunSpec, RunWarning, SnapshotChoice } from '../contracts/run.ts';
import type { SourceCursor } from '../contracts/source.ts';
import type { Queryable } from './database.ts';
import { settleMembers } from './members.ts';
import { listProblems } from './records.ts';
import { countRecords, forgetPayloads, pruneEarlier, type RunCounts } from './run-end.ts';
import { moveWatermark } from './watermarks.ts';

/** Rows named in a report; the report travels through the engine, the whole list stays here. */
const PROBLEMS_SHOWN = 10;
const WARNINGS_SHOWN = 50;
/** Warnings of this code quote values of the source. */
export const UNKNOWN_TAG = 'UNKNOWN_TAG';

import { toJson } from '../contracts/stored-json.ts';

export type RunStatus = 'planning' | 'syncing' | 'finished' | 'cancelled' | 'failed';

export interface RunRow {
  readonly id: string;
  readonly account: string;
  readonly sync: string;
  /** Number of the run among those of its sync, from 1. */
  readonly seq: number;
  readonly status: RunStatus;
  /**
   * `retry`: made of records that an earlier run kept, instead of a source; `plan`: a dry run; `intake`: of a route;
   * `poll`: of a poller; `campaign`. The last three have specs of their own.
   */
  readonly kind: 'sync' | 'retry' | 'plan' | 'intake' | 'poll' | 'campaign';
  readonly spec: RunSpec;
  readonly cursor: SourceCursor | null;
  readonly rows_read: number;
  readonly rows_rejected: number;
  readonly rows_merged: number;
  /** People with nothing to do who are not in run_records. */
  readonly rows_same: number;
  /** Records taken over from the run before; part of `rows_read`. */
  readonly rows_carried: number;
  /** Rejected rows of which not even the number could be read. */
  readonly rows_unreadable: number;
  /** Pages of the source that have been planned. */
  readonly pages: number;
  /** Where the next run of an incremental source begins, once this one has finished. */
  readonly watermark: SourceCursor | null;
  /** Counts by outcome; null while run_records has all records of the run. */
  readonly counts: RunCounts | null;
  readonly finished_at: Date | null;
  /** What was decided on the way, with its figures. */
  readonly facts: SnapshotChoice[];
}

/**
 * Opens the next run of a sync, or finds the one that is still open: two starters get the same run,
 * and a run cut off in the middle goes on. The id is `{account}/{sync}/{sequence number}`.
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

/** How far numbers of dry runs are from those of real ones. */
const DRY_SEQ = 1_000_000;

/**
 * Makes the row of a dry run, in a transaction that will be rolled back. It counts as ended, and its number is far
 * away: nobody who opens a real run meanwhile waits for this transaction.
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

/** Locks the run's row until the transaction ends, so that two attempts at one page can't both count it. */
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

export async function countCall(db: Queryable, id: string): Promise<void> {
  await db.query('update runs set calls = calls + 1 where id = $1', [id]);
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

/** Keeps the figures by which a snapshot was chosen or left: the report shows them. */
export async function noteSnapshot(tx: Queryable, id: string, choice: SnapshotChoice): Promise<void> {
  await tx.query('update runs set facts = facts || $2::jsonb where id = $1', [id, toJson([choice])]);
}

/** Was one of the steps stopped for all records of the run? */
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
 * Ends a run and counts it. Records whose open steps all were stopped for the account count by what
 * was done to them. Idempotent: a run that has ended is only counted again.
 */
export async function closeRun(
  tx: Queryable,
  id: string,
  end: { status: 'finished' | 'cancelled' | 'failed'; stopped: number; error?: string },
): Promise<RunReport> {
  // The run's row comes first, as everywhere: two transactions that take rows in another order lock each other out.
  const [run] = await tx.query<RunRow>(
    `update runs set status = $2, error = $3, finished_at = now() where id = $1 and finished_at is null returning *`,
    [id, end.status, end.error ?? null],
  );
  if (run === undefined) return await reportRun(tx, id);
  await tx.query(
    `update run_records
        set status = case when created then 'created' when touched then 'updated' else 'unchanged' end
      where run_id = $1 and status = 'pending' and (todo & ~($2::int)) = 0`,
    [id, end.stopped],
  );
  const { source } = run.spec;
  await forgetPayloads(tx, run, 'incremental' in source && source.incremental !== undefined);
  if (run.spec.options.mode === 'mirror') await settleMembers(tx, run);
  if (end.status === 'finished') await moveWatermark(tx, id);
  // A run that ended before its first page has taken nothing over yet.
  if (run.pages > 0) await pruneEarlier(tx, run);
  return await reportRun(tx, id);
}

/** Counts of a run, as the ledger has them now. */
export async function reportRun(db: Queryable, id: string): Promise<RunReport> {
  const [run] = await db.query<RunRow & { calls: number; seconds: number }>(
    `select *, extract(epoch from coalesce(finished_at, now()) - started_at)::float8 as seconds from runs where id = $1`,
    [id],
  );
  if (run === undefined) throw new Error(`the ledger has no run ${id}`);
  const counts = await countRecords(db, run);
  // The report travels through the engine: a warning that quotes values of the source is given as a count.
  const warnings = await db.query<RunWarning>(
    `select step, code, reason from
       (select 1 as part, step, code, reason, subject, 0 as n from run_warnings where run_id = $1 and code <> $2
        union all
        select 2, step, code, count(*) || ' tag names of the source are not tags of the account', '', count(*)
          from run_warnings where run_id = $1 and code = $2 group by step, code
        union all
        select 3, 'mapping', code, count(*) || ' rows: ' || field || ': ' || min(reason), field, count(*)
          from row_problems where run_id = $1 and kind = 'warning' group by field, code) w
      order by part, n desc, step, subject limit $3`,
    [id, UNKNOWN_TAG, WARNINGS_SHOWN],
  );
  return {
    run: run.id,
    read: run.rows_read,
    created: counts.created,
    updated: counts.updated,
    unchanged: counts.unchanged,
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
    warnings,
    ...(run.facts.length === 0 ? {} : { snapshots: run.facts }),
    problems: await listProblems(db, id, PROBLEMS_SHOWN),
  };
}

/** The newest run of a sync, ended or not; null when it never ran. */
export async function lastRun(db: Queryable, account: string, sync: string): Promise<RunRow | null> {
  const [run] = await db.query<RunRow>(
    'select * from runs where account = $1 and sync = $2 order by seq desc limit 1',
    [account, sync],
  );
  return run ?? null;
}

/** All warnings of a run in full: for the operator, not for the engine. */
export async function listWarnings(db: Queryable, id: string): Promise<RunWarning[]> {
  return await db.query(
    'select step, code, reason from run_warnings where run_id = $1 order by at, step, subject',
    [id],
  );
}
