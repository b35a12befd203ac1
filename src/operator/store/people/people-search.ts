// Finds people by what an operator knows of them: a number, an e-mail address, a name, or an id of anything that is
// about them.
import { personSubject } from '../../../core/ids.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import { subjectHash } from '../../../jobs/events/store/events.ts';
import { queryNamed } from '../named-parameters.ts';
import { KEY_OF_REQUEST, keyOf, refOf } from './person.ts';

/** What a person was found by. */
const FOUND_BY = [
  'person',
  'phone',
  'email',
  'name',
  'contact',
  'card',
  'conversation',
  'member',
  'record',
  'event',
  'request',
] as const;
export type FoundBy = (typeof FOUND_BY)[number];

/** What an operator typed, as it can be read. */
export interface PeopleQuery {
  readonly accounts: readonly string[];
  /** Keys of the numbers that it may be, as people.key. */
  readonly keys: readonly string[];
  /** Only whole numbers, e-mail addresses and names find somebody. */
  readonly whole: boolean;
  /** E-mail address, or its beginning. */
  readonly email: string | null;
  /** Words or their beginnings; if `whole`, all words of the name. */
  readonly name: string | null;
  /** Id of a contact, card, conversation, member or record; null for other texts. */
  readonly id: number | null;
  /** Only this kind of id. */
  readonly idKind: FoundBy | null;
  /** Id of a person, as a search answers it. */
  readonly ref: string | null;
  /** Id of an event. */
  readonly event: string | null;
  /** The service's id of a call. */
  readonly request: string | null;
  /** A row of a run of a sync, or a member of a run of a campaign. */
  readonly row: { readonly run: string; readonly row: number } | null;
}

/** Somebody who was found. */
export interface PersonHit {
  readonly account: string;
  /** See `Person.ref`. */
  readonly ref: string;
  readonly key: string | null;
  readonly number: string | null;
  readonly name: string | null;
  readonly email: string | null;
  readonly contact: number | null;
  readonly by: readonly FoundBy[];
}

/** A person, or something about one, before the rest is known. `ref` is set when there is no key. */
interface Trace {
  readonly account: string;
  readonly key: string | null;
  readonly ref: string | null;
  readonly by: FoundBy;
}

/** People in the order of what they were found by. At most `limit`; one more shows that there are others. */
export async function searchPeople(db: Queryable, query: PeopleQuery, limit: number): Promise<PersonHit[]> {
  const traces: Trace[] = query.accounts.flatMap((account) =>
    query.keys.map((key) => ({ account, key, ref: null, by: 'phone' as const })),
  );
  if (query.ref !== null) traces.push(...(await byRef(db, query.accounts, query.ref)));
  if (query.email !== null) traces.push(...(await byEmail(db, query, limit)));
  if (query.id !== null) traces.push(...(await byId(db, query, limit)));
  if (query.event !== null) traces.push(...(await byEvent(db, query)));
  if (query.request !== null) traces.push(...(await byRequest(db, query)));
  if (query.row !== null) traces.push(...(await byRow(db, query.row)));
  if (query.name !== null) traces.push(...(await byName(db, query, limit)));
  const merged = mergeTraces(traces.filter(({ account }) => query.accounts.includes(account)));
  return (await describe(db, merged)).slice(0, limit);
}

async function byRef(db: Queryable, accounts: readonly string[], ref: string): Promise<Trace[]> {
  const traces: Trace[] = [];
  for (const account of accounts) {
    const key = await keyOf(db, account, ref);
    if (key !== undefined) traces.push({ account, key, ref: key === null ? ref : null, by: 'person' });
  }
  return traces;
}

/** Checked row by row: without statistics, PGlite would read the account's part of another index completely. */
const OF_ACCOUNTS = (accounts: string): string => `account || '' = any(${accounts})`;

