// Opens the ledger's database. One SQL dialect, two databases: PGlite inside the process by default, PostgreSQL by
// URL.
import { existsSync, realpathSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { PGlite, type PGliteOptions } from '@electric-sql/pglite';
import pg from 'pg';
import type { LedgerCipher } from '../encryption/cipher.ts';
import { isPlainPostgres, POSTGRES_WAYS_OUT } from '../net/loopback.ts';
import { PemFileError } from '../net/pem-file.ts';
import { CONNECTION_HELP } from './connection-help.ts';
import { dropTemporaryFiles, layCluster } from './embedded/cluster.ts';
import { PrivateNodeFS } from './embedded/private-nodefs.ts';
import { PostgresClient, withFiles } from './postgres-tls.ts';
import { createStatementNames } from './prepared.ts';

/** The database functions that the ledger needs: statements with `$1` parameters. */
export interface Queryable {
  query<Row>(sql: string, params?: readonly unknown[]): Promise<Row[]>;
  /** Encrypts and decrypts values of the listed columns. Absent without keys. */
  readonly cipher?: LedgerCipher | undefined;
}

/**
 * Writes a list as text for a parameter `$1::text::text[]`. PGlite takes longer to encode an array than to store it.
 * @param items numbers, or texts of letters, digits, `+`, `/`, `-` and `_`
 */
export function plainArray(items: readonly (string | number)[]): string {
  return `{${items.join()}}`;
}

export interface Database extends Queryable {
  readonly kind: 'pglite' | 'postgres';
  /** Runs `work` in one transaction; a throw rolls everything back. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  /** The connections of PostgreSQL; absent where there are none. */
  readonly pool?: () => PoolState;
  close(): Promise<void>;
}

export interface PoolState {
  readonly total: number;
  readonly idle: number;
  /** Statements that wait for a connection. */
  readonly waiting: number;
}

/**
 * Thrown when the database refuses a statement or is unavailable. The drivers' own errors quote parameters and rows
 * (`detail`, `where`, `params`), which contain personal data. This error keeps only the safe parts.
 */
export class LedgerError extends Error {
  override readonly name = 'LedgerError';
  /** SQLSTATE, or the system's code of a failed connection; null when there is neither. */
  readonly code: string | null;
  /** The constraint that was violated. */
  readonly constraint: string | null;

  /** @param place of the database, for a disk that is full */
  constructor(error: Error & { code?: unknown; constraint?: unknown }, place = 'the database') {
    const code = typeof error.code === 'string' ? error.code : null;
    const help = code === DISK_FULL ? `free space on the disk of ${place}` : CONNECTION_HELP[code ?? ''];
    const wayOut = help === undefined ? '' : `; ${help}`;
    super(`the ledger's database: ${safeMessage(error, code)}${code === null ? '' : ` [${code}]`}${wayOut}`);
    this.code = code;
    this.constraint = typeof error.constraint === 'string' ? error.constraint : null;
  }
}

/** Thrown when the embedded ledger's files cannot be opened. */
class EmbeddedLedgerError extends Error {
  override readonly name = 'EmbeddedLedgerError';
  /** @param cause an Error, or from PGlite's file system an object with only a number */
  constructor(dir: string, cause: unknown, isDiskFull: boolean) {
    const why = cause instanceof Error ? cause.message : 'the file system refuses access';
    const wayOut = isDiskFull
      ? 'The disk is full. Free some space there and run the command again. The ledger needs its files: do not delete them'
      : 'If its files are damaged, move that folder away: the next run looks up every contact first and creates no duplicates';
    super(`the ledger in ${dir} can't be opened: ${why}. ${wayOut}`, { cause });
  }
}

/** SQLSTATE of a disk without space. */
const DISK_FULL = '53100';
/** PGlite writes more than this when it opens a folder. */
const LEAST_BYTES = 1_048_576;

/** PGlite's own error does not say why it could not start, so the disk is asked. */
async function isDiskFull(dir: string, cause: unknown): Promise<boolean> {
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  if (code === 'ENOSPC' || code === 'EDQUOT') return true;
  if (code !== undefined || !existsSync(dir)) return false;
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize < LEAST_BYTES;
}

/**
 * Thrown when DATABASE_URL is not a PostgreSQL address, one without TLS on another machine, or one with unusable files.
 * Its value contains a password, so the message does not show it.
 */
export class DatabaseUrlError extends Error {
  override readonly name = 'DatabaseUrlError';
  constructor(problem = 'is not a PostgreSQL address; use postgres://user:password@host:5432/database') {
    super(`DATABASE_URL ${problem}`);
  }
}

/** @throws DatabaseUrlError */
function checkUrl(url: string): void {
  const isAddress = URL.canParse(url) && /^postgres(?:ql)?:\/\//i.test(url);
  if (!isAddress) throw new DatabaseUrlError();
  let target: pg.Client;
  try {
    target = new pg.Client(withFiles({ connectionString: url }));
  } catch (error) {
    if (error instanceof PemFileError) throw new DatabaseUrlError(`cannot be used: ${error.message}`);
    // Each statement reports it: it makes the same client.
    return;
  }
  if (!isPlainPostgres(target, url)) return;
  throw new DatabaseUrlError(
    `would send its password and personal data unencrypted to another machine: ${POSTGRES_WAYS_OUT}`,
  );
}

function safeMessage(error: Error, code: string | null): string {
  // A connection to a name with several addresses fails with one error per address and no message of its own.
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map((each: Error) => each.message).join('; ');
  // Errors of class 22 quote the value that they are about.
  return code?.startsWith('22') ? error.message.replace(/".*"/s, '(value not shown)') : error.message;
}

function ledgerErrorOf(place: string) {
  return (error: unknown): never => {
    throw error instanceof Error ? new LedgerError(error, place) : error;
  };
}

const IN_MEMORY = 'memory://';

/**
 * Opens PGlite in `dir` for one process only. The caller holds the folder's lock.
 * @param dir folder of the database, created if missing; `memory://` for a database that ends with the process
 * @param from dump that a database in memory starts with
 * @default an empty database
 */
export async function openPglite(dir: string, from?: Blob): Promise<Database> {
  const db =
    dir === IN_MEMORY
      ? await startPglite({ dataDir: dir, ...(from && { loadDataDir: from }) })
      : await openFolder(dir);
  const ledgerError = ledgerErrorOf(dir);
  const on = (client: Pick<PGlite, 'query'>): Queryable => ({
    query: async <Row>(sql: string, params: readonly unknown[] = []) =>
      (await client.query<Row>(sql, [...params]).catch(ledgerError)).rows,
  });
  return {
    kind: 'pglite',
    ...on(db),
    transaction: (work) => db.transaction((tx) => work(on(tx))) as never,
    close: () => db.close(),
  };
}

/** @throws EmbeddedLedgerError when the folder cannot be opened */
async function openFolder(dir: string): Promise<PGlite> {
  try {
    // PGlite cannot start in a folder behind a symbolic link.
    const folder = existsSync(dir) ? realpathSync(dir) : dir;
    await dropTemporaryFiles(folder);
    await layCluster(folder);
    return await startPglite({ fs: new PrivateNodeFS(folder) });
  } catch (cause) {
    throw new EmbeddedLedgerError(dir, cause, await isDiskFull(dir, cause));
  }
}

/**
 * PGlite's default of 128 MB becomes resident completely. With this setting, a ledger starts with 172 MB instead of
 * 295 MB.
 */
const SHARED_BUFFERS = 'shared_buffers=16MB';

async function startPglite(options: PGliteOptions): Promise<PGlite> {
  return await PGlite.create({
    ...options,
    startParams: [...PGlite.defaultStartParams, '-c', SHARED_BUFFERS],
  });
}

const INT8 = 20;
const INT8_ARRAY = 1016;
const INT4_ARRAY = 1007;

/**
 * A statement without an answer for this long is given up together with its connection: a host that vanished never
 * reports it. Ledger activities also have five minutes (workflows/policies.ts).
 */
const ANSWER_MS = 5 * 60_000;
/**
 * The same limit on the server's side. If a process's host vanishes inside a transaction, its rows would stay locked
 * until TCP gives up, which takes two hours by default.
 */
const BEGIN = "begin; set local idle_in_transaction_session_timeout = '5min'";
/**
 * A connection is replaced after this time. That also discards its plans of prepared statements: a plan made while a
 * table was small reads the whole table.
 */
const LIFETIME_SECONDS = 60;
/** Ending a failed transaction is quick, unless the connection is dead. */
const ROLLBACK_MS = 5000;

/**
 * Opens a pool on PostgreSQL.
 * @param url connection string, `postgres://…`
 * @param onError receives errors of broken connections; the pool replaces them, and a statement under way throws too
 * @param answerMs milliseconds for one statement @default 300_000
 * @throws DatabaseUrlError when `url` is not `postgres://…`, or would send data unencrypted to another machine
 */
export async function openPostgres(
  url: string,
  onError: (error: Error) => void,
  answerMs = ANSWER_MS,
): Promise<Database> {
  checkUrl(url);
  const pool = new pg.Pool({
    connectionString: url,
    Client: PostgresClient,
    max: 10,
    connectionTimeoutMillis: 10_000,
    query_timeout: answerMs,
    maxLifetimeSeconds: LIFETIME_SECONDS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: {
      // PGlite reads int8 as a number. PostgreSQL must too, or counts and ids become text.
      getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
        if (oid === INT8) return Number;
        return pg.types.getTypeParser(oid === INT8_ARRAY ? INT4_ARRAY : oid, format as 'text');
      }) as typeof pg.types.getTypeParser,
    },
  });
  // The pool also hands over the connection, with its statements and its password: not for a log.
  pool.on('error', (error) => onError(error));
  const names = createStatementNames();
  const ledgerError = ledgerErrorOf('the PostgreSQL server');
  const on = (client: pg.Pool | pg.PoolClient): Queryable => ({
    async query<Row>(sql: string, params: readonly unknown[] = []) {
      const statement: pg.QueryConfig = { text: sql, values: [...params] };
      // Without parameters, a text may contain several statements, and those cannot have a name.
      const name = params.length > 0 ? names.nameOf(sql) : undefined;
      if (name === undefined) return (await client.query(statement).catch(ledgerError)).rows as Row[];
      const { rows } = await client
        .query({ ...statement, name })
        .catch((error: unknown) => {
          // The statement had no effect. Inside a transaction, the whole transaction failed, and its caller retries.
          if (!names.failed(error) || client !== pool) throw error;
          return client.query(statement);
        })
        .catch(ledgerError);
      return rows as Row[];
    },
  });
  return {
    kind: 'postgres',
    ...on(pool),
    async transaction(work) {
      const client = await pool.connect().catch(ledgerError);
      const tx = on(client);
      // The pool listens only to idle connections, and an unhandled error event ends the process.
      client.on('error', onError);
      let broken: Error | undefined;
      try {
        await client.query(BEGIN).catch(ledgerError);
        const result = await work(tx);
        await tx.query('commit');
        return result;
      } catch (error) {
        // The types allow a timeout only for pools, but each statement may have its own.
        const rollback: pg.QueryConfig & { query_timeout: number } = {
          text: 'rollback',
          query_timeout: Math.min(ROLLBACK_MS, answerMs),
        };
        await client.query(rollback).catch((reason: Error) => {
          broken = reason;
        });
        throw error;
      } finally {
        client.off('error', onError);
        client.release(broken);
      }
    },
    pool: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  };
}
