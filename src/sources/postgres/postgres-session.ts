// One connection to PostgreSQL for one read: a transaction that can't write, every value as the text the server sends.
import pg from 'pg';
import { SourceError } from '../../contracts/wire/source.ts';
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

/** The slice of the driver that reading needs; runs inside one transaction. */
export interface PgSession {
  /** One statement; parameters are `$1`, `$2`, … and take their types from where they stand. */
  query(sql: string, params?: readonly (string | number | null)[]): Promise<PgResult>;
}

const CONNECT_MS = 10_000;
const AS_TEXT = { getTypeParser: () => (value: string) => value } as unknown as pg.CustomTypesConfig;

/**
 * Connects, runs `use` in a read-only transaction and disconnects: a page takes far longer to plan than the 5–20 ms of a
 * connection, and an idle one would hold a slot of the source for the whole run.
 * @param place the source's name for messages
 * @param use also gets a word for the server and database, without user or password
 */
export async function withSession<T>(
  options: { url: string; tls: boolean; timeoutMs: number; place: string; signal?: AbortSignal | undefined },
  use: (session: PgSession, server: string) => Promise<T>,
): Promise<T> {
  const { place, signal } = options;
  signal?.throwIfAborted();
  const client = makeClient(options);
  // Without a listener, a connection that breaks between two statements would end the process; the next statement fails.
  client.on('error', () => undefined);
  const onAbort = () => void client.end();
  signal?.addEventListener('abort', onAbort, { once: true });
  const explain = (error: unknown): never => {
    throw signal?.aborted === true ? signal.reason : connectionError(error, place);
  };
  const session: PgSession = {
    query: async (sql, params = []) => {
      // Always the extended protocol: the server then refuses more than one command at once.
      const query = { text: sql, values: [...params], rowMode: 'array' as const, queryMode: 'extended' };
      const { fields, rows } = await client.query<(string | null)[]>(query).catch(explain);
      return { fields: fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID })), rows };
    },
  };
  try {
    await client.connect().catch(explain);
    await session.query('begin transaction read only');
    // Local to the transaction, so that it works behind a pooler that hands out connections per transaction.
    await session.query(SETTINGS, [`${options.timeoutMs}ms`]);
    const result = await use(session, `${client.host}:${client.port}/${client.database}`);
    await session.query('commit');
    return result;
  } finally {
    signal?.removeEventListener('abort', onAbort);
    // A broken connection can't say goodbye either.
    await client.end().catch(() => undefined);
  }
}

/** Texts of dates and times do not depend on how the server is set up. */
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
  try {
    return new pg.Client({
      connectionString: url,
      application_name: 'sluice',
      connectionTimeoutMillis: CONNECT_MS,
      // The server ends a statement at `timeoutMs`; this is for a server that does not answer any more.
      query_timeout: timeoutMs + 5000,
      keepAlive: true,
      types: AS_TEXT,
      ...(tls && { ssl: true }),
    });
  } catch {
    // The driver's error would quote the address, password and all.
    const message = `source ${place}: the secret behind \`url\` is not a valid address; percent-encode special characters in the password`;
    throw new SourceError('secret', message);
  }
}
