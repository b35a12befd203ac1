// The ledger's tables. Never edit a migration that has shipped. Add a new entry for each change. Each works beside the
// programs of the release before: add first, and remove in a later release (docs/decisions/0047-two-versions-one-ledger.md).
import { type Database, LedgerError, type Queryable } from '../database.ts';
import { ATTENTION_TABLES } from './attention.ts';
import {
  BUDGET_TABLES,
  FOLLOWING_CALLS,
  INFINITE_TIMES,
  REFUSED_FOR_A_MINUTE,
  SLOT_PLANS,
} from './budget.ts';
import { CAMPAIGN_BATCH_TABLES, CAMPAIGN_FAILURE_TABLES, CAMPAIGN_TABLES } from './campaigns.ts';
import { CONVERSATION_TABLES, ERASED_CONVERSATIONS, UNREAD_TABLES } from './conversations.ts';
import { ENCRYPTION_TABLES } from './encryption.ts';
import { ERASURE_TABLES } from './erasures.ts';
import { EVENT_REPLACEMENTS, EVENT_TABLES, EVENT_TRACES } from './events.ts';
import { MISSING_TAGS } from './missing-tags.ts';
import { NOTICE_TABLES } from './notices.ts';
import { CSRF_TOKENS, LINK_OWNER, OPERATOR_TABLES, SECOND_FACTORS, SESSION_IDS } from './operator.ts';
import { CALL_TABLES } from './operator-calls.ts';
import { EVENT_LIST_INDEXES, REFUSAL_TABLES } from './operator-events.ts';
import { OPT_OUT_REGISTRY } from './opt-outs.ts';
import { PEOPLE_SEARCH } from './people.ts';
import { KEYED_PSEUDONYMS } from './pseudonyms.ts';
import { REFUSED_REQUEST_TABLES } from './refused-requests.ts';
import { RESTORE_TABLES } from './restores.ts';
import { RETENTION_TABLES } from './retention.ts';
import { ROW_IDENTITIES } from './row-identities.ts';
import {
  BATCH_TABLES,
  SENT_TAGS_COLUMN,
  SOURCE_FILE_COLUMN,
  SYNC_TABLES,
  TAKEN_BACK_COLUMN,
} from './sync.ts';

/** Statements end with a semicolon at the end of a line. Use a list for statements that contain such lines. */
type Migration = string | readonly string[];

/** Programs of different versions run at the same time, so the tables say who may use them. */
const LEAST_PROGRAM =
  'alter table sluice_migrations add column if not exists least_program int not null default 0';

export const MIGRATIONS: readonly Migration[] = [
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
  RETENTION_TABLES,
  KEYED_PSEUDONYMS,
  SLOT_PLANS,
  ENCRYPTION_TABLES,
  EVENT_TRACES,
  LEAST_PROGRAM,
  RESTORE_TABLES,
  ERASED_CONVERSATIONS,
  ERASURE_TABLES,
  SENT_TAGS_COLUMN,
  INFINITE_TIMES,
  ATTENTION_TABLES,
  CSRF_TOKENS,
  SESSION_IDS,
  REFUSED_REQUEST_TABLES,
  SECOND_FACTORS,
  SOURCE_FILE_COLUMN,
  FOLLOWING_CALLS,
  EVENT_REPLACEMENTS,
  ROW_IDENTITIES,
  OPT_OUT_REGISTRY,
  NOTICE_TABLES,
  REFUSED_FOR_A_MINUTE,
  MISSING_TAGS,
];

/**
 * The newest migration that a program must know to work with the tables. A program that is older than the ledger, but knows
 * this one, works on. A migration that takes away what the release before uses takes its place here.
 */
const REQUIRED: Migration = LEAST_PROGRAM;

/** The version of the tables that a program must have been made for, to work with the tables of this one. */
export const LEAST_VERSION = MIGRATIONS.indexOf(REQUIRED) + 1;

