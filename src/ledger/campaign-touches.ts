// Every trigger that went out, or may have: what the frequency cap of an account counts, over all of its campaigns.
import type { Queryable } from './database.ts';

/** The trigger was refused for certain: it reached nobody. */
export async function dropTouch(tx: Queryable, member: number): Promise<void> {
  await tx.query('delete from campaign_touches where member_id = $1', [member]);
}
