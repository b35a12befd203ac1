// Every trigger that went out, or may have: what the frequency cap of an account counts, over all of its campaigns.
import type { Queryable } from './database.ts';

/** One person of an account: number with the Brazilian ninth digit, as people.key. */
export interface Touched {
  readonly account: string;
  readonly key: string;
}

export interface NewTouch extends Touched {
  readonly member: number;
  readonly campaign: string;
  readonly run: string;
  readonly at: Date;
}

/**
 * Makes all who are about to reach one person take turns until the transaction ends: each sees the touches of those
 * before it.
 */
export async function lockPerson(tx: Queryable, { account, key }: Touched): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 724315))', [`${account}/${key}`]);
}

/** Notes that a member is reached; one a member, whose newest trigger counts. */
export async function addTouch(tx: Queryable, touch: NewTouch): Promise<void> {
  const { member, account, key, campaign, run, at } = touch;
  await tx.query(
    `insert into campaign_touches (member_id, account, key, campaign, run_id, at) values ($1, $2, $3, $4, $5, $6)
     on conflict (member_id) do update set at = excluded.at`,
    [member, account, key, campaign, run, at],
  );
}

/** The trigger was refused for certain: it reached nobody. */
export async function dropTouch(tx: Queryable, member: number): Promise<void> {
  await tx.query('delete from campaign_touches where member_id = $1', [member]);
}

/**
 * How often campaigns have reached the person after `since`.
 * @param but a member that does not count: the one that asks
 */
export async function countTouches(
  db: Queryable,
  { account, key }: Touched,
  since: Date,
  but: number,
): Promise<number> {
  const [row] = await db.query<{ n: number }>(
    'select count(*)::int as n from campaign_touches where account = $1 and key = $2 and at > $3 and member_id <> $4',
    [account, key, since, but],
  );
  return row?.n ?? 0;
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
