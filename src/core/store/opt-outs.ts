// People who opted out of campaigns, by the person's key. An opt-out is permanent: deleting runs or events does not
// remove it.
import type { Queryable } from '../sql/database.ts';

/** How it is known: a keyword that the person wrote, a tag on the contact, or an operator who erased the person. */
export type OptOutWay = 'reply' | 'tag' | 'erase';

/**
 * Records that these people opted out. The earliest time is kept, in whatever order they are seen.
 * @param keys as `people.key`; an empty one is nobody
 * @param at when they opted out, or when the tag was seen
 */
export async function noteOptOuts(
  tx: Queryable,
  account: string,
  keys: readonly string[],
  via: OptOutWay,
  at: Date,
): Promise<void> {
  // All writers use one order. Two that wait for each other's rows would deadlock.
  const people = [...new Set(keys)].filter((key) => key !== '').sort();
  if (people.length === 0) return;
  await tx.query(
    `insert into opt_outs (account, key, via, at)
     select $1, key, $3, $4 from unnest($2::text[]) with ordinality as k(key, n) order by n
     on conflict (account, key) do update set via = excluded.via, at = excluded.at where excluded.at < opt_outs.at`,
    [account, people, via, at],
  );
}

/** Has the person opted out, as a campaign sees it? */
export async function hasOptedOut(db: Queryable, account: string, key: string): Promise<boolean> {
  const rows = await db.query(
    'select 1 from opt_outs where account = $1 and key in ($2, sluice_pseudonym($1, $2))',
    [account, key],
  );
  return rows.length > 0;
}

/**
 * Was the person erased after an opt-out, and has nothing brought them back since? Only the keyed hash of the number
 * answers this.
 */
export async function wasErased(tx: Queryable, account: string, key: string): Promise<boolean> {
  const rows = await tx.query(
    `select 1 from opt_outs where account = $1 and key = sluice_pseudonym($1, $2)
        and not exists (select 1 from people where account = $1 and key = $2)`,
    [account, key],
  );
  return rows.length > 0;
}
