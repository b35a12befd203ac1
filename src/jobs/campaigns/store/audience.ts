// The audience of a campaign while Sluice reads it: one row per person found, and how far the reading is.

import { MEMBER_VARIABLES } from '../../../core/encryption/columns.ts';
import { encryptValue } from '../../../core/encryption/values.ts';
import { toJson } from '../../../core/json/stored-json.ts';
import type { RowIdentity } from '../../../core/record.ts';
import type { Queryable } from '../../../core/sql/database.ts';

/** One card, contact or row that the audience reads. */
export interface FoundMember {
  /** The person; null when the number cannot be read, see `reason`. */
  readonly key: string | null;
  /** E.164 without plus, as the service or the source has it. */
  readonly number: string | null;
  readonly contactId?: number | null;
  readonly cardId?: number | null;
  /** Creation time of the card, ISO 8601. */
  readonly cardAt?: string | null;
  /** Row of a source, from 1. */
  readonly row?: number | null;
  /** Tags of the contact; null when not listed. */
  readonly tagIds?: readonly number[] | null;
  /** The member's own time zone for send windows; empty when the number decides. */
  readonly zones?: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  /** Why the number cannot be read. Does not contain the number. */
  readonly reason?: string;
  /** Who it is about when the number cannot be read. */
  readonly identity?: RowIdentity | undefined;
}

/** How far one part of the audience has been read. Stored in `campaigns.parts` under the part's index. */
export interface PartProgress {
  /** Rows found so far. */
  readonly found: number;
  readonly done: boolean;
}

/** The progress of one part of the audience; null when it has not been read yet. */
export function progressOf(parts: Readonly<Record<string, unknown>>, part: number): PartProgress | null {
  return (parts[String(part)] as PartProgress | undefined) ?? null;
}

export async function saveProgress(
  tx: Queryable,
  run: string,
  part: number,
  progress: PartProgress,
): Promise<void> {
  await tx.query(
    'update campaigns set parts = parts || jsonb_build_object($2::text, $3::jsonb) where run_id = $1',
    [run, String(part), toJson(progress)],
  );
}

/**
 * Adds what a part has found. If several rows are about one person, the first part wins; within a part, the newest
 * card, and of two contacts the one with the ninth digit. The other rows fill in what the winner lacks: ids, values
 * of variables, tags.
 */
export async function addFound(
  tx: Queryable,
  run: string,
  part: number,
  found: readonly FoundMember[],
): Promise<void> {
  for (const round of roundsOf(found.filter(({ key }) => key !== null))) {
    const rows = round.map((each) => ({
      ...each,
      variables: encryptValue(tx, MEMBER_VARIABLES, [run, each.key], each.variables),
    }));
    await tx.query(ADD, [run, part, toJson(rows)]);
  }
  const unreadable = found.filter(({ key }) => key === null);
  if (unreadable.length === 0) return;
  const rows = onePerContact(unreadable).map(({ identity, ...row }) => ({
    ...row,
    name: identity?.name,
    email: identity?.email,
    written: identity?.number,
  }));
  await tx.query(ADD_UNREADABLE, [run, part, toJson(rows)]);
}

/** One statement cannot write a row twice, so people with several rows are added one round after another. */
function roundsOf(found: readonly FoundMember[]): FoundMember[][] {
  const times = new Map<string | null, number>();
  const rounds: FoundMember[][] = [];
  for (const each of found) {
    const n = times.get(each.key) ?? 0;
    times.set(each.key, n + 1);
    (rounds[n] ??= []).push(each);
  }
  return rounds;
}

function onePerContact(found: readonly FoundMember[]): FoundMember[] {
  const contacts = new Set<number>();
  return found.filter(({ contactId }) => {
    if (contactId == null) return true;
    const isNew = !contacts.has(contactId);
    contacts.add(contactId);
    return isNew;
  });
}

const ofCard = (column: string) => `case when ${CARD_WINS} then excluded.${column} else m.${column} end`;

const COLUMNS = `key text, number text, "contactId" bigint, "cardId" bigint, "cardAt" timestamptz, "row" int,
  "tagIds" bigint[], zones text, variables jsonb, reason text`;

