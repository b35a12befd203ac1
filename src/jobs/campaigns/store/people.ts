// An audience of people that the ledger knows, read page by page and ordered by key.

import { PERSON_SEEN } from '../../../core/encryption/columns.ts';
import { decryptValue } from '../../../core/encryption/values.ts';
import type { Queryable } from '../../../core/sql/database.ts';

/** All given conditions must hold. See LedgerAudience. */
export interface PeopleFilter {
  readonly account: string;
  /** Names of tags that Sluice set: any of these, regardless of case. */
  readonly tags: readonly string[] | null;
  /** Names as mappings use them. */
  readonly pipeline: string | null;
  readonly stage: string | null;
  readonly createdBy: string | null;
  /** People with a conversation who wrote nothing since then. */
  readonly silentSince: Date | null;
  readonly campaign: { readonly name: string; readonly replied: boolean | null } | null;
}

/** Position of the reading: the table, and the last key in it. */
export interface PeopleCursor {
  readonly base: number;
  readonly after: string;
}

export interface LedgerPerson {
  readonly key: string;
  readonly contact: {
    readonly id: number | null;
    readonly number: string;
    readonly name: string | null;
    readonly email: string | null;
    readonly document: string | null;
  };
  readonly tagIds: number[] | null;
}

type Found = Omit<LedgerPerson, 'contact'> & {
  readonly contact: Omit<LedgerPerson['contact'], 'document'>;
  readonly seen: { readonly document: string | null } | null;
};

/** The tables that can contain matching people. All other conditions are checked per person. */
function basesOf({ tags, pipeline, stage, createdBy, campaign, silentSince }: PeopleFilter): string[] {
  const people = 'select key from people where account = $1 and key > $2 order by key limit $3';
  if (tags !== null || pipeline !== null || stage !== null || createdBy !== null) return [people];
  if (campaign !== null)
    return [
      `select m.key from campaign_members m
        where m.run_id = (${LAST_RUN}) and m.key > $2 order by m.key limit $3`,
    ];
  const talking = (where: string) =>
    `select distinct person_key as key from conversations c
      where account = $1 and person_key > $2 and person_key <> '' ${where} order by 1 limit $3`;
  if (silentSince !== null) return [talking('')];
  const unknown = 'and not exists (select 1 from people p where p.account = $1 and p.key = c.person_key)';
  return [people, talking(unknown)];
}

/** The last run of a campaign that has begun. */
const LAST_RUN = `select l.run_id from campaigns l where l.account = $1 and l.campaign = $9 and l.started_at is not null
   order by l.started_at desc limit 1`;

/**
 * The next people and the next position; null when these were the last ones.
 * @param limit number of people to check
 */
export async function peoplePage(
  db: Queryable,
  filter: PeopleFilter,
  cursor: PeopleCursor,
  limit: number,
): Promise<{ people: LedgerPerson[]; next: PeopleCursor | null }> {
  const bases = basesOf(filter);
  const base = bases[cursor.base];
  if (base === undefined) return { people: [], next: null };
  const { account, tags, pipeline, stage, createdBy, silentSince, campaign } = filter;
  const [row] = await db.query<{ last: string | null; people: Found[] }>(
    `with candidates as materialized (${base}),
     matching as materialized (
       select b.key, p.remote_id, p.remote_number, p.seen
         from candidates b left join lateral (select * from people where account = $1 and key = b.key limit 1) p on true
        where ($4::text[] is null or exists (
                select 1 from jsonb_array_elements_text(p.tags_added) t where lower(t) = any($4)))
          and (($5::text is null and $6::text is null) or exists (
                select 1 from cards c where c.account = $1 and c.person_id = p.id
                   and ($5 is null or c.pipeline in ($5, '#' || $5)) and ($6 is null or c.stage in ($6, '#' || $6))))
          and ($7::text is null or p.created_by = $7)
          and ($8::timestamptz is null or ${SILENT})
          and ($9::text is null or exists (
                select 1 from campaign_members m
                 where m.run_id = (${LAST_RUN}) and m.key = b.key and m.state = 'triggered'
                   and ($10::boolean is null or $10 = (m.replied_at is not null or exists (
                     select 1 from conversations c
                      where c.account = $1 and c.person_key = b.key and c.inbound_at > m.triggered_at))))))
     select (select max(key) from candidates) as last,
            (select coalesce(jsonb_agg(jsonb_build_object(
               'key', m.key,
               'contact', jsonb_build_object(
                 'id', coalesce(m.remote_id, (c.contact ->> 'id')::bigint),
                 'number', coalesce(m.remote_number, m.key),
                 'name', coalesce(m.seen ->> 'name', c.contact ->> 'name'),
                 'email', m.seen ->> 'email'),
               'seen', m.seen,
               'tagIds', (select jsonb_agg(t -> 'id') from jsonb_array_elements(m.seen -> 'tags') t)) order by m.key), '[]')
               from matching m left join lateral (
                 select item #> '{state,contact}' as contact from conversations
                  where account = $1 and person_key = m.key order by updated_at desc limit 1) c on true) as people`,
    [
      account,
      cursor.after,
      limit,
      tags?.map((tag) => tag.toLowerCase()) ?? null,
      pipeline,
      stage,
      createdBy,
      silentSince,
      campaign?.name ?? null,
      campaign?.replied ?? null,
    ],
  );
  const { last = null, people: found = [] } = row ?? {};
  const people = found.map(({ key, contact, seen, tagIds }) => {
    const { document = null } = decryptValue(db, PERSON_SEEN, [account, key], seen) ?? {};
    return { key, contact: { ...contact, document }, tagIds };
  });
  if (last !== null) return { people, next: { base: cursor.base, after: last } };
  const next = cursor.base + 1 < bases.length ? { base: cursor.base + 1, after: '' } : null;
  return { people, next };
}

/** An unread conversation may contain a newer message from the person. */
const SILENT = `(
  exists (select 1 from conversations c where c.account = $1 and c.person_key = b.key)
  and not exists (
    select 1 from conversations c
     where c.account = $1 and c.person_key = b.key
       and (c.inbound_at > $8 or ((c.todo_at is not null or c.reading is not null) and c.updated_at > $8))))`;
