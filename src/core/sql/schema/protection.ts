// Protection of data: retention, erasures, restores, and the keys of encryption.

export const PROTECTION_TABLES = `
  -- When each kind of data was last deleted.
  create table retention (
    kind text primary key,
    -- The process that deletes this kind now, and until when nobody else does.
    claimed_by text,
    claimed_until timestamptz not null default '-infinity',
    started_at timestamptz,
    -- End of the last complete pass.
    ended_at timestamptz,
    -- Rows of the current or last pass, and of all passes.
    deleted bigint not null default 0,
    deleted_ever bigint not null default 0,
    -- SQLSTATE of the last pass; null: it succeeded.
    error text,
    -- Where the next pass continues, for kinds that are not found by their age alone.
    position text
  );

  -- Erasures of people that are done in the ledger and not everywhere else yet.
  create table erasures (
    id bigint generated always as identity primary key,
    account text not null,
    at timestamptz not null default clock_timestamp(),
    -- Keyed hash of the person's key: it finds calls that reach the log late. Null for a person without a key.
    pseudonym text,
    -- Tables that had the person.
    tables text[] not null,
    conversations bigint[] not null,
    workflows text[] not null
  );

  -- Restores of the ledger from a backup.
  create table restores (
    id bigint generated always as identity primary key,
    -- The moment of the backup. Nothing after it is in the ledger.
    restored_to timestamptz not null,
    at timestamptz not null default now(),
    -- What was marked, by kind.
    counts jsonb not null default '{}',
    -- An operator has checked what happened since the backup. Until then, Sluice reads back before each call that must
    -- not happen twice, and plans no campaign.
    ended_at timestamptz,
    ended_by text
  );

  -- The keys that the ledger's values were encrypted with.
  create table encryption_keys (
    id text primary key,
    -- A known text, encrypted with the key: it shows a wrong key before that key damages anything.
    proof bytea not null,
    -- When the key began to encrypt.
    since timestamptz not null default clock_timestamp()
  );
`;
