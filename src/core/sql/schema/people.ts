// People of an account with their cards, and the indexes by which operators find them.

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

/** The digits of a number, however it was written. */
const DIGITS = `
  create function sluice_digits(value text) returns text immutable parallel safe language sql as $$
    select nullif(regexp_replace(value, '[^0-9]', '', 'g'), '')
  $$`;

/** The last eight digits of a refused number, however it was written. Null: it has fewer. */
const TAIL = `
  create function sluice_tail(value text) returns text immutable parallel safe language sql as $$
    select substring(regexp_replace(value, '[^0-9]', '', 'g') from '.{8}$')
  $$`;

/** Functions of the searches for a person. Indexes of several tables use them. */
export const SEARCH_FUNCTIONS: readonly string[] = [WORDS, DIGITS, TAIL];

export const PEOPLE_TABLES = `
  -- What Sluice has sent about a person, and what the service showed of the contact.
  create table people (
    id bigint generated always as identity primary key,
    account text not null,
    -- The number with the Brazilian ninth digit.
    key text not null,
    remote_id bigint,
    -- The number in the service.
    remote_number text,
    -- As Sluice last sent or saw them. Null: unknown.
    name text,
    email text,
    hash_contact text,
    hash_extra text,
    hash_tags text,
    -- One mark per sent field.
    sent jsonb not null default '{}',
    -- The contact as the service last showed it. Null: it never did.
    seen jsonb,
    -- All extra info of the contact, as last written or read. Null: never read.
    extra_known jsonb,
    -- Names of the tags that Sluice itself set, and of those that the account does not have.
    tags_added jsonb not null default '[]',
    tags_missing jsonb not null default '[]',
    -- Names of the tags that the contact had for Sluice after the last write; null: not known yet.
    tags_sent jsonb,
    -- The sync that created the contact. Null: it existed before.
    created_by text,
    synced_at timestamptz,
    unique (account, key)
  );
  create index people_tags_missing on people (account) where tags_missing <> '[]';
  -- Without fast updates: a search would have to read every recent name, and PGlite never vacuums.
  create index people_words on people using gin (array_to_tsvector(sluice_words(name)))
    with (fastupdate = off) where name is not null;
  create index people_email on people (lower(email) text_pattern_ops) where email is not null;
  create index people_remote on people (account, remote_id) where remote_id is not null;

  -- A person has one card in each pipeline.
  create table cards (
    id bigint generated always as identity primary key,
    account text not null,
    person_id bigint not null references people,
    pipeline text not null,
    remote_id bigint not null,
    remote_stage_id bigint,
    -- As the mapping named it when it was last sent.
    stage text,
    -- It existed before Sluice.
    adopted boolean not null,
    at timestamptz not null default now(),
    unique (account, person_id, pipeline)
  );
  create index cards_remote on cards (account, remote_id);
`;
