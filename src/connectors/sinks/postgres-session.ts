// Runs the transactions of the PostgreSQL sink, each with a time limit and abortable at once.
import pg from 'pg';
import { PostgresClient } from '../../core/sql/postgres-tls.ts';
import type { SinkError } from './sink.ts';

const CONNECT_MS = 10_000;
const STATEMENT_MS = 20_000;

/** Local to the transaction, so that it works behind a pooler. The longest wait inside is for one of our statements. */
const BEGIN = `begin;
  set local statement_timeout = '${STATEMENT_MS}ms';
  set local idle_in_transaction_session_timeout = '60s';
  set constraints all immediate;
  select set_config('synchronous_commit', 'on', true) where current_setting('synchronous_commit') = 'off'`;

export type Statement = (sql: string, params?: readonly string[]) => Promise<void>;

export function openPool(url: string, onError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    Client: PostgresClient,
    max: 2,
    application_name: 'sluice',
    connectionTimeoutMillis: CONNECT_MS,
    // The server ends a statement sooner. This limit is for a server that no longer answers.
    query_timeout: STATEMENT_MS + 5000,
    keepAlive: true,
  });
  // Idle connections that break: the pool replaces them.
  pool.on('error', onError);
  return pool;
}

/**
 * Runs `work` in one transaction. If it throws, the transaction is rolled back and its connection is closed.
 * @throws the signal's reason once it is aborted; the transaction may or may not have been committed
 */
export async function inTransaction(
  pool: pg.Pool,
  signal: AbortSignal,
  work: (run: Statement) => Promise<void>,
): Promise<void> {
  const client = await connect(pool, signal);
  // Without a listener, a connection that breaks between two statements would end the process. The next statement fails
  // instead.
  client.on('error', ignore);
  // Cuts the connection when a statement is in progress.
  const giveUp = () => void (client as unknown as pg.Client).end().catch(ignore);
  signal.addEventListener('abort', giveUp, { once: true });
  let done = false;
  try {
    signal.throwIfAborted();
    const run: Statement = async (sql, params = []) => {
      await client.query(sql, [...params]);
    };
    await client.query(BEGIN);
    await work(run);
    await client.query('commit');
    done = true;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', giveUp);
    client.off('error', ignore);
    client.release(!done);
  }
}

const ignore = () => undefined;

async function connect(pool: pg.Pool, signal: AbortSignal): Promise<pg.PoolClient> {
  const connecting = pool.connect();
  const over = new AbortController();
  const aborted = new Promise<never>((_resolve, reject) => {
    const giveUp = () => {
      reject(signal.reason as SinkError);
      connecting.then((late) => late.release(true), ignore);
    };
    signal.addEventListener('abort', giveUp, { once: true, signal: over.signal });
  });
  try {
    return await Promise.race([connecting, aborted]);
  } finally {
    over.abort();
  }
}
