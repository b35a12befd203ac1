// Names and e-mail addresses of people, and the indexes by which operators find a person and everything about them.

/**
 * The words of a name: in lower case, without accents. Index and search both use it.
 * Measured with PGlite: 15 µs per name with its index.
 */
const WORDS = `
  create function sluice_words(value text) returns text[] immutable parallel safe language sql as $$
    select array_remove(regexp_split_to_array(lower(regexp_replace(
             normalize(left(value, 200), NFKD), '[' || chr(768) || '-' || chr(879) || ']', '', 'g')),
             '[\\s!-/:-@\\[-\`{-~]+'), '')
  $$`;

/**
 * Takes the place of a key that was erased where a fact must outlive the person: opt-outs. Sluice recognizes the
 * person again by it, but cannot read the number from it.
 */
const PSEUDONYM = `
  create function sluice_pseudonym(account text, key text) returns text immutable parallel safe language sql as $$
    select 'erased:' || encode(sha256(convert_to(account || '/' || key, 'UTF8')), 'hex')
  $$`;

/** The last eight digits of a refused number, however it was written. Null: it has fewer. */
const TAIL = `
  create function sluice_tail(value text) returns text immutable parallel safe language sql as $$
    select substring(regexp_replace(value, '[^0-9]', '', 'g') from '.{8}$')
  $$`;

const COLUMNS = `
  alter table people
    -- As Sluice last sent or saw them. Null: unknown.
    add column name text,
    add column email text`;

/** What the ledger knows already. Names of the others become known with their next change or look-up. */
const BACKFILL = `
  update people p set name = coalesce(p.seen ->> 'name', n.name), email = p.seen ->> 'email'
    from people o left join lateral (
      select item #>> '{state,contact,name}' as name from conversations
       where account = o.account and person_key = o.key order by updated_at desc limit 1) n on true
   where o.id = p.id and (o.seen is not null or n.name is not null)`;

export const PEOPLE_SEARCH: readonly string[] = [
  WORDS,
  PSEUDONYM,
  TAIL,
  COLUMNS,
  BACKFILL,
  // Without fast updates: a search would have to read every recent name, and PGlite never vacuums.
  `create index people_words on people using gin (array_to_tsvector(sluice_words(name)))
     with (fastupdate = off) where name is not null`,
  'create index people_email on people (lower(email) text_pattern_ops) where email is not null',
  'create index people_remote on people (account, remote_id) where remote_id is not null',
  'create index cards_remote on cards (account, remote_id)',
  `create index conversations_words on conversations using gin (array_to_tsvector(sluice_words(item #>> '{state,contact,name}')))
     with (fastupdate = off)`,
  `create index conversations_contact on conversations (account, ((item #>> '{state,contact,id}')::bigint))`,
  'create index events_subject on events (account, subject, seq)',
  'create index deliveries_of on deliveries (account, conversation_id)',
  `create index row_problems_tail on row_problems (sluice_tail(value)) where field = 'contact.number'`,
];
