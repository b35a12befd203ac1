// Runs of syncs, routes, pollers and campaigns, and what syncs remember between their runs.

export const RUN_TABLES = `
  create table runs (
    id text primary key,
    account text not null,
    sync text not null,
    -- Number of the run among those of its sync, from 1.
    seq int not null,
    kind text not null default 'sync',
    status text not null default 'planning',
    spec jsonb not null,
    -- Where planning continues in the source, and how much of it is read, from 0 to 1.
    cursor jsonb,
    source_progress real,
    -- The file that it reads, so that its rejected rows can be read again. Null: another kind of source.
    source_file jsonb,
    -- Where the next run of an incremental source begins.
    watermark jsonb,
    rows_read int not null default 0,
    rows_rejected int not null default 0,
    rows_merged int not null default 0,
    rows_same int not null default 0,
    rows_carried int not null default 0,
    rows_unreadable int not null default 0,
    -- Pages of the source that have been planned.
    pages int not null default 0,
    -- Decisions of the run with their figures.
    facts jsonb not null default '[]',
    -- Counts by outcome. Null: run_records still has all records of the run.
    counts jsonb,
    calls int not null default 0,
    -- By batch: the first of its attempts that may still take records. Batches that were taken back may still run on a
    -- stalled worker.
    taken_back jsonb not null default '{}',
    error text,
    started_at timestamptz not null default now(),
    finished_at timestamptz,
    -- Retention has deleted its records, problems and warnings.
    rows_deleted boolean not null default false,
    unique (account, sync, seq)
  );
  create unique index runs_open on runs (account, sync) where finished_at is null;
  create index runs_finished on runs (finished_at) where finished_at is not null;
  create index runs_with_rows on runs (finished_at) where counts is not null and not rows_deleted;

  -- A pending record is due at due_at. A new record is always due. A record that waits for a retry or a read-back is
  -- due later, a record that a batch holds when its lease ends, and a record whose steps are all stopped never. Retries
  -- come before new records.
  create table run_records (
    id bigint generated always as identity primary key,
    run_id text not null references runs on delete cascade,
    -- As people.key.
    key text not null,
    -- Number of the row in the source; 0 for a person who left it.
    row_no int not null,
    -- The run of a route may have several events about one person under way. A source gives each person one record.
    event_id text,
    payload jsonb,
    -- The steps that are left, as bits.
    todo int not null,
    status text not null default 'pending',
    created boolean not null default false,
    touched boolean not null default false,
    card_created boolean not null default false,
    -- Taken over from the previous run.
    carried boolean not null default false,
    -- Where and why it failed or became unknown.
    step text,
    code text,
    reason text,
    -- Transient failures in a row.
    attempts int not null default 0,
    tries int not null default 0,
    due_at timestamptz not null default '-infinity',
    -- The batch that holds the record. Null when none does.
    holder text,
    sent_at timestamptz,
    tag_ids jsonb,
    ended_at timestamptz
  );
  create unique index run_records_key on run_records (run_id, key, (coalesce(event_id, '')));
  create index run_records_due on run_records (run_id, due_at desc, id) where status = 'pending';
  create index run_records_ended on run_records (run_id, status, id) where status <> 'pending';
  create index run_records_wrong on run_records (status, ended_at) where status in ('failed', 'unknown');

  -- Where the next run of an incremental source starts.
  create table watermarks (
    account text not null,
    sync text not null,
    value jsonb not null,
    run_id text not null,
    at timestamptz not null default now(),
    primary key (account, sync)
  );

  -- The people that a mirrored sync has brought, and the run that brought them first.
  create table sync_members (
    account text not null,
    sync text not null,
    key text not null,
    seq int not null,
    primary key (account, sync, key)
  );
`;
