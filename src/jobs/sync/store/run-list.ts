// Runs of syncs as operators list them.
import type { Queryable } from '../../../core/sql/database.ts';
import type { SyncConfig } from '../config.ts';
import type { RunCounts, RunRow } from './runs.ts';

/** A row of `runs` with what a list needs. */
export type ListedRun = Pick<
  RunRow,
  | 'id'
  | 'account'
  | 'sync'
  | 'seq'
  | 'status'
  | 'kind'
  | 'rows_read'
  | 'rows_rejected'
  | 'rows_merged'
  | 'rows_same'
> & {
  readonly counts: RunCounts | null;
  readonly source_progress: number | null;
  readonly calls: number;
  readonly error: string | null;
  readonly started_at: Date;
  readonly finished_at: Date | null;
  /** The run has only corrected rows of an earlier one. */
  readonly corrects: boolean;
  /** Number of the run whose rows it takes again; null if it read the source itself. */
  readonly base: number | null;
};

const corrects = (run: string) => `(coalesce(${run}.spec ->> 'partial', 'false') = 'true')`;

const COLUMNS = `id, account, sync, seq, status, kind, rows_read, rows_rejected, rows_merged, rows_same, counts,
  source_progress, calls, error, started_at, finished_at, ${corrects('runs')} as corrects,
  case when kind = 'retry' or ${corrects('runs')} then (
    select max(b.seq) from runs b
     where b.account = runs.account and b.sync = runs.sync and b.seq < runs.seq and b.kind = 'sync'
       and (runs.kind = 'retry' or not ${corrects('b')})) end as base`;

/** Runs of a sync and its retries, newest first. @param page `before`: number of a run */
export async function listRuns(
  db: Queryable,
  { account, sync }: { account: string; sync: string },
  page: { limit: number; before: number | null },
): Promise<ListedRun[]> {
  return await db.query<ListedRun>(
    `select ${COLUMNS} from runs
      where account = $1 and sync = $2 and kind in ('sync', 'retry') and ($3::int is null or seq < $3)
      order by seq desc limit $4`,
    [account, sync, page.before, page.limit],
  );
}

/** The run of a sync that has not ended, with the lane that it began with and keeps. */
export async function findOpenRun(
  db: Queryable,
  { account, sync }: { account: string; sync: string },
): Promise<{ readonly run: string; readonly lane: SyncConfig['lane'] } | null> {
  const [row] = await db.query<{ run: string; lane: SyncConfig['lane'] }>(
    `select id as run, spec -> 'options' ->> 'lane' as lane from runs
      where account = $1 and sync = $2 and kind in ('sync', 'retry') and finished_at is null order by seq desc limit 1`,
    [account, sync],
  );
  return row ?? null;
}

/** Null when the sync has no such run. */
export async function findListedRun(
  db: Queryable,
  { account, sync }: { account: string; sync: string },
  id: string,
): Promise<ListedRun | null> {
  const [run] = await db.query<ListedRun>(
    `select ${COLUMNS} from runs where account = $1 and sync = $2 and id = $3 and kind in ('sync', 'retry')`,
    [account, sync, id],
  );
  return run ?? null;
}
