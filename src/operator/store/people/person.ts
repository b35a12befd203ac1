// One person as operators name them: by an id that is not personal data, so that it may be in an address and in a log.
import { cardSubject, conversationSubject, personSubject } from '../../../core/ids.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import { subjectHash } from '../../../jobs/events/store/events.ts';
import { queryNamed } from '../named-parameters.ts';

/** Everything by which the ledger's tables name a person. */
export interface Person {
  readonly account: string;
  /** See {@link refOf}. */
  readonly ref: string;
  /** As people.key. Null: a conversation without a number, or an event of which only a hash is left. */
  readonly key: string | null;
  /** Id in people. */
  readonly id: number | null;
  readonly number: string | null;
  readonly name: string | null;
  readonly email: string | null;
  /** Ids of the contact in the service, of conversations, and of cards in the service. */
  readonly contacts: readonly number[];
  readonly conversations: readonly number[];
  readonly cards: readonly number[];
  /** As events.subject. */
  readonly subjects: readonly string[];
}

/**
 * Made with the secret key of the pseudonyms: who sees the id of a person cannot find their number by hashing guesses.
 * The pseudonym of an erased person stays the same, so the id does too.
 */
export const OPT_OUT_ID = `md5(case when o.key like 'erased:%' then o.key else sluice_pseudonym(o.account, o.key) end)`;

/**
 * SQL for the id of the person with this key: a letter for the table, and the row's id. It names the first table that
 * has the person; `coalesce` does not search the others.
 * @param subject the hash of the person's events
 */
export const refOf = (account: string, key: string, subject: string): string => `coalesce(
  (select 'p' || id from people where account = ${account} and key = ${key} limit 1),
  (select 'c' || id from conversations where account = ${account} and person_key = ${key} order by updated_at desc limit 1),
  (select 'm' || m.id from campaigns c, lateral (
     select id from campaign_members where run_id = c.run_id and key = ${key} limit 1) m
    where c.account = ${account} limit 1),
  (select 'r' || r.id from runs u, lateral (
     select id from run_records where run_id = u.id and key = ${key} limit 1) r
    where u.account = ${account} limit 1),
  (select 't' || member_id from campaign_touches where account = ${account} and key = ${key} limit 1),
  (select 'e' || seq from events where account = ${account} and subject = ${subject} order by seq desc limit 1),
  (select 'o' || ${OPT_OUT_ID} from opt_outs o
    where o.account = ${account} and o.key in (${key}, sluice_pseudonym(${account}, ${key})) limit 1))`;

/** What an event's request says about its person. It is deleted when the event ends well. */
export const KEY_OF_REQUEST = `coalesce(e.request #>> '{record,key}', e.request #>> '{to,key}', e.request #>> '{of,key}', e.request ->> 'key')`;

interface Found {
  readonly key: string | null;
  readonly conversation?: number;
  readonly subject?: string;
}

/** See {@link refOf}. */
const REF = /^([pcmrte](?=\d{1,15}$)|o(?=[0-9a-f]{32}$))(.+)$/;

/** It has the form of a person's id. No phone number has. */
export const isPersonId = (text: string): boolean => REF.test(text);

const FINDERS: Readonly<Record<string, string>> = {
  p: 'select key from people where account = $1 and id = $2',
  c: `select nullif(person_key, '') as key, id as conversation from conversations where account = $1 and id = $2`,
  m: 'select m.key from campaign_members m join campaigns c on c.run_id = m.run_id where c.account = $1 and m.id = $2 and m.key is not null',
  r: 'select r.key from run_records r join runs u on u.id = r.run_id where u.account = $1 and r.id = $2',
  t: 'select key from campaign_touches where account = $1 and member_id = $2',
  e: `select ${KEY_OF_REQUEST} as key, e.subject from events e where e.account = $1 and e.seq = $2`,
  o: `select key from opt_outs o where account = $1 and ${OPT_OUT_ID} = $2`,
};

/** What the id of a person names; null when the account has nobody under it. */
async function resolve(db: Queryable, account: string, ref: string): Promise<Found | null> {
  const [, letter = '', id = ''] = REF.exec(ref) ?? [];
  const sql = FINDERS[letter];
  if (sql === undefined) return null;
  const [found] = await db.query<Found>(sql, [account, letter === 'o' ? id : Number(id)]);
  return found ?? null;
}

/** The person's key, null if they have none; undefined when the account has nobody under this id. */
export async function keyOf(db: Queryable, account: string, ref: string): Promise<string | null | undefined> {
  return (await resolve(db, account, ref))?.key;
}

/** Null: the account has nobody under this id. */
export async function findPerson(db: Queryable, account: string, ref: string): Promise<Person | null> {
  const found = await resolve(db, account, ref);
  return found === null ? null : await describePerson(db, account, ref, found);
}

interface Described {
  readonly id: number | null;
  readonly number: string | null;
  readonly name: string | null;
  readonly email: string | null;
  readonly contacts: number[];
  readonly conversations: number[];
  readonly cards: number[];
}

async function describePerson(
  db: Queryable,
  account: string,
  ref: string,
  { key, conversation, subject }: Found,
): Promise<Person> {
  const [row] = await queryNamed<Described>(
    db,
    `with person as materialized (select * from people where account = :account and key = :key limit 1),
     talks as materialized (
       select id, item #> '{state,contact}' as contact from conversations
        where account = :account and (person_key = :key or id = :conversation) order by updated_at desc),
     members as materialized (
       select m.contact_id from campaigns c, lateral (
         select contact_id from campaign_members where run_id = c.run_id and key = :key limit 1) m where c.account = :account)
     select (select id from person) as id,
            coalesce((select remote_number from person), (select contact ->> 'number' from talks limit 1)) as number,
            coalesce((select name from person), (select contact ->> 'name' from talks limit 1)) as name,
            (select email from person) as email,
            (select coalesce(jsonb_agg(distinct i.id), '[]') from (
               select remote_id as id from person union select (contact ->> 'id')::bigint from talks
               union select contact_id from members) i where i.id is not null) as contacts,
            (select coalesce(jsonb_agg(id), '[]') from talks) as conversations,
            (select coalesce(jsonb_agg(remote_id), '[]') from cards
              where account = :account and person_id = (select id from person)) as cards`,
    { account, key, conversation: conversation ?? null },
  );
  const { conversations, cards, ...rest } = row as Described;
  const subjects = [
    ...(key === null ? [] : [personSubject(key)]),
    ...conversations.map(conversationSubject),
    ...cards.map(cardSubject),
  ].map((name) => subjectHash(account, name));
  return {
    ...rest,
    account,
    ref,
    key,
    conversations,
    cards,
    subjects: [...new Set(subject === undefined ? subjects : [...subjects, subject])],
    number: rest.number ?? (key !== null && /^\d+$/.test(key) ? key : null),
  };
}

/** The parameters by which statements about a person name them. */
export function namesOf(person: Person) {
  return {
    account: person.account,
    key: person.key,
    person: person.id,
    contacts: person.contacts,
    conversations: person.conversations,
    cards: person.cards,
    subjects: person.subjects,
    tail: person.key !== null && /^\d{8,}$/.test(person.key) ? person.key.slice(-8) : null,
  };
}
