// The ledger's tables. Never edit a migration that has shipped. Add a new entry for each change.
import type { Database } from '../database.ts';
import { BUDGET_TABLES } from './budget.ts';
import { CAMPAIGN_BATCH_TABLES, CAMPAIGN_FAILURE_TABLES, CAMPAIGN_TABLES } from './campaigns.ts';
import { CONVERSATION_TABLES, UNREAD_TABLES } from './conversations.ts';
import { EVENT_TABLES } from './events.ts';
import { LINK_OWNER, OPERATOR_TABLES } from './operator.ts';
import { CALL_TABLES } from './operator-calls.ts';
import { EVENT_LIST_INDEXES, REFUSAL_TABLES } from './operator-events.ts';
import { PEOPLE_SEARCH } from './people.ts';
import { BATCH_TABLES, SYNC_TABLES, TAKEN_BACK_COLUMN } from './sync.ts';

/** Statements end with a semicolon at the end of a line. Use a list for statements that contain such lines. */
type Migration = string | readonly string[];

const MIGRATIONS: readonly Migration[] = [
  `
  create table runs (
    id text primary key,
    account text not null,
    sync text not null,
    seq int not null,
    status text not null default 'planning',
    spec jsonb not null,
    cursor jsonb,
    source_progress real,
    rows_read int not null default 0,
    rows_rejected int not null default 0,
    rows_merged int not null default 0,
    calls int not null default 0,
    error text,
    started_at timestamptz not null default now(),
    finished_at timestamptz,
    unique (account, sync, seq)
  );
  create unique index runs_open on runs (account, sync) where finished_at is null;

  create table run_records (
    id bigint generated always as identity primary key,
    run_id text not null references runs on delete cascade,
    key text not null,
    row_no int not null,
    payload jsonb,
    todo int not null,
    status text not null default 'pending',
    created boolean not null default false,
    touched boolean not null default false,
    card_created boolean not null default false,
    step text,
    code text,
    reason text,
    attempts int not null default 0,
    sent_at timestamptz,
    tag_ids jsonb,
    unique (run_id, key)
  );
  create index run_records_status on run_records (run_id, status, id);

  create table row_problems (
    run_id text not null references runs on delete cascade,
    row_no int not null,
    kind text not null,
    field text not null,
    code text not null,
    reason text not null,
    value text,
    primary key (run_id, row_no, field, code)
  );

  create table run_warnings (
    run_id text not null references runs on delete cascade,
    step text not null,
    subject text not null,
    code text not null,
    reason text not null,
    at timestamptz not null default now(),
    primary key (run_id, step, subject, code)
  );

  create table people (
    id bigint generated always as identity primary key,
    account text not null,
    key text not null,
    remote_id bigint,
    remote_number text,
    looked_up_run text,
    hash_contact text,
    hash_extra text,
    hash_tags text,
    extra_known jsonb,
    tags_added jsonb not null default '[]',
    tags_missing jsonb not null default '[]',
    synced_at timestamptz,
    unique (account, key)
  );

  create index people_tags_missing on people (account) where tags_missing <> '[]';

  create table cards (
    id bigint generated always as identity primary key,
    account text not null,
    person_id bigint not null references people,
    pipeline text not null,
    remote_id bigint not null,
    remote_stage_id bigint,
    stage text,
    adopted boolean not null,
    at timestamptz not null default now(),
    unique (account, person_id, pipeline)
  );

  create table intents (
    id bigint generated always as identity primary key,
    account text not null,
    kind text not null,
    subject text not null,
    run_id text not null,
    state text not null default 'open',
    detail text,
    sends int not null default 0,
    sent_at timestamptz,
    created_at timestamptz not null default now(),
    unique (account, kind, subject)
  );

  create table catalog (
    account text not null,
    kind text not null,
    items jsonb not null,
    fetched_at timestamptz not null default now(),
    primary key (account, kind)
  );

  create table slots (
    token text primary key,
    call_limit int not null,
    next_at timestamptz not null default '-infinity',
    blocked_until timestamptz not null default '-infinity'
  );
  `,
  `
  create table snapshot_contacts (
    run_id text not null references runs on delete cascade,
    contact_id bigint not null,
    primary key (run_id, contact_id)
  );
  `,
  BUDGET_TABLES,
  `
  -- Calls that the service certainly refused. They are not lost answers.
  alter table intents add column refused int not null default 0;
`,
  SYNC_TABLES,
  EVENT_TABLES,
  CONVERSATION_TABLES,
  CAMPAIGN_TABLES,
  UNREAD_TABLES,
  `
  -- Source column or path of a refused value.
  alter table row_problems add column source_column text;
`,
  `
  -- The row that a row contradicts, and its value, which is personal data.
  alter table row_problems add column other_row int, add column other_value text;

  -- Rows whose person another row already represents. into_row is null when that is a record of the previous run.
  create table merged_rows (
    run_id text not null references runs on delete cascade,
    row_no int not null,
    key text not null,
    into_row int,
    primary key (run_id, row_no)
  );
  create index merged_rows_key on merged_rows (run_id, key);

  -- While a run is planned: claims about a number's owner, when the first row does not contain all of them.
  create table plan_claims (
    run_id text not null references runs on delete cascade,
    key text not null,
    claims jsonb not null,
    against jsonb,
    primary key (run_id, key)
  );
`,
  CAMPAIGN_BATCH_TABLES,
  BATCH_TABLES,
  CAMPAIGN_FAILURE_TABLES,
  TAKEN_BACK_COLUMN,
  OPERATOR_TABLES,
  PEOPLE_SEARCH,
  CALL_TABLES,
  REFUSAL_TABLES,
  EVENT_LIST_INDEXES,
  LINK_OWNER,
];

/** Brings the ledger's tables up to date. Several processes may run it at once. */
export async function migrate(db: Database): Promise<void> {
  await db.transaction(async (tx) => {
    // Serializes workers that start together.
    await tx.query('select pg_advisory_xact_lock(724311)');
    await tx.query(
      'create table if not exists sluice_migrations (version int primary key, at timestamptz default now())',
    );
    const [row] = await tx.query<{ version: number | null }>(
      'select max(version) as version from sluice_migrations',
    );
    const done = row?.version ?? 0;
    if (done > MIGRATIONS.length) {
      throw new Error(
        `the ledger is at version ${done}, this Sluice supports only up to ${MIGRATIONS.length}: use the newer Sluice that wrote it`,
      );
    }
    for (let version = done + 1; version <= MIGRATIONS.length; version++) {
      for (const statement of statementsOf(MIGRATIONS[version - 1] as Migration)) {
        if (statement.trim() !== '') await tx.query(statement);
      }
      await tx.query('insert into sluice_migrations (version) values ($1)', [version]);
    }
  });
}

function statementsOf(migration: Migration): readonly string[] {
  return typeof migration === 'string' ? migration.split(/;\s*$/m) : migration;
}
