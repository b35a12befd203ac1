// The keys that the ledger's values were encrypted with.

export const ENCRYPTION_TABLES = `
  create table encryption_keys (
    id text primary key,
    -- A known text, encrypted with the key: it shows a wrong key before that key damages anything.
    proof bytea not null,
    -- When the key began to encrypt.
    since timestamptz not null default clock_timestamp()
  );
`;