/** Thrown when a newer Sluice has changed the tables in a way that this one cannot work with. */
export class LedgerTooNewError extends Error {
  override readonly name = 'LedgerTooNewError';
  /** Version of the tables. */
  readonly done: number;
  /** The least version that a program must know. */
  readonly least: number;
  constructor(done: number, least: number) {
    super(
      `the ledger is at version ${done} and needs a Sluice that knows version ${least}; this one knows ${MIGRATIONS.length}: use the newer Sluice that changed it`,
    );
    this.done = done;
    this.least = least;
  }
}

/** Thrown when the tables are older than this Sluice, and the database's user may not change them. */
export class LedgerRoleError extends Error {
  override readonly name = 'LedgerRoleError';
  /** Version of the tables; 0 when there are none. */
  readonly done: number;
  constructor(done: number, cause: unknown) {
    super(
      `the ledger is at version ${done} and this Sluice needs version ${MIGRATIONS.length}, but the user of DATABASE_URL may not change tables: run \`sluice ledger migrate\` with the DATABASE_URL of their owner`,
      { cause },
    );
    this.done = done;
  }
}

/** SQLSTATE of a missing privilege. */
const NOT_ALLOWED = '42501';

/**
 * Brings the ledger's tables up to date. Several processes may run it at once. If they are up to date, or newer and still
 * usable, it only reads, so a user without the right to change tables may run it too.
 * @throws LedgerRoleError, LedgerTooNewError
 */
export async function migrate(db: Database): Promise<void> {
  const before = await versionOf(db);
  if (before >= MIGRATIONS.length) {
    await checkUsable(db, before);
    return;
  }
  try {
    await db.transaction(change);
  } catch (error) {
    if (!(error instanceof LedgerError) || error.code !== NOT_ALLOWED) throw error;
    // The owner may have migrated meanwhile.
    const done = await versionOf(db);
    if (done < MIGRATIONS.length) throw new LedgerRoleError(done, error);
    await checkUsable(db, done);
  }
}

/** An older program must not write to tables that it does not understand. */
async function checkUsable(db: Queryable, done: number): Promise<void> {
  if (done === MIGRATIONS.length) return;
  const [row] = await db.query<{ least: number }>(
    'select max(least_program) as least from sluice_migrations',
  );
  const least = row?.least ?? done;
  if (least > MIGRATIONS.length) throw new LedgerTooNewError(done, least);
}

/** Version of the ledger's tables; 0: there are no tables yet. */
export async function versionOf(db: Queryable): Promise<number> {
  // Not to_regclass: it remembers that there was no table, even after waiting for the transaction that made it.
  const found = await db.query(
    "select 1 from pg_class where relname = 'sluice_migrations' and pg_table_is_visible(oid)",
  );
  if (found.length === 0) return 0;
  const [row] = await db.query<{ version: number | null }>(
    'select max(version) as version from sluice_migrations',
  );
  return row?.version ?? 0;
}

async function change(tx: Queryable): Promise<void> {
  // Serializes workers that start together.
  await tx.query('select pg_advisory_xact_lock(724311)');
  const done = await versionOf(tx);
  if (done > MIGRATIONS.length) {
    await checkUsable(tx, done);
    return;
  }
  if (done === 0)
    await tx.query(
      'create table if not exists sluice_migrations (version int primary key, at timestamptz default now(), least_program int not null default 0)',
    );
  for (let version = done + 1; version <= MIGRATIONS.length; version++) {
    for (const statement of statementsOf(MIGRATIONS[version - 1] as Migration)) {
      if (statement.trim() !== '') await tx.query(statement);
    }
    await tx.query('insert into sluice_migrations (version) values ($1)', [version]);
  }
  if (done < LEAST_VERSION) {
    await tx.query('update sluice_migrations set least_program = $1 where version = $1', [LEAST_VERSION]);
  }
}

function statementsOf(migration: Migration): readonly string[] {
  return typeof migration === 'string' ? migration.split(/;\s*$/m) : migration;
}
