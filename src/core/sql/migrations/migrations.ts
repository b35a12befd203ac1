// Versions of the ledger's tables. Never edit a migration that has shipped. Add a new entry for each change. Each works
// beside the programs of the release before: add first, and remove in a later release
// (docs/decisions/0047-two-versions-one-ledger.md).
import { type Database, LedgerError, type Queryable } from '../database.ts';
import { FIRST_SCHEMA } from '../schema/first-schema.ts';
import { ERASURE_STREAMS } from './erasure-streams.ts';
import { EXCLUDED_IDENTITIES } from './excluded-identities.ts';
import { OWN_INTENTS } from './own-intents.ts';
import { type Migration, statementsOf } from './statements.ts';

/** The version that the first entry makes. The versions below were those of ledgers before the first release. */
export const FIRST_VERSION = 45;

export const MIGRATIONS: readonly Migration[] = [
  FIRST_SCHEMA,
  ERASURE_STREAMS,
  EXCLUDED_IDENTITIES,
  OWN_INTENTS,
];

/**
 * The newest migration that a program must know to work with the tables. A program that is older than the ledger, but knows
 * this one, works on. A migration that takes away what the release before uses takes its place here.
 */
const REQUIRED: Migration = FIRST_SCHEMA;

/** The version of the tables that a program must have been made for, to work with the tables of this one. */
export const LEAST_VERSION = FIRST_VERSION + MIGRATIONS.indexOf(REQUIRED);

/** The last commit with the migrations that were before the first schema. */
const LAST_COMMIT_BEFORE = '95ffce25';

/** Thrown when a newer Sluice has changed the tables in a way that this one cannot work with. */
export class LedgerTooNewError extends Error {
  override readonly name = 'LedgerTooNewError';
  /** Version of the tables. */
  readonly done: number;
  /** The least version that a program must know. */
  readonly least: number;
  constructor(done: number, least: number, known: number) {
    super(
      `the ledger is at version ${done} and needs a Sluice that knows version ${least}; this one knows ${known}: use the newer Sluice that changed it`,
    );
    this.done = done;
    this.least = least;
  }
}

/** Thrown when the tables are from a state of Sluice before its first release. Nothing was changed. */
export class LedgerTooOldError extends Error {
  override readonly name = 'LedgerTooOldError';
  /** Version of the tables. */
  readonly done: number;
  constructor(done: number) {
    super(
      `the ledger is at version ${done}, from before the first release, and this Sluice migrates from version ${FIRST_VERSION} on: use an empty database or state folder, or run commit ${LAST_COMMIT_BEFORE} of Sluice on this ledger first`,
    );
    this.done = done;
  }
}

/** Thrown when the tables are older than this Sluice, and the database's user may not change them. */
export class LedgerRoleError extends Error {
  override readonly name = 'LedgerRoleError';
  /** Version of the tables; 0 when there are none. */
  readonly done: number;
  constructor(done: number, known: number, cause: unknown) {
    super(
      `the ledger is at version ${done} and this Sluice needs version ${known}, but the user of DATABASE_URL may not change tables: run \`sluice ledger migrate\` with the DATABASE_URL of their owner`,
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
 * @throws LedgerRoleError, LedgerTooNewError, LedgerTooOldError
 */
export async function migrate(db: Database, migrations: readonly Migration[] = MIGRATIONS): Promise<void> {
  const known = newestOf(migrations);
  const before = await versionOf(db);
  if (before >= known) {
    await checkUsable(db, before, known);
    return;
  }
  try {
    await db.transaction((tx) => change(tx, migrations));
  } catch (error) {
    if (!(error instanceof LedgerError) || error.code !== NOT_ALLOWED) throw error;
    // The owner may have migrated meanwhile.
    const done = await versionOf(db);
    if (done < known) throw new LedgerRoleError(done, known, error);
    await checkUsable(db, done, known);
  }
}

function newestOf(migrations: readonly Migration[]): number {
  return FIRST_VERSION + migrations.length - 1;
}

/** An older program must not write to tables that it does not understand. */
async function checkUsable(db: Queryable, done: number, known: number): Promise<void> {
  if (done === known) return;
  const [row] = await db.query<{ least: number }>(
    'select max(least_program) as least from sluice_migrations',
  );
  const least = row?.least ?? done;
  if (least > known) throw new LedgerTooNewError(done, least, known);
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

async function change(tx: Queryable, migrations: readonly Migration[]): Promise<void> {
  // Serializes workers that start together.
  await tx.query('select pg_advisory_xact_lock(724311)');
  const known = newestOf(migrations);
  const done = await versionOf(tx);
  if (done > known) {
    await checkUsable(tx, done, known);
    return;
  }
  if (done === 0)
    // Programs of different versions run at the same time, so the tables say who may use them.
    await tx.query(
      'create table if not exists sluice_migrations (version int primary key, at timestamptz default now(), least_program int not null default 0)',
    );
  else if (done < FIRST_VERSION) throw new LedgerTooOldError(done);
  for (const [index, migration] of migrations.entries()) {
    const version = FIRST_VERSION + index;
    if (version <= done) continue;
    for (const statement of statementsOf(migration)) await tx.query(statement);
    await tx.query('insert into sluice_migrations (version) values ($1)', [version]);
  }
  if (done < LEAST_VERSION) {
    await tx.query('update sluice_migrations set least_program = $1 where version = $1', [LEAST_VERSION]);
  }
}
