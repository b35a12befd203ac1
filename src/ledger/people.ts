// People and their cards: what the service was told about each, and under which remote ids.
import type { ExtraField } from '../contracts/record.ts';
import { toJson } from '../contracts/stored-json.ts';
import type { Queryable } from './database.ts';

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
  /** Mark of each field that was sent: what changed since is told field by field. */
  readonly sent: Readonly<Record<string, string>>;
  /** The contact as the service showed it, and in which run; null when it never did. */
  readonly seen: (SeenContact & { readonly run: string }) | null;
  /** The sync that created the contact; null when it was there before. */
  readonly created_by: string | null;
}

/** A contact as the service showed it, as far as a diff needs it. */
export interface SeenContact {
  readonly number: string;
  readonly name: string;
  readonly email: string | null;
  readonly document: string | null;
  readonly disableBot: boolean;
  readonly tags: readonly { readonly id: number; readonly name: string }[];
  /** Null: the answer did not show it (API text, Contact: only GET /v1/contacts/{contactId} does). */
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
    // "limit 1": one index look-up a person. Left to itself, PGlite, which gathers no statistics, reads both tables whole.
    `select p.*, case when c.id is null then null else to_jsonb(c) end as card
       from unnest($2::text[]) as k(key)
       join lateral (select * from people where account = $1 and key = k.key limit 1) p on true
       left join lateral (
         select * from cards where account = $1 and person_id = p.id and pipeline = $3 limit 1) c on true`,
    [account, keys, pipeline],
  );
  return new Map(rows.map((row) => [row.key, row]));
}

/** Notes what the service shows of a person: the contact as it is now, or that there is none. */
export async function noteSeen(
  tx: Queryable,
  account: string,
  key: string,
  runId: string,
  found: { id: number; contact: SeenContact } | null,
): Promise<void> {
  await tx.query(
    `insert into people (account, key, remote_id, remote_number, seen, extra_known) values ($1, $2, $3, $4, $5, $6)
     on conflict (account, key) do update set
       remote_id = coalesce(excluded.remote_id, people.remote_id),
       remote_number = coalesce(excluded.remote_number, people.remote_number),
       seen = excluded.seen,
       extra_known = coalesce(excluded.extra_known, people.extra_known)`,
    [
      account,
      key,
      found?.id ?? null,
      found?.contact.number ?? null,
      found && toJson({ run: runId, ...found.contact }),
      found?.contact.extraInfo == null ? null : toJson(found.contact.extraInfo),
    ],
  );
}

/** What a run saw of the person counts as not seen any more. */
export async function forgetSeen(tx: Queryable, account: string, key: string, run: string): Promise<void> {
  await tx.query(`update people set seen = null where account = $1 and key = $2 and seen ->> 'run' = $3`, [
    account,
    key,
    run,
  ]);
}

/** The person's ledger id, made when there is none: an effect is named by it before the service knows the person. */
export async function ensurePerson(db: Queryable, account: string, key: string): Promise<number> {
  await db.query('insert into people (account, key) values ($1, $2) on conflict do nothing', [account, key]);
  const [row] = await db.query<{ id: number }>('select id from people where account = $1 and key = $2', [
    account,
    key,
  ]);
  return (row as { id: number }).id;
}

/**
 * Somebody deleted the contact on the service: nothing that was sent to it counts any more.
 * @param number under which the next write is to go; null: the person's own
 */
export async function forgetContact(
  tx: Queryable,
  account: string,
  key: string,
  number: string | null = null,
): Promise<void> {
  const [row] = await tx.query<{ id: number }>(
    `update people set remote_id = null, remote_number = $3, hash_contact = null, hash_extra = null, hash_tags = null,
            extra_known = null, tags_added = '[]', tags_missing = '[]', sent = '{}', seen = null, created_by = null
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

/** Notes a contact that has what the record asks for, written just now or found so; answers the person's ledger id. */
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
    marks: Readonly<Record<string, string>>;
    /** The sync that created the contact with this very call. */
    createdBy: string | null;
  },
): Promise<number> {
  const [row] = await tx.query<{ id: number }>(
    `insert into people (account, key, remote_id, remote_number, hash_contact, hash_extra, extra_known, sent, created_by, synced_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now())
     on conflict (account, key) do update set remote_id = excluded.remote_id, remote_number = excluded.remote_number,
       hash_contact = excluded.hash_contact, hash_extra = excluded.hash_extra,
       extra_known = coalesce(excluded.extra_known, people.extra_known), sent = excluded.sent, seen = null,
       created_by = coalesce(people.created_by, excluded.created_by), synced_at = now()
     returning id`,
    [
      account,
      key,
      sent.remoteId,
      sent.remoteNumber,
      sent.hashContact,
      sent.hashExtra,
      sent.extra && toJson(sent.extra),
      toJson(sent.marks),
      sent.createdBy,
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
