// Ends a run: counts its records, deletes payloads that nobody needs, and prunes the records of earlier runs.

import { toJson } from '../../../core/json/stored-json.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import { nameTest, readCatalog } from '../../../core/store/catalog.ts';
import { runEndedEvent } from '../../events/contract/envelope.ts';
import { putEvents } from '../../outbox/store/outbox.ts';
import type { RunReport } from '../contract/run.ts';
import { resetDue } from './due-records.ts';
import { settleMembers } from './members.ts';
import { addTagsWaitedFor } from './missing-tags.ts';
import { dropClaims } from './plan/claims.ts';
import { moveWatermark } from './plan/watermarks.ts';
import { dropMergedIdentities } from './row-identities.ts';
import { countRefused } from './row-problems.ts';
import { countRecords, reportRun } from './run-report.ts';
import { addWarning } from './run-warnings.ts';
import type { RunRow } from './runs.ts';

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
  const tags = (await readCatalog(tx, run.account, 'tags')) ?? [];
  await addTagsWaitedFor(tx, run, nameTest(tags));
  await forgetPayloads(tx, run, incremental);
  if (run.spec.options.mode === 'mirror') await settleMembers(tx, run);
  if (end.status === 'finished' && !(incremental && (await keepsWatermark(tx, id))))
    await moveWatermark(tx, id);
  // A run that ended before its first page has taken nothing over yet, and a partial one replaces none.
  if (run.pages > 0 && run.spec.partial !== true) await pruneEarlier(tx, run);
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
  const reason = `${what} rejected because rows with one number contradict each other: the next run starts at the same position again; correct the source, or say in the sync what such rows become (onConflict: first or merge)`;
  await addWarning(tx, id, { step: 'planning', subject: '', code: 'WATERMARK_KEPT', reason });
  return true;
}

/**
 * Deletes payloads that nobody needs after the run has ended. Personal data stays where somebody must check a
 * failure. An incremental source never returns its rows again, so unfinished work stays too, for the next run.
 */
async function forgetPayloads(tx: Queryable, run: { id: string; account: string }, incremental: boolean) {
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

/**
 * Deletes the records of the sync's earlier runs that changed nothing; their counts stay. The others are the history of
 * people. They cost at most one row per API call, and `retention.rows` deletes them.
 */
async function pruneEarlier(
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
    await tx.query(
      `delete from run_records where run_id = $1 and status not in ('created', 'updated', 'failed', 'unknown')`,
      [each.id],
    );
    await tx.query(
      `update run_records set payload = null
        where run_id = $1 and payload is not null and status in ('created', 'updated')`,
      [each.id],
    );
    await tx.query('delete from merged_rows where run_id = $1', [each.id]);
    await dropMergedIdentities(tx, each.id);
  }
}
