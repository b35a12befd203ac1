// Migration 4: what large syncs remember of people, runs and sources.

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
