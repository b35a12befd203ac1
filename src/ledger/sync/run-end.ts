// What happens to a run's records when it ends: which payloads are kept, what is counted, and what is deleted from
// earlier runs.

import { toJson } from '../../contracts/stored-json.ts';
import type { Queryable } from '../database.ts';
import { dropClaims } from './plan-claims.ts';
import type { RunRow } from './runs.ts';

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

/**
 * Deletes payloads that nobody needs after the run has ended. Personal data stays where somebody must check a
 * failure. An incremental source never returns its rows again, so unfinished work stays too, for the next run.
 */
export async function forgetPayloads(
  tx: Queryable,
  run: { id: string; account: string },
  incremental: boolean,
) {
  await tx.query(
    `update run_records r set payload = null
      where run_id = $1 and payload is not null and status not in ('failed', 'unknown')
        and not ($2 and (todo <> 0 and (status <> 'pending' or carried)
                 or exists (select 1 from people p where p.account = $3 and p.key = r.key and p.tags_missing <> '[]')))`,
    [run.id, incremental, run.account],
  );
  await tx.query('delete from plan_pages where run_id = $1', [run.id]);
  await dropClaims(tx, run.id);
}

/** Deletes the records of the sync's earlier runs, except failed and unknown ones. Their counts stay. */
export async function pruneEarlier(
  tx: Queryable,
  run: { id: string; account: string; sync: string; seq: number },
): Promise<void> {
  const earlier = await tx.query<Pick<RunRow, 'id' | 'counts' | 'rows_same'>>(
    `select id, counts, rows_same from runs
      where account = $1 and sync = $2 and seq < $3 and finished_at is not null and counts is null`,
    [run.account, run.sync, run.seq],
  );
  for (const each of earlier) {
    const counts = await countRecords(tx, each);
    await tx.query('update runs set counts = $2 where id = $1', [each.id, toJson(counts)]);
    await tx.query(`delete from run_records where run_id = $1 and status not in ('failed', 'unknown')`, [
      each.id,
    ]);
    await tx.query('delete from merged_rows where run_id = $1', [each.id]);
  }
}