/** Whether the new row wins over the existing one. */
const WINS = `(excluded.part < m.part or (excluded.part = m.part and (
  (excluded.card_at, excluded.card_id) > (m.card_at, m.card_id)
  or (excluded.card_id is null and m.card_id is null and excluded.number = m.key and m.number <> m.key))))`;

/** The same for the card: the first part that brought one wins. */
const CARD_WINS = `(excluded.card_id is not null and (m.card_id is null or excluded.part < m.card_part
  or (excluded.part = m.card_part and (excluded.card_at, excluded.card_id) > (m.card_at, m.card_id))))`;

const either = (column: string) =>
  `case when ${WINS} then coalesce(excluded.${column}, m.${column}) else coalesce(m.${column}, excluded.${column}) end`;

const ADD = `
  insert into campaign_members as m
    (run_id, part, key, number, contact_id, card_id, card_at, card_part, row_no, tag_ids, zones, variables)
  select $1, $2, f.key, f.number, f."contactId", f."cardId", f."cardAt", case when f."cardId" is not null then $2::int end, f."row", f."tagIds", coalesce(f.zones, ''),
         coalesce(f.variables, '{}')
    from rows from (jsonb_to_recordset($3::jsonb) as (${COLUMNS})) with ordinality
      as f(key, number, "contactId", "cardId", "cardAt", "row", "tagIds", zones, variables, reason, n)
   order by f.n
  on conflict (run_id, key) where key is not null do update
     set part = least(m.part, excluded.part), number = ${either('number')}, contact_id = ${either('contact_id')},
         card_id = ${ofCard('card_id')}, card_at = ${ofCard('card_at')}, card_part = ${ofCard('card_part')},
         row_no = ${either('row_no')},
         tag_ids = case when excluded.tag_ids is null or excluded.tag_ids <@ m.tag_ids then m.tag_ids
                        else (select array_agg(distinct t) from unnest(m.tag_ids || excluded.tag_ids) t) end,
         zones = case when excluded.zones <> '' and (m.zones = '' or ${WINS}) then excluded.zones else m.zones end,
         variables = case when ${WINS} then m.variables || excluded.variables
                          else excluded.variables || m.variables end
   where m.state = 'found'`;

const ADD_UNREADABLE = `
  insert into campaign_members (run_id, part, contact_id, card_id, row_no, tag_ids, state, code, reason, row_name, row_email, row_number)
  select $1, $2, f."contactId", f."cardId", f."row", f."tagIds", 'excluded', 'NUMBER_INVALID', f.reason, f.name, f.email, f.written
    from jsonb_to_recordset($3::jsonb) as f(${COLUMNS}, name text, email text, written text)
   where f."contactId" is null or not exists (
     select 1 from campaign_members m where m.run_id = $1 and m.key is null and m.contact_id = f."contactId")`;

/** Which of these cards or contacts a part has already seen. */
export async function seenBefore(
  tx: Queryable,
  run: string,
  part: number,
  ids: readonly number[],
): Promise<Set<number>> {
  const rows = await tx.query<{ id: number }>(
    'select id from campaign_seen where run_id = $1 and part = $2 and id = any($3)',
    [run, part, ids],
  );
  return new Set(rows.map(({ id }) => id));
}

export async function noteSeen(
  tx: Queryable,
  run: string,
  part: number,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  await tx.query(
    'insert into campaign_seen (run_id, part, id) select $1, $2, id from unnest($3::bigint[]) as i(id) on conflict do nothing',
    [run, part, ids],
  );
}

/** Deletes the seen ids of a part that has been read. Its members have everything. */
export async function forgetSeen(tx: Queryable, run: string, part: number): Promise<void> {
  await tx.query('delete from campaign_seen where run_id = $1 and part = $2', [run, part]);
}

/** Stores people whose numbers the campaign leaves out. */
export async function barNumbers(tx: Queryable, run: string, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await tx.query(
    'insert into campaign_barred (run_id, key) select distinct $1, key from unnest($2::text[]) as k(key) on conflict do nothing',
    [run, keys],
  );
}
