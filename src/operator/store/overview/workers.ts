// Worker processes and whether they are alive, by the ledger's clock.
import type { Queryable } from '../../../core/sql/database.ts';
import { isoText } from '../../../core/sql/iso-text.ts';

/** A worker that has not been seen for this long is lost. It is seen every third of it. */
export const LOST_SECONDS = 30;
/** Lost and ended workers are remembered for this long. */
const KEPT = '7 days';

export interface WorkerProcess {
  /** A UUID, new for each process. */
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  /** Of Sluice. */
  readonly version: string;
}

/** Says that the worker is alive. */
export async function seeWorker(db: Queryable, { id, host, pid, version }: WorkerProcess): Promise<void> {
  await db.query(
    `with old as (delete from worker_processes where seen_at < now() - interval '${KEPT}')
     insert into worker_processes as w (id, host, pid, version) values ($1, $2, $3, $4)
     on conflict (id) do update set seen_at = now()`,
    [id, host, pid, version],
  );
}

/** Says that the worker ends: nobody waits for it. */
export async function dismissWorker(db: Queryable, id: string): Promise<void> {
  await db.query('update worker_processes set seen_at = now(), stopped_at = now() where id = $1', [id]);
}

export interface WorkersRow {
  readonly alive: number;
  /** When a worker was last seen, alive or not. Null: none in seven days. */
  readonly lastSeenAt: string | null;
  /** Versions of those that are alive, without repetition. */
  readonly versions: readonly string[];
}

export async function readWorkers(db: Queryable): Promise<WorkersRow> {
  const [row] = await db.query<WorkersRow>(
    `select count(*) filter (where alive)::int as alive, ${isoText('max(seen_at)')} as "lastSeenAt",
            coalesce(json_agg(distinct version) filter (where alive), '[]') as versions
       from (select seen_at, version, stopped_at is null and seen_at > now() - interval '${LOST_SECONDS} seconds' as alive
               from worker_processes) w`,
  );
  return row as WorkersRow;
}
