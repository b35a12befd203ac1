// People who want no campaign any more, by the key of the person. Once in here, always: neither runs nor events that are
// forgotten take it back.
import type { Queryable } from '../database.ts';

/** How it is known: a word that they wrote, or a tag that was seen on them. */
export type OptOutWay = 'reply' | 'tag';

/**
 * Notes that these people want no campaign. The earliest word stands, whatever order they are seen in.
 * @param keys as `people.key`; an empty one is nobody
 * @param at when they said so, or when the tag was seen
 */
export async function noteOptOuts(
  tx: Queryable,
  account: string,
  keys: readonly string[],
  via: OptOutWay,
  at: Date,
): Promise<void> {
  // One order for all who write here: two that wait for each other's rows would be a deadlock.
  const people = [...new Set(keys)].filter((key) => key !== '').sort();
  if (people.length === 0) return;
  await tx.query(
    `insert into opt_outs (account, key, via, at)
     select $1, key, $3, $4 from unnest($2::text[]) with ordinality as k(key, n) order by n
     on conflict (account, key) do update set via = excluded.via, at = excluded.at where excluded.at < opt_outs.at`,
    [account, people, via, at],
  );
}
