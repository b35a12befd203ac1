// People and their cards: what Sluice sent about each, and their remote ids.

import { EXTRA_KNOWN, PERSON_SEEN } from '../encryption/columns.ts';
import { decryptRow, encryptValue } from '../encryption/values.ts';
import { toJson } from '../json/stored-json.ts';
import type { ExtraField } from '../record.ts';
import type { Queryable } from '../sql/database.ts';
import type { Note } from '../sql/notes.ts';

export interface PersonRow {
  readonly id: number;
  readonly key: string;
  readonly remote_id: number | null;
  /** The number in the service. An old contact may lack the Brazilian ninth digit. */
  readonly remote_number: string | null;
  readonly hash_contact: string | null;
  readonly hash_extra: string | null;
  readonly hash_tags: string | null;
  /** All extra info of the contact as last written or read; null when never read. */
  readonly extra_known: ExtraField[] | null;
  /** Names of tags that Sluice itself set on the contact. */
  readonly tags_added: string[];
  /** Names of tags that the record asked for and the account did not have. */
  readonly tags_missing: string[];
  /** Names of all tags that the record asked for when they were last written or found; null when not known. */
  readonly tags_sent: string[] | null;
  /** One mark per sent field, which shows field by field what changed since. */
  readonly sent: Readonly<Record<string, string>>;
  /** The contact as the service last showed it, the run that saw it, and when (ms since 1970); null when none did. */
  readonly seen: (SeenContact & { readonly run: string; readonly at?: number }) | null;
  /** The sync that created the contact; null when it existed before. */
  readonly created_by: string | null;
}

/** A contact as the service showed it, with the fields that a diff needs. */
export interface SeenContact {
  readonly number: string;
  readonly name: string;
  readonly email: string | null;
  readonly document: string | null;
  readonly disableBot: boolean;
  readonly tags: readonly { readonly id: number; readonly name: string }[];
  /** Null when the answer did not show it (API text, Contact: only GET /v1/contacts/{contactId} does). */
  readonly extraInfo: readonly ExtraField[] | null;
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

/** @param row a row of people with all of its columns, as the database returned it */
export function decryptPerson<T extends PersonRow>(db: Queryable, row: T): T {
  return decryptRow(db, PERSON_SEEN, decryptRow(db, EXTRA_KNOWN, row));
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
  if (keys.length === 0) return new Map();
  const rows = await db.query<PersonRow & { card: CardRow | null }>(
    // "limit 1" makes it one index look-up per person. Without it, PGlite, which gathers no statistics, reads both
    // tables completely.
    `select p.*, case when c.id is null then null else to_jsonb(c) end as card
       from unnest($2::text[]) as k(key)
       join lateral (select * from people where account = $1 and key = k.key limit 1) p on true
       left join lateral (
         select * from cards where account = $1 and person_id = p.id and pipeline = $3 limit 1) c on true`,
    [account, keys, pipeline],
  );
  return new Map(rows.map((row) => [row.key, decryptPerson(db, row)]));
}

/** Records what the service shows about a person: the current contact, or that there is none. */
export async function noteSeen(
  tx: Queryable,
  account: string,
  key: string,
  runId: string,
  found: { id: number; contact: SeenContact } | null,
): Promise<void> {
  await tx.query(
    `insert into people (account, key, remote_id, remote_number, seen, extra_known, name, email)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (account, key) do update set
       remote_id = coalesce(excluded.remote_id, people.remote_id),
       name = coalesce(excluded.name, people.name), email = coalesce(excluded.email, people.email),
       remote_number = coalesce(excluded.remote_number, people.remote_number),
       seen = excluded.seen,
       extra_known = coalesce(excluded.extra_known, people.extra_known)`,
    [
      account,
      key,
      found?.id ?? null,
      found?.contact.number ?? null,
      found &&
        toJson(
          encryptValue(tx, PERSON_SEEN, [account, key], { run: runId, at: Date.now(), ...found.contact }),
        ),
      found?.contact.extraInfo == null
        ? null
        : toJson(encryptValue(tx, EXTRA_KNOWN, [account, key], found.contact.extraInfo)),
      found?.contact.name ?? null,
      found?.contact.email ?? null,
    ],
  );
}

/** Discards what a run saw of the person. */
export async function forgetSeen(tx: Queryable, account: string, key: string, run: string): Promise<void> {
  await tx.query(`update people set seen = null where account = $1 and key = $2 and seen ->> 'run' = $3`, [
    account,
    key,
    run,
  ]);
}

/**
 * Creates a person that the ledger did not know, because an effect is named by a ledger id. Null when the ledger has
 * the person.
 */
export async function makePerson(db: Queryable, account: string, key: string): Promise<PersonRow | null> {
  const [row] = await db.query<PersonRow>(
    'insert into people (account, key) values ($1, $2) on conflict do nothing returning *',
    [account, key],
  );
  return row ?? null;
}

/**
 * Forgets a contact that somebody deleted in the service. Nothing that was sent to it counts any more.
 * @param number the number for the next write; null means the person's own
 */
export async function forgetContact(
  tx: Queryable,
  account: string,
  key: string,
  number: string | null = null,
): Promise<void> {
  const [row] = await tx.query<{ id: number }>(
    `update people set remote_id = null, remote_number = $3, hash_contact = null, hash_extra = null, hash_tags = null,
            extra_known = null, tags_added = '[]', tags_missing = '[]', tags_sent = null, sent = '{}', seen = null, created_by = null
      where account = $1 and key = $2 returning id`,
    [account, key, number],
  );
  if (row === undefined) return;
  await tx.query('delete from cards where person_id = $1', [row.id]);
  await tx.query(
    `delete from intents where account = $1 and kind = 'card' and subject like $2 || '/%' and state = 'done'`,
    [account, row.id],
  );
}

/** A contact that has what the record asks for. */
export interface SentContact {
  readonly remoteId: number;
  readonly remoteNumber: string;
  readonly hashContact: string;
  readonly hashExtra: string;
  /** Null when extra info was not part of the call. */
  readonly extra: readonly ExtraField[] | null;
  readonly marks: Readonly<Record<string, string>>;
  /** The sync that created the contact with this call. */
  readonly createdBy: string | null;
  /** As the record names the person, for the search of operators. @default what the ledger knows */
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  /** Tags that are now on the contact, if known. */
  readonly tags?: SentTags;
}

/** Tags now on the contact that Sluice set, and tags that the account does not have. */
export interface SentTags {
  readonly hash: string;
  readonly added: readonly string[];
  readonly missing: readonly string[];
  /** Tags that the record asked for and the account has. */
  readonly wanted: readonly string[];
}

/** The note that stores a contact as just written or found. */
export function contactNote(account: string, key: string, sent: SentContact): Note {
  const { tags, extra } = sent;
  return (param, db) =>
    `insert into people (account, key, remote_id, remote_number, hash_contact, hash_extra, extra_known, sent,
                         created_by, synced_at, hash_tags, tags_added, tags_missing, tags_sent, name, email)
     values (${param(account)}, ${param(key)}, ${param(sent.remoteId)}, ${param(sent.remoteNumber)},
             ${param(sent.hashContact)}, ${param(sent.hashExtra)}, ${param(extra && toJson(encryptValue(db, EXTRA_KNOWN, [account, key], extra)))},
             ${param(toJson(sent.marks))}, ${param(sent.createdBy)}, now(), ${param(tags?.hash ?? null)},
             ${param(toJson(tags?.added ?? []))}, ${param(toJson(tags?.missing ?? []))}, ${param(tags === undefined ? null : toJson(tags.wanted))},
             ${param(sent.name ?? null)}, ${param(sent.email ?? null)})
     on conflict (account, key) do update set remote_id = excluded.remote_id, remote_number = excluded.remote_number,
       hash_contact = excluded.hash_contact, hash_extra = excluded.hash_extra,
       extra_known = coalesce(excluded.extra_known, people.extra_known), sent = excluded.sent, seen = null,
       created_by = coalesce(people.created_by, excluded.created_by), synced_at = now(),
       name = coalesce(excluded.name, people.name), email = coalesce(excluded.email, people.email)
       ${tags === undefined ? '' : ', hash_tags = excluded.hash_tags, tags_added = excluded.tags_added, tags_missing = excluded.tags_missing, tags_sent = excluded.tags_sent'}
     returning *`;
}

/** The note that stores the tags that are on a contact now. */
export function tagsNote(account: string, key: string, tags: SentTags): Note {
  return (param) =>
    `update people set hash_tags = ${param(tags.hash)}, tags_added = ${param(toJson(tags.added))},
            tags_missing = ${param(toJson(tags.missing))}, tags_sent = ${param(toJson(tags.wanted))}
      where account = ${param(account)} and key = ${param(key)}`;
}

/** Names of tags that people of this run wait for because the account did not have them. */
export async function missingTags(db: Queryable, run: { id: string; account: string }): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    `select distinct jsonb_array_elements_text(p.tags_missing) as name
       from people p join run_records r on r.run_id = $1 and r.key = p.key
      where p.account = $2 and p.tags_missing <> '[]'`,
    [run.id, run.account],
  );
  return rows.map(({ name }) => name);
}

