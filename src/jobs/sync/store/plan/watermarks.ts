// Watermarks of incremental sources: where the next run starts to read. They move only when a run has finished.

import { toJson } from '../../../../core/json/stored-json.ts';
import type { SourceCursor } from '../../../../core/source.ts';
import type { Queryable } from '../../../../core/sql/database.ts';
import type { RunSpec } from '../../contract/run.ts';

/**
 * The watermark of the last finished run; null when there is none, or when the source or mapping has changed since:
 * the rows behind it were never read this way.
 */
export async function findWatermark(
  db: Queryable,
  spec: Pick<RunSpec, 'account' | 'sync' | 'source' | 'mapping'>,
): Promise<SourceCursor | null> {
  const [row] = await db.query<{ value: SourceCursor }>(
    `select w.value from watermarks w join runs r on r.id = w.run_id
      where w.account = $1 and w.sync = $2 and r.spec -> 'source' = $3::jsonb and r.spec -> 'mapping' = $4::jsonb`,
    [spec.account, spec.sync, toJson(spec.source), toJson(spec.mapping)],
  );
  return row?.value ?? null;
}

/** Stores the watermark of a run that has finished. */
export async function moveWatermark(tx: Queryable, runId: string): Promise<void> {
  await tx.query(
    `insert into watermarks (account, sync, value, run_id, at)
     select account, sync, watermark, id, now() from runs where id = $1 and watermark is not null
     on conflict (account, sync) do update set value = excluded.value, run_id = excluded.run_id, at = excluded.at`,
    [runId],
  );
}
