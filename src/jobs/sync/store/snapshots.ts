// Snapshots of the account, read in pages of a hundred: which people exist, and which have a card.

import { PERSON_SEEN, RECORD_PAYLOAD } from '../../../core/encryption/columns.ts';
import { decryptRows, encryptValue } from '../../../core/encryption/values.ts';
import { toJson } from '../../../core/json/stored-json.ts';
import type { CrmRecord } from '../../../core/record.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import type { SeenContact } from '../../../core/store/people.ts';

export interface SnapshotContact extends SeenContact {
  readonly id: number;
  readonly key: string;
}

/**
 * Stores a page of the account's contacts, but only people of this run. If one person has two contacts (with and
 * without the ninth digit), the one whose number is the key wins, unless Sluice has written to the other: hashes and
 * card belong to that one.
 * @returns the number of different contacts that this reading has seen so far
 */
export async function noteSnapshot(
  tx: Queryable,
  account: string,
  runId: string,
  contacts: readonly SnapshotContact[],
): Promise<number> {
  await tx.query(
    `insert into snapshot_contacts (run_id, contact_id)
     select $1, (each.value)::bigint from jsonb_array_elements_text($2::jsonb) as each on conflict do nothing`,
    [runId, toJson(contacts.map(({ id }) => id))],
  );
  await tx.query(
    `insert into people (account, key, remote_id, remote_number, seen, name, email)
     select distinct on (s.key) $1, s.key, s.id, s.number, s.seen, s.seen ->> 'name', s.seen ->> 'email'
       from jsonb_to_recordset($3::jsonb) as s(id bigint, number text, key text, seen jsonb)
       join run_records r on r.run_id = $2 and r.key = s.key
      order by s.key, (s.number = s.key) desc, s.id
     on conflict (account, key) do update
        set remote_id = excluded.remote_id, remote_number = excluded.remote_number, seen = excluded.seen,
            name = coalesce(excluded.name, people.name), email = coalesce(excluded.email, people.email)
      where people.remote_id is null or (excluded.remote_number = people.key and people.hash_contact is null)`,
    [
      account,
      runId,
      toJson(
        contacts.map(({ id, key, ...contact }) => ({
          id,
          key,
          number: contact.number,
          seen: encryptValue(tx, PERSON_SEEN, [account, key], { run: runId, ...contact }),
        })),
      ),
    ],
  );
  return await countSnapshot(tx, 'contacts', runId);
}

/** Number of different items that the run's reading has seen so far. */
export async function countSnapshot(db: Queryable, of: 'contacts' | 'cards', runId: string): Promise<number> {
  const [row] = await db.query<{ seen: number }>(
    `select count(*)::int as seen from snapshot_${of} where run_id = $1`,
    [runId],
  );
  return row?.seen ?? 0;
}

export interface FoundRecord {
  readonly id: number;
  readonly key: string;
  readonly todo: number;
  readonly payload: CrmRecord;
}

/** Pending records that a snapshot has found, in the order of the source; with `keys`, only those. */
export async function foundRecords(
  db: Queryable,
  run: { id: string; account: string },
  page: { after: number; limit: number; keys?: readonly string[] },
): Promise<FoundRecord[]> {
  const rows = await db.query<FoundRecord>(
    `select r.id, r.run_id, r.key, r.event_id, r.todo, r.payload
       from run_records r join people p on p.account = $2 and p.key = r.key and p.seen ->> 'run' = $1
      where r.run_id = $1 and r.status = 'pending' and r.due_at = '-infinity' and r.id > $3
        and ($5::text[] is null or r.key = any($5))
      order by r.id limit $4`,
    [run.id, run.account, page.after, page.limit, page.keys ?? null],
  );
  return decryptRows(db, RECORD_PAYLOAD, rows);
}

/**
 * Treats people who were not found as new, provided that the snapshot is complete, so no look-up is needed. With
 * `combine`, a record that asks for a number, a name and a card needs no upsert either: the card's call creates the
 * contact.
 */
export async function settleMissing(
  tx: Queryable,
  run: { id: string; account: string },
  how: {
    lookup: number;
    drop: number;
    combine: { card: number; clear: number; rejects: readonly string[] } | null;
  },
): Promise<void> {
  // A person that another run of the account found or created meanwhile is looked up separately.
  await tx.query(
    `update run_records r set todo = r.todo & ~($2::int),
            status = case when r.todo & ~($2::int) = 0 then 'unchanged' else r.status end
      where r.run_id = $1 and r.status = 'pending' and r.todo & $3::int <> 0
        and not exists (select 1 from people p where p.account = $4 and p.key = r.key and p.remote_id is not null)`,
    [run.id, how.lookup | how.drop, how.lookup, run.account],
  );
  if (how.combine === null) return;
  await tx.query(
    `update run_records r set todo = todo & ~($3::int)
      where r.run_id = $1 and r.status = 'pending' and r.todo & $4::int <> 0
        and jsonb_array_length(r.payload -> 'extraInfo') = 0 and not (r.payload -> 'contact' ?| $5::text[])
        and not exists (select 1 from people p where p.account = $2 and p.key = r.key and p.remote_id is not null)`,
    [run.id, run.account, how.combine.clear, how.combine.card, how.combine.rejects],
  );
}

