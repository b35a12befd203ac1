// One connection to PostgreSQL for one read: a read-only transaction in which every value arrives as the server's text.
import pg from 'pg';
import { isPlainPostgres, POSTGRES_WAYS_OUT } from '../../../core/net/loopback.ts';
import { PemFileError } from '../../../core/net/pem-file.ts';
import { SourceError } from '../../../core/source.ts';
import { withFiles } from '../../../core/sql/postgres-tls.ts';
import { connectionError } from './postgres-error.ts';

export interface PgField {
  readonly name: string;
  /** Type of the column, as pg_type.oid. */
  readonly type: number;
}

export interface PgResult {
  readonly fields: readonly PgField[];
  readonly rows: readonly (readonly (string | null)[])[];
}

/** The part of the driver that reading needs, inside one transaction. */
export interface PgSession {
  /** Runs one statement. Parameters are `$1`, `$2`, … and take their types from their position. */
  query(sql: string, params?: readonly (string | number | null)[]): Promise<PgResult>;
}

const CONNECT_MS = 10_000;
const AS_TEXT = { getTypeParser: () => (value: string) => value } as unknown as pg.CustomTypesConfig;

/**
 * Connects, runs `use` in a read-only transaction and disconnects. Planning a page takes far longer than the 5–20 ms of
 * a connection, and an idle connection would occupy a slot of the source for the whole run.
 * @param place the source's name for messages
 * @param use also receives a name of server and database, without user or password
 */
export async function withSession<T>(
  options: { url: string; tls: boolean; timeoutMs: number; place: string; signal?: AbortSignal | undefined },
  use: (session: PgSession, server: string) => Promise<T>,
): Promise<T> {
  const { place, signal } = options;
  signal?.throwIfAborted();
  const client = makeClient(options);
  // Without a listener, a connection that breaks between two statements would end the process. The next statement fails
  // instead.
  client.on('error', () => undefined);
  const onAbort = () => void client.end();
  signal?.addEventListener('abort', onAbort, { once: true });
  const explain = (error: unknown): never => {
    throw signal?.aborted === true ? signal.reason : connectionError(error, place);
  };
  const session: PgSession = {
    query: async (sql, params = []) => {
      // Always the extended protocol: the server then rejects more than one command at once.
      const query = { text: sql, values: [...params], rowMode: 'array' as const, queryMode: 'extended' };
      const { fields, rows } = await client.query<(string | null)[]>(query).catch(explain);
      return { fields: fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID })), rows };
    },
  };
  try {
    await client.connect().catch(explain);
    await session.query('begin transaction read only');
    // Local to the transaction, so that it works behind a pooler that assigns connections per transaction.
    await session.query(SETTINGS, [`${options.timeoutMs}ms`]);
    const result = await use(session, `${client.host}:${client.port}/${client.database}`);
    await session.query('commit');
    return result;
  } finally {
    signal?.removeEventListener('abort', onAbort);
    // A broken connection cannot be closed in an orderly way either.
    await client.end().catch(() => undefined);
  }
}

/** Makes texts of dates and times independent of the server's settings. */
const SETTINGS = `select set_config('statement_timeout', $1, true), set_config('timezone', 'UTC', true),
  set_config('datestyle', 'ISO, YMD', true), set_config('intervalstyle', 'iso_8601', true), set_config('extra_float_digits', '1', true)`;

function makeClient({
  url,
  tls,
  timeoutMs,
  place,
}: {
  url: string;
  tls: boolean;
  timeoutMs: number;
  place: string;
}) {
  if (!/^postgres(?:ql)?:\/\//.test(url)) {
    const message = `source ${place}: the secret behind \`url\` is not a PostgreSQL address; use postgres://user:password@host:5432/database`;
    throw new SourceError('secret', message);
  }
  let client: pg.Client;
  try {
    const options = {
      connectionString: url,
      application_name: 'sluice',
      connectionTimeoutMillis: CONNECT_MS,
      // The server ends a statement at `timeoutMs`. This limit is for a server that no longer answers.
      query_timeout: timeoutMs + 5000,
      keepAlive: true,
      types: AS_TEXT,
      ...(tls && { ssl: true }),
    };
    client = new pg.Client(withFiles(options));
  } catch (error) {
    if (error instanceof PemFileError)
      throw new SourceError(
        'secret',
        `source ${place}: the secret behind \`url\` cannot be used: ${error.message}`,
      );
    // The driver's error would quote the address with its password.
    const message = `source ${place}: the secret behind \`url\` is not a valid address; percent-encode special characters in the password`;
    throw new SourceError('secret', message);
  }
  if (!isPlainPostgres(client, url)) return client;
  const message = `source ${place}: the secret behind \`url\` would send its password and its rows unencrypted to another machine: set tls: true, or ${POSTGRES_WAYS_OUT}`;
  throw new SourceError('secret', message);
}
