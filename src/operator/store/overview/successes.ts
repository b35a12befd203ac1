// When calls of some work last succeeded.
import type { Queryable } from '../../../core/sql/database.ts';
import { isoText } from '../../../core/sql/iso-text.ts';

export interface Success {
  readonly account: string;
  /** Name among the names of syncs. */
  readonly sync: string;
  readonly at: string;
}

/** @param work `since`: only later calls count, so that few calls of the log are read */
export async function readSuccesses(
  db: Queryable,
  work: readonly { readonly account: string; readonly sync: string; readonly since: string }[],
): Promise<readonly Success[]> {
  if (work.length === 0) return [];
  return await db.query<Success>(
    `select w.account, w.sync, ${isoText('max(c.at)')} as at
       from jsonb_to_recordset($1::jsonb) w(account text, sync text, since timestamptz)
       join calls c on c.at > w.since and c.account = w.account and c.code is null
       join runs r on r.id = c.run_id and r.sync = w.sync
      group by w.account, w.sync`,
    [JSON.stringify(work)],
  );
}
