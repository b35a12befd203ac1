// Migration 4: what syncs at scale remember of people, runs and sources.

export const SYNC_TABLES = `
  alter table people
    drop column looked_up_run,
    add column sent jsonb not null default '{}',
    add column seen jsonb,
    add column seen_at timestamptz;

  alter table run_records
    add column tries int not null default 0,
    add column ended_at timestamptz;

  alter table runs
    add column kind text not null default 'sync',
    add column watermark jsonb,
    add column facts jsonb not null default '[]';

  create table sync_members (
    account text not null,
    sync text not null,
    key text not null,
    seq int not null,
    primary key (account, sync, key)
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