async function byEmail(
  db: Queryable,
  { accounts, email, whole }: PeopleQuery,
  limit: number,
): Promise<Trace[]> {
  const from = (email as string).toLowerCase();
  const rows = await db.query<{ account: string; key: string }>(
    // A range, because a prepared `like` reads the whole table. The last character of Unicode ends it.
    `select account, key from people
      where email is not null and lower(email) ~>=~ $1 and lower(email) ~<=~ $2 and ${OF_ACCOUNTS('$3')}
      order by lower(email) using ~<~ limit $4`,
    [from, whole ? from : `${from}\u{10ffff}`, accounts, limit],
  );
  return rows.map(({ account, key }) => ({ account, key, ref: null, by: 'email' }));
}

/**
 * The words of a name as a query of texts; null when it has none. A statement of its own, so that the planner of the
 * next one knows how rare the words are.
 */
export async function wordsOf(db: Queryable, name: string, whole: boolean): Promise<string | null> {
  const [words] = await db.query<{ query: string | null }>(
    `select string_agg('''' || word || '''${whole ? '' : ':*'}', ' & ') as query from unnest(sluice_words($1)) as w(word)`,
    [name],
  );
  return words?.query ?? null;
}

/** People of both tables: a conversation may be with somebody that no sync has brought. */
async function byName(
  db: Queryable,
  { accounts, name, whole }: PeopleQuery,
  limit: number,
): Promise<Trace[]> {
  const words = await wordsOf(db, name as string, whole);
  if (words === null) return [];
  const fits = (column: string) => `(not $4::boolean or sluice_words(${column}) <@ sluice_words($5))`;
  const rows = await db.query<{ account: string; key: string; ref: string | null }>(
    // The limit is inside, and nothing sorts: a common name has tens of thousands of people.
    `select account, key, null as ref from (
       select account, key from people
        where name is not null and array_to_tsvector(sluice_words(name)) @@ $1::tsquery and ${fits('name')} and ${OF_ACCOUNTS('$2')} limit $3) p
     union all
     select account, person_key, case when person_key = '' then 'c' || id end from (
       select account, person_key, id from conversations
        where array_to_tsvector(sluice_words(item #>> '{state,contact,name}')) @@ $1::tsquery
          and ${fits("item #>> '{state,contact,name}'")} and ${OF_ACCOUNTS('$2')} limit $3) c`,
    [words, accounts, limit, whole, name],
  );
  return rows.map(({ account, key, ref }) => ({ account, key: key === '' ? null : key, ref, by: 'name' }));
}

const ID_PARTS: readonly (readonly [FoundBy, string])[] = [
  [
    'contact',
    'select account, key, null::text as ref from people where account = any(:accounts) and remote_id = :id',
  ],
  [
    'contact',
    `select account, nullif(person_key, '') as key, case when person_key = '' then 'c' || id end as ref from conversations
      where account = any(:accounts) and (item #>> '{state,contact,id}')::bigint = :id`,
  ],
  [
    'contact',
    `select c.account, m.key, null::text as ref from campaigns c join campaign_members m on m.run_id = c.run_id
      where c.account = any(:accounts) and m.contact_id = :id and m.key is not null`,
  ],
  [
    'card',
    `select p.account, p.key, null::text as ref from cards c join people p on p.id = c.person_id
      where c.account = any(:accounts) and c.remote_id = :id`,
  ],
  [
    'conversation',
    `select account, nullif(person_key, '') as key, case when person_key = '' then 'c' || id end as ref from conversations
      where account = any(:accounts) and id = :id`,
  ],
  [
    'member',
    `select c.account, m.key, null::text as ref from campaign_members m join campaigns c on c.run_id = m.run_id
      where m.id = :id and m.key is not null`,
  ],
  [
    'record',
    'select u.account, r.key, null::text as ref from run_records r join runs u on u.id = r.run_id where r.id = :id',
  ],
];

async function byId(db: Queryable, { accounts, id, idKind }: PeopleQuery, limit: number): Promise<Trace[]> {
  const parts = ID_PARTS.filter(([by]) => idKind === null || by === idKind);
  const union = parts.map(([by, sql]) => `(select '${by}' as by, * from (${sql}) f limit :limit)`);
  return await queryNamed<Trace>(db, union.join(' union all '), { accounts, id, limit });
}

