// Erasures of people that are done in the ledger and not everywhere else yet.

export const ERASURE_TABLES = `
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
`;
