// What the effects of events tell the ledger of people and cards, beside what syncs know of them.
import type { Queryable } from '../database.ts';

/** Notes which contact a person is, where that is not known: an event looked. What a sync saw of the person stands. */
export async function noteRemote(
  db: Queryable,
  account: string,
  key: string,
  contact: { readonly id: number; readonly number: string },
): Promise<void> {
  await db.query(
    `insert into people (account, key, remote_id, remote_number) values ($1, $2, $3, $4)
     on conflict (account, key) do update set remote_id = excluded.remote_id, remote_number = excluded.remote_number
      where people.remote_id is null`,
    [account, key, contact.id, contact.number],
  );
}

/**
 * Notes where an event has put a card, if it is one that the ledger knows. The stage that its sync last asked for stays
 * as it is: the sync moves the card again when its source names another stage, and not before.
 */
export async function noteMovedCard(
  tx: Queryable,
  account: string,
  remoteId: number,
  remoteStageId: number | null,
): Promise<void> {
  await tx.query('update cards set remote_stage_id = $3, at = now() where account = $1 and remote_id = $2', [
    account,
    remoteId,
    remoteStageId,
  ]);
}