/** People of this run who have nothing to do but wait for tags, counted by the names that they wait for. */
export async function waitingForTags(
  db: Queryable,
  run: { id: string; account: string },
  rows: number,
): Promise<{ names: string[]; people: number; rows: number[] }[]> {
  return await db.query(
    `select p.tags_missing as names, count(*)::int as people,
            to_json((array_agg(r.row_no order by r.row_no))[1:$3::int]) as rows
       from people p join run_records r on r.run_id = $1 and r.key = p.key
      where p.account = $2 and p.tags_missing <> '[]' and r.status = 'unchanged' and r.row_no > 0
      group by p.tags_missing`,
    [run.id, run.account, rows],
  );
}

/**
 * The note that stores the person's card in a pipeline. The first card is kept: there is one per contact and
 * pipeline.
 */
export function cardNote(
  account: string,
  personId: number,
  card: {
    readonly pipeline: string;
    readonly remoteId: number;
    readonly remoteStageId: number | null;
    readonly stage: string | null;
    readonly adopted: boolean;
  },
): Note {
  return (param) =>
    `insert into cards (account, person_id, pipeline, remote_id, remote_stage_id, stage, adopted)
     values (${param(account)}, ${param(personId)}, ${param(card.pipeline)}, ${param(card.remoteId)},
             ${param(card.remoteStageId)}, ${param(card.stage)}, ${param(card.adopted)})
     on conflict (account, person_id, pipeline) do nothing`;
}

/** The note that stores a card's current stage. */
export function stageNote(cardId: number, stage: string, remoteStageId: number | null): Note {
  return (param) =>
    `update cards set stage = ${param(stage)}, remote_stage_id = ${param(remoteStageId)}, at = now()
      where id = ${param(cardId)}`;
}
