// Restores of the ledger from a backup.

export const RESTORE_TABLES = `
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
`;