async function byEvent(db: Queryable, { accounts, event }: PeopleQuery): Promise<Trace[]> {
  const rows = await db.query<{ account: string; key: string | null; ref: string }>(
    `select e.account, 'e' || e.seq as ref,
            coalesce(${KEY_OF_REQUEST},
              (select nullif(c.person_key, '') from deliveries d join conversations c on c.account = d.account and c.id = d.conversation_id
                where d.event_id = e.id limit 1)) as key
       from events e where e.id = $1 and e.account = any($2)`,
    [event, accounts],
  );
  return rows.map(({ account, key, ref }) => ({ account, key, ref: key === null ? ref : null, by: 'event' }));
}

async function byRequest(db: Queryable, { accounts, request }: PeopleQuery): Promise<Trace[]> {
  const rows = await db.query<{ account: string; key: string }>(
    'select account, person_key as key from calls where request_id = $1 and person_key is not null and account = any($2)',
    [request, accounts],
  );
  return rows.map(({ account, key }) => ({ account, key, ref: null, by: 'request' }));
}

async function byRow(db: Queryable, { run, row }: { run: string; row: number }): Promise<Trace[]> {
  return await db.query<Trace>(
    `select u.account, r.key, null as ref, 'record' as by from runs u join run_records r on r.run_id = u.id
      where u.id = $1 and r.row_no = $2
     union all
     select u.account, m.key, null, 'record' from runs u join merged_rows m on m.run_id = u.id
      where u.id = $1 and m.row_no = $2
     union all
     select c.account, m.key, null, 'member' from campaigns c join campaign_members m on m.run_id = c.run_id
      where c.run_id = $1 and m.id = $2 and m.key is not null`,
    [run, row],
  );
}

type Merged = Omit<Trace, 'by'> & { readonly by: FoundBy[] };

function mergeTraces(traces: readonly Trace[]): Merged[] {
  const people = new Map<string, Merged>();
  for (const { account, key, ref, by } of traces) {
    const name = JSON.stringify([account, key ?? ref]);
    const known = people.get(name);
    if (known === undefined) people.set(name, { account, key, ref, by: [by] });
    else if (!known.by.includes(by)) known.by.push(by);
  }
  return [...people.values()];
}

/** Leaves out people that no table has: a number that was typed need not be anybody's. */
async function describe(db: Queryable, traces: readonly Merged[]): Promise<PersonHit[]> {
  if (traces.length === 0) return [];
  const rows = await db.query<Omit<PersonHit, 'by'> & { n: number }>(
    `with found as materialized (
       select t.n::int, t.account, t.key, coalesce(t.ref, ${refOf('t.account', 't.key', 't.subject')}) as ref,
              coalesce(p.remote_number, c.contact ->> 'number', t.key) as number,
              coalesce(p.name, c.contact ->> 'name') as name, p.email,
              coalesce(p.remote_id, (c.contact ->> 'id')::bigint) as contact
         from unnest($1::text[], $2::text[], $3::text[], $4::text[]) with ordinality as t(account, key, ref, subject, n)
         left join lateral (select * from people where account = t.account and key = t.key limit 1) p on true
         left join lateral (
           select contact from (
             select item #> '{state,contact}' as contact, updated_at from conversations
              where account = t.account and person_key = t.key
             union all
             select item #> '{state,contact}', updated_at from conversations
              where account = t.account and id = case when t.ref like 'c%' then substring(t.ref from 2)::bigint end) talks
            order by updated_at desc limit 1) c on true)
     select * from found where ref is not null order by n`,
    [
      traces.map(({ account }) => account),
      traces.map(({ key }) => key),
      traces.map(({ ref }) => ref),
      traces.map(({ account, key }) => (key === null ? null : subjectHash(account, personSubject(key)))),
    ],
  );
  return rows.map(({ n, ...hit }) => ({ ...hit, by: (traces[n - 1] as Merged).by }));
}
