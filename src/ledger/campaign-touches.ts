// Every trigger that went out, or may have: what the frequency cap of an account counts, over all of its campaigns.
import type { Queryable } from './database.ts';

/** One person of an account: number with the Brazilian ninth digit, as people.key. */
export interface Touched {
  readonly account: string;
  readonly key: string;
}

/**
 * Makes all who are about to reach one person take turns until the transaction ends: each sees the touches of those
 * before it. The run stays as it is so long, too: whoever pauses or cancels it waits.
 */
export async function lockPersonAndRun(tx: Queryable, { account, key }: Touched, run: string): Promise<void> {
  // The row is locked last: the lock of a statement is taken above all that it joins.
  await tx.query(
    `with person as materialized (select pg_advisory_xact_lock(hashtextextended($1, 724315)))
     select 1 from campaigns c cross join person where c.run_id = $2 for share of c`,
    [`${account}/${key}`, run],
  );
}

/** The trigger was refused for certain: it reached nobody. */
export async function dropTouch(tx: Queryable, member: number): Promise<void> {
  await tx.query('delete from campaign_touches where member_id = $1', [member]);
}

/** The first of these campaigns that has reached the person, in any of its runs; null: none. */
export async function reachedBy(
  db: Queryable,
  { account, key }: Touched,
  campaigns: readonly string[],
  but: number,
): Promise<string | null> {
  const [row] = await db.query<{ campaign: string }>(
    `select campaign from campaign_touches
      where account = $1 and key = $2 and campaign = any($3) and member_id <> $4 order by at limit 1`,
    [account, key, campaigns, but],
  );
  return row?.campaign ?? null;
}
