// People and their cards: what the service was told about each, and under which remote ids.
import type { ExtraField } from '../contracts/record.ts';
import type { Queryable } from './database.ts';
import { toJson } from './json.ts';

export interface PersonRow {
  readonly id: number;
  readonly key: string;
  readonly remote_id: number | null;
  /** The number as the service has it: an old contact may lack the Brazilian ninth digit. */
  readonly remote_number: string | null;
  readonly hash_contact: string | null;
  readonly hash_extra: string | null;
  readonly hash_tags: string | null;
  /** All extra info of the contact as last written or read; null when never seen. */
  readonly extra_known: ExtraField[] | null;
  /** Names of tags that Sluice itself put on the contact. */
  readonly tags_added: string[];
}

export interface CardRow {
  readonly id: number;
  readonly person_id: number;
  readonly pipeline: string;
  readonly remote_id: number;
  readonly remote_stage_id: number | null;
  /** The stage as the mapping named it when it was last sent. */
  readonly stage: string | null;
}

export interface KnownPerson extends PersonRow {
  readonly card: CardRow | null;
}

/** People of an account by key, each with its card in one pipeline. */
export async function findPeople(
  db: Queryable,
  account: string,
  keys: readonly string[],
  pipeline: string,
): Promise<Map<string, KnownPerson>> {
  const rows = await db.query<PersonRow & { card: CardRow | null }>(
    `select p.*, case when c.id is null then null else to_jsonb(c) end as card
       from people p left join cards c on c.account = p.account and c.person_id = p.id and c.pipeline = $3
      where p.account = $1 and p.key = any($2)`,
    [account, keys, pipeline],
  );
  return new Map(rows.map((row) => [row.key, row]));
}

/** Notes what a look-up found: the contact's id and number, or that there is none. */
export async function noteLookup(
  tx: Queryable,
  account: string,
  key: string,
  found: { id: number; number: string } | null,
): Promise<void> {
  await tx.query(
    `insert into people (account, key, remote_id, remote_number) values ($1, $2, $3, $4)
     on conflict (account, key) do update set
       remote_id = coalesce(excluded.remote_id, people.remote_id),
       remote_number = coalesce(excluded.remote_number, people.remote_number)`,
    [account, key, found?.id ?? null, found?.number ?? null],
  );
}

/**
 * Notes a page of the account's contacts: only people that this run is about are kept. Of two contacts
 * of one person (with and without the ninth digit) the one whose number is the key wins, unless Sluice has
 * written to the other: hashes and card are of that one.
 * @returns how many different contacts the run's reading has come by so far
 */
export async function noteSurvey(
  tx: Queryable,
  account: string,
  runId: string,
  contacts: readonly { id: number; number: string; key: string }[],
): Promise<number> {
  await tx.query(
    `insert into survey_contacts (run_id, contact_id)
     select $1, (each.value)::bigint from jsonb_array_elements_text($2::jsonb) as each on conflict do nothing`,
    [runId, toJson(contacts.map(({ id }) => id))],
  );
  await tx.query(
    `insert into people (account, key, remote_id, remote_number)
     select distinct on (s.key) $1, s.key, s.id, s.number
       from jsonb_to_recordset($3::jsonb) as s(id bigint, number text, key text)
       join run_records r on r.run_id = $2 and r.key = s.key
      order by s.key, (s.number = s.key) desc, s.id
     on conflict (account, key) do update
        set remote_id = excluded.remote_id, remote_number = excluded.remote_number
      where people.remote_id is null or (excluded.remote_number = people.key and people.hash_contact is null)`,
    [account, runId, toJson(contacts)],
  );
  const [row] = await tx.query<{ seen: number }>(
    'select count(*)::int as seen from survey_contacts where run_id = $1',
    [runId],
  );
  return row?.seen ?? 0;
}

/** Forgets which contacts a run's reading of the account has come by. */
export async function clearSurvey(tx: Queryable, runId: string): Promise<void> {
  await tx.query('delete from survey_contacts where run_id = $1', [runId]);
}

export async function noteExtraInfo(
  tx: Queryable,
  account: string,
  key: string,
  extra: readonly ExtraField[],
) {
  await tx.query('update people set extra_known = $3 where account = $1 and key = $2', [
    account,
    key,
    toJson(extra),
  ]);
}

/** Notes a contact that was written; answers the person's ledger id. */
export async function noteContact(
  tx: Queryable,
  account: string,
  key: string,
  sent: {
    remoteId: number;
    remoteNumber: string;
    hashContact: string;
    hashExtra: string;
    /** Null: extra info was not part of the call. */
    extra: readonly ExtraField[] | null;
  },
): Promise<number> {
  const [row] = await tx.query<{ id: number }>(
    `insert into people (account, key, remote_id, remote_number, hash_contact, hash_extra, extra_known, synced_at)
     values ($1, $2, $3, $4, $5, $6, $7, now())
     on conflict (account, key) do update set remote_id = excluded.remote_id, remote_number = excluded.remote_number,
       hash_contact = excluded.hash_contact, hash_extra = excluded.hash_extra,
       extra_known = coalesce(excluded.extra_known, people.extra_known), synced_at = now()
     returning id`,
    [
      account,
      key,
      sent.remoteId,
      sent.remoteNumber,
      sent.hashContact,
      sent.hashExtra,
      sent.extra && toJson(sent.extra),
    ],
  );
  return (row as { id: number }).id;
}

/** Notes the tags now on the contact that Sluice put there, and those the account did not have. */
export async function noteTags(
  tx: Queryable,
  account: string,
  key: string,
  tags: { hash: string; added: readonly string[]; missing: readonly string[] },
) {
  await tx.query(
    'update people set hash_tags = $3, tags_added = $4, tags_missing = $5 where account = $1 and key = $2',
    [account, key, tags.hash, toJson(tags.added), toJson(tags.missing)],
  );
}

/** Names of tags that people of this run wait for: the account did not have them so far. */
export async function missingTags(db: Queryable, run: { id: string; account: string }): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    `select distinct jsonb_array_elements_text(p.tags_missing) as name
       from people p join run_records r on r.run_id = $1 and r.key = p.key
      where p.account = $2 and p.tags_missing <> '[]'`,
    [run.id, run.account],
  );
  return rows.map(({ name }) => name);
}

/** Notes the person's card in a pipeline. The first card stands: there is one per contact and pipeline. */
export async function noteCard(
  tx: Queryable,
  account: string,
  personId: number,
  card: {
    pipeline: string;
    remoteId: number;
    remoteStageId: number | null;
    stage: string | null;
    adopted: boolean;
  },
): Promise<void> {
  await tx.query(
    `insert into cards (account, person_id, pipeline, remote_id, remote_stage_id, stage, adopted)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict (account, person_id, pipeline) do nothing`,
    [account, personId, card.pipeline, card.remoteId, card.remoteStageId, card.stage, card.adopted],
  );
}

export async function noteStage(
  tx: Queryable,
  cardId: number,
  stage: string,
  remoteStageId: number | null,
): Promise<void> {
  await tx.query('update cards set stage = $2, remote_stage_id = $3, at = now() where id = $1', [
    cardId,
    stage,
    remoteStageId,
  ]);
}
