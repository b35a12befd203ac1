// Finds what a run of an incremental source takes over from the previous run. The watermark has moved past these
// rows, so the source does not return them again.

import { RECORD_PAYLOAD } from '../../../../core/encryption/columns.ts';
import { decryptValue } from '../../../../core/encryption/values.ts';
import type { CrmRecord } from '../../../../core/record.ts';
import type { Queryable } from '../../../../core/sql/database.ts';
import { ledgerSchema } from './scratch.ts';

export interface CarriedRecord {
  readonly key: string;
  /** The row's number in the run that read it. */
  readonly row: number;
  readonly record: CrmRecord;
}

/**
 * The records that the sync's last planned run left undone, with their stored payloads: failed, unknown, with steps
 * that the account refused, or waiting for a tag.
 * @param keys only of these people; null means of all
 */
export async function findCarried(
  tx: Queryable,
  run: { account: string; sync: string; seq: number },
  keys: readonly string[] | null = null,
): Promise<CarriedRecord[]> {
  const schema = await ledgerSchema(tx);
  const rows = await tx.query<CarriedRecord & { run_id: string; event_id: string | null }>(
    `select run_id, key, event_id, row_no as row, payload as record from ${schema}.run_records
      where payload is not null and row_no > 0 and ($4::text[] is null or key = any($4))
        and run_id = (select id from runs where account = $1 and sync = $2 and seq < $3 and pages > 0 and kind = 'sync'
                       order by seq desc limit 1)
      order by id`,
    [run.account, run.sync, run.seq, keys],
  );
  return rows.map(({ run_id, event_id, key, row, record }) => ({
    key,
    row,
    record: decryptValue(tx, RECORD_PAYLOAD, [run_id, key, event_id], record),
  }));
}
