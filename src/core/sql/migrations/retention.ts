// Retention: when each kind of data was last cut, and what retention needs to find old rows by an index.

export const RETENTION_TABLES = `
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

  -- Only runs of syncs are deleted, and no event refers to one. Without an index on events.run_id, the reference would
  -- read all events for each deleted run.
  alter table events drop constraint events_run_id_fkey;

  alter table runs
    -- Retention has deleted its records, problems and warnings.
    add column rows_deleted boolean not null default false;
  create index runs_with_rows on runs (finished_at) where counts is not null and not rows_deleted;

  create index event_ranks_at on event_ranks (at);
  create index campaign_audit_at on campaign_audit (at);
  create index outbox_dead_at on outbox (coalesce(tried_at, created_at)) where state = 'dead';
`;
