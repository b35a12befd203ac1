// Records what the effects of events show about people and cards, beside what syncs know.
import type { Queryable } from '../../../core/sql/database.ts';

/**
 * Records a person's contact if it is not known yet, after an event looked it up. What a sync saw of the person is
 * kept.
 */
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
 * Records where an event moved a card, if the ledger knows the card. The stage that the card's sync last sent does
 * not change: the sync moves the card again only when its source names another stage.
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
