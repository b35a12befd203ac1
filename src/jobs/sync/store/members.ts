// Members: the people that a mirror has brought. A member who is not in the source any more has left it.
import type { Queryable } from '../../../core/sql/database.ts';

interface Sync {
  readonly account: string;
  readonly sync: string;
}

/** Adds people that run `seq` brought. Existing members cost no write. */
export async function addMembers(
  tx: Queryable,
  { account, sync }: Sync,
  seq: number,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return;
  await tx.query(
    `insert into sync_members (account, sync, key, seq) select $1, $2, key, $3 from unnest($4::text[]) as k(key)
     on conflict do nothing`,
    [account, sync, seq, keys],
  );
}

/** Number of members before run `seq`. */
export async function countMembers(tx: Queryable, { account, sync }: Sync, seq: number): Promise<number> {
  const [row] = await tx.query<{ n: number }>(
    'select count(*)::int as n from sync_members where account = $1 and sync = $2 and seq < $3',
    [account, sync, seq],
  );
  return row?.n ?? 0;
}

/** All members, page by page, ordered by key. */
export async function* listMembers(tx: Queryable, { account, sync }: Sync): AsyncGenerator<string[]> {
  for (let after = ''; ; ) {
    const rows = await tx.query<{ key: string }>(
      'select key from sync_members where account = $1 and sync = $2 and key > $3 order by key limit 10000',
      [account, sync, after],
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map(({ key }) => key);
    after = last.key;
  }
}

export async function dropMembers(tx: Queryable, { account, sync }: Sync, keys: readonly string[]) {
  await tx.query('delete from sync_members where account = $1 and sync = $2 and key = any($3)', [
    account,
    sync,
    keys,
  ]);
}

/** Deletes members who left the source and whose work is complete. The next run checks failed ones again. */
export async function settleMembers(tx: Queryable, run: Sync & { id: string }): Promise<void> {
  await tx.query(
    `delete from sync_members m using run_records r
      where r.run_id = $1 and r.row_no = 0 and r.status in ('created', 'updated', 'unchanged')
        and m.account = $2 and m.sync = $3 and m.key = r.key`,
    [run.id, run.account, run.sync],
  );
}