/** Gives combined records their upsert back when cards cannot be created in this account after all. */
export async function splitCreate(
  db: Queryable,
  run: { id: string; account: string },
  bits: { card: number; upsert: number; tags: number },
): Promise<void> {
  await db.query(
    `update run_records r
        set todo = r.todo | $4::int | case when jsonb_array_length(r.payload -> 'tags') > 0 then $5::int else 0 end
      where r.run_id = $1 and r.status = 'pending' and r.todo & $3::int <> 0
        and not exists (select 1 from people p where p.account = $2 and p.key = r.key and p.remote_id is not null)`,
    [run.id, run.account, bits.card, bits.upsert, bits.tags],
  );
}

/**
 * Counts all pending records, and among them people without a look-up that the ledger does not know: each costs an
 * upsert, needed or not.
 */
export async function countBlind(
  db: Queryable,
  run: { id: string; account: string },
  bits: { lookup: number; upsert: number; finds: number },
): Promise<{ pending: number; blind: number; finds: number }> {
  const [row] = await db.query<{ pending: number; blind: number; finds: number }>(
    `select count(*) filter (where r.todo & $3::int = $4::int and p.remote_id is null)::int as blind,
            count(*) filter (where r.todo & $5::int <> 0)::int as finds, count(*)::int as pending
       from run_records r left join people p on p.account = $2 and p.key = r.key
      where r.run_id = $1 and r.status = 'pending'`,
    [run.id, run.account, bits.lookup | bits.upsert, bits.upsert, bits.finds],
  );
  return row ?? { pending: 0, blind: 0, finds: 0 };
}

export interface SnapshotCard {
  readonly id: number;
  readonly contactId: number;
  readonly stageId: number | null;
  readonly open: boolean;
}

/** Stores a page of the pipeline's cards. Returns the number of different cards read so far. */
export async function noteCards(
  tx: Queryable,
  runId: string,
  cards: readonly SnapshotCard[],
): Promise<number> {
  await tx.query(
    `insert into snapshot_cards (run_id, card_id, contact_id, stage_id, is_open)
     select $1, id, "contactId", "stageId", open
       from jsonb_to_recordset($2::jsonb) as c(id bigint, "contactId" bigint, "stageId" bigint, open boolean)
     on conflict do nothing`,
    [runId, toJson(cards)],
  );
  return await countSnapshot(tx, 'cards', runId);
}

/**
 * Settles who has a card. An open card wins over the newest. People without one get theirs created, provided that the
 * snapshot is complete. A person with an undecided effect is checked separately.
 */
export async function settleCards(
  tx: Queryable,
  run: { id: string; account: string; pipeline: string },
  bits: { find: number; create: number },
  complete: boolean,
): Promise<void> {
  const question = `exists (select 1 from intents i where i.account = $2 and i.kind = 'card'
                             and i.subject = p.id || '/' || $3 and i.state in ('sent', 'unknown'))`;
  await tx.query(
    `insert into cards (account, person_id, pipeline, remote_id, remote_stage_id, stage, adopted)
     select distinct on (p.id) $2, p.id, $3, c.card_id, c.stage_id,
            case when jsonb_typeof(r.payload -> 'card' -> 'stage') = 'number' then '#' || (r.payload -> 'card' ->> 'stage')
                 else r.payload -> 'card' ->> 'stage' end, true
       from run_records r
       join people p on p.account = $2 and p.key = r.key
       join snapshot_cards c on c.run_id = $1 and c.contact_id = p.remote_id
      where r.run_id = $1 and r.status = 'pending' and r.todo & $4::int <> 0 and not ${question}
      order by p.id, c.is_open desc, c.card_id desc
     on conflict (account, person_id, pipeline) do nothing`,
    [run.id, run.account, run.pipeline, bits.find],
  );
  const rest = `(r.todo & ~(case when c.id is null then $4::int else $4::int | $5::int end))`;
  await tx.query(
    `update run_records r
        set todo = ${rest},
            status = case when ${rest} <> 0 then r.status when r.created then 'created'
                          when r.touched then 'updated' else 'unchanged' end
       from people p left join cards c on c.account = $2 and c.person_id = p.id and c.pipeline = $3
      where r.run_id = $1 and r.status = 'pending' and r.todo & $4::int <> 0 and p.account = $2 and p.key = r.key
        and (c.id is not null or $6) and not ${question}`,
    [run.id, run.account, run.pipeline, bits.find, bits.create, complete],
  );
}

/** Deletes what a run's snapshots have read. */
export async function clearSnapshot(tx: Queryable, runId: string): Promise<void> {
  await tx.query('delete from snapshot_contacts where run_id = $1', [runId]);
  await tx.query('delete from snapshot_cards where run_id = $1', [runId]);
}
