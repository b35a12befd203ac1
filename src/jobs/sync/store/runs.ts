// Runs: one row per execution of a sync, with its position in the source and its counts.
import { dryRunId, runIdSql } from '../../../core/ids.ts';
import { toJson } from '../../../core/json/stored-json.ts';
import type { Fingerprint, SourceCursor } from '../../../core/source.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import type { RunSpec, SnapshotChoice } from '../contract/run.ts';

export type RunStatus = 'planning' | 'syncing' | 'finished' | 'cancelled' | 'failed';

/** Records of a run by outcome. People who left the source count separately. */
export interface RunCounts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly pending: number;
  readonly failed: number;
  readonly unknown: number;
  readonly cards: number;
  /** People who left the source and were changed, and those with a failed or unknown outcome. */
  readonly vanished: number;
  readonly vanishedFailed: number;
}

export interface RunRow {
  readonly id: string;
  readonly account: string;
  readonly sync: string;
  /** Number of the run among those of its sync, from 1. */
  readonly seq: number;
  readonly status: RunStatus;
  /**
   * `retry`: made of records that an earlier run kept, instead of a source. `plan`: a dry run. `intake`: of a route.
   * `poll`: of a poller. `own`: of a team's own worker. The specs of the last four have their own forms.
   */
  readonly kind: 'sync' | 'retry' | 'plan' | 'intake' | 'poll' | 'own' | 'campaign';
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
  /** The CSV file that the run reads; null for other sources, and for runs of older programs. */
  readonly source_file: Fingerprint | null;
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
     select ${runIdSql('$1', '$2', 'seq')}, $1, $2, seq, $3
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
  const id = dryRunId(spec.account, spec.sync, name);
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
    file?: Fingerprint | null;
  },
): Promise<RunRow> {
  const { cursor, same = 0, carried = 0, unreadable = 0, watermark = null, file = null } = page;
  const [run] = await tx.query<RunRow>(
    `update runs set cursor = $2, source_progress = $3, rows_read = rows_read + $4,
            rows_rejected = rows_rejected + $5, rows_merged = rows_merged + $6, rows_same = rows_same + $7,
            rows_carried = rows_carried + $8, rows_unreadable = rows_unreadable + $9,
            watermark = coalesce($10, watermark), source_file = coalesce($11, source_file), pages = pages + 1,
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
      file && toJson(file),
    ],
  );
  if (run === undefined) throw new Error(`the ledger has no run ${id}`);
  return run;
}

/** Stores the figures that decided for or against a snapshot. The report shows them. */
export async function noteSnapshot(tx: Queryable, id: string, choice: SnapshotChoice): Promise<void> {
  await tx.query('update runs set facts = facts || $2::jsonb where id = $1', [id, toJson([choice])]);
}
