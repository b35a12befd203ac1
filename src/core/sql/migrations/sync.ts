// Migrations of syncs: people, runs, sources, and the batches that hold records.

/** Migration 4: what large syncs remember of people, runs and sources. */
export const SYNC_TABLES = `
  alter table people
    drop column looked_up_run,
    add column sent jsonb not null default '{}',
    add column seen jsonb,
    add column created_by text;

  alter table run_records
    add column tries int not null default 0,
    add column ended_at timestamptz,
    add column carried boolean not null default false;

  alter table runs
    add column kind text not null default 'sync',
    add column watermark jsonb,
    add column facts jsonb not null default '[]',
    add column rows_same int not null default 0,
    add column rows_carried int not null default 0,
    add column rows_unreadable int not null default 0,
    add column pages int not null default 0,
    add column counts jsonb;

  create table plan_pages (
    run_id text not null references runs on delete cascade,
    page int not null,
    keys bytea not null,
    places bytea not null,
    ends int[] not null,
    packed bytea not null,
    primary key (run_id, page)
  );
  alter table plan_pages alter column packed set storage external;

  create table sync_members (
    account text not null,
    sync text not null,
    key text not null,
    seq int not null,
    primary key (account, sync, key)
  );

  create table snapshot_cards (
    run_id text not null references runs on delete cascade,
    card_id bigint not null,
    contact_id bigint not null,
    stage_id bigint,
    is_open boolean not null,
    primary key (run_id, card_id)
  );

  create table watermarks (
    account text not null,
    sync text not null,
    value jsonb not null,
    run_id text not null,
    at timestamptz not null default now(),
    primary key (account, sync)
  );
`;

/**
 * A pending record is due at `due_at`. A new record is always due. A record that waits for a retry or a read-back is
 * due later, a record that a batch holds when its lease ends, and a record whose steps are all stopped never. Retries
 * come before new records.
 */
export const BATCH_TABLES = `
  alter table run_records
    add column due_at timestamptz not null default '-infinity',
    add column holder text;
  drop index run_records_status;
  create index run_records_due on run_records (run_id, due_at desc, id) where status = 'pending';
  create index run_records_ended on run_records (run_id, status, id) where status <> 'pending';
`;

/** Tags that people remove stay removed until the source changes them. */
export const SENT_TAGS_COLUMN = `
  -- Names of the tags that the contact had for Sluice after the last write; null: not known yet.
  alter table people add column tags_sent jsonb;
`;

/** Rejected rows are read again from the file, if it still is the one of the run. */
export const SOURCE_FILE_COLUMN = `
  alter table runs add column source_file jsonb;
`;

/** Batches that were taken back may still run on a stalled worker. */
export const TAKEN_BACK_COLUMN = `
  -- By batch: the first of its attempts that may still take records.
  alter table runs add column taken_back jsonb not null default '{}';
`;
