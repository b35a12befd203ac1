// The PostgreSQL sink: a table with one row per event. A redelivered event adds no row.
import pg from 'pg';
import { toJson } from '../../core/json/stored-json.ts';
import { isPlainPostgres, POSTGRES_WAYS_OUT } from '../../core/net/loopback.ts';
import { PemFileError } from '../../core/net/pem-file.ts';
import { withFiles } from '../../core/sql/postgres-tls.ts';
import type { PostgresSink } from './config.ts';
import type { CloudEvent } from './event.ts';
import { databaseError, isAboutRow, isMissingTable, rowError } from './postgres-error.ts';
import { inTransaction, openPool, type Statement } from './postgres-session.ts';
import { failed, SENT, sinkOf } from './sending.ts';
import { type Sent, type Sink, SinkError } from './sink.ts';

export interface PostgresSinkOptions {
  /** Name of the sink in the configuration. */
  readonly name: string;
  /** Connection string. */
  readonly url: string;
  /** Receives errors of idle connections. */
  readonly log: (fields: object, message: string) => void;
}

/**
 * Writes a batch in one transaction, in its order. If the table already has an event's id, the sink leaves that row
 * unchanged. It creates a missing table. Batches into one table run one after another across all processes, so `seq` is
 * also the order in which rows become visible. A row that the table rejects fails alone.
 * @throws SinkError `BAD_SECRET` for a secret that is not a PostgreSQL address
 */
export function postgresSink(config: PostgresSink, { name, url, log }: PostgresSinkOptions): Sink {
  const table = config.table
    .split('.')
    .map((part) => `"${part}"`)
    .join('.');
  const place = { server: serverOf(url, name), table };
  const pool = openPool(url, (error) =>
    log({ code: databaseError(error, place).code }, 'an idle connection of the sink broke'),
  );
  const lock = `select pg_advisory_xact_lock(hashtext('sluice sink ${config.table}'))`;

  const transaction = (signal: AbortSignal, work: (run: Statement) => Promise<void>) =>
    inTransaction(pool, signal, async (run) => {
      await run(lock);
      await work(run);
    });
  const insert = (run: Statement, events: readonly CloudEvent[]) => run(insertInto(table), [toJson(events)]);

  async function writeAll(events: readonly CloudEvent[], signal: AbortSignal): Promise<readonly Sent[]> {
    await transaction(signal, (run) => insert(run, events));
    return events.map(() => SENT);
  }

  /** Writes each row by itself, to find the rejected ones. */
  async function writeEach(events: readonly CloudEvent[], signal: AbortSignal): Promise<readonly Sent[]> {
    const sent: Sent[] = [];
    await transaction(signal, async (run) => {
      for (const event of events) {
        await run('savepoint one');
        try {
          await insert(run, [event]);
          sent.push(SENT);
        } catch (error) {
          if (!isAboutRow(error)) throw error;
          await run('rollback to savepoint one');
          sent.push(failed(rowError(error, place)));
        }
      }
    });
    return sent;
  }

  async function write(events: readonly CloudEvent[], signal: AbortSignal): Promise<readonly Sent[]> {
    try {
      return await writeAll(events, signal);
    } catch (error) {
      if (isAboutRow(error)) return await writeEach(events, signal);
      throw error;
    }
  }

  async function writeOrMake(events: readonly CloudEvent[], signal: AbortSignal): Promise<readonly Sent[]> {
    try {
      return await write(events, signal);
    } catch (error) {
      if (!isMissingTable(error)) throw error;
      // Only after the insert failed: a user without the right to create tables is rejected even if the table exists.
      await transaction(signal, (run) => run(createTable(table)));
      return await write(events, signal);
    }
  }

  return sinkOf({
    kind: 'PostgreSQL',
    async deliver(events, signal) {
      try {
        return await writeOrMake(events, signal);
      } catch (error) {
        const failure = failed(signal.aborted ? (signal.reason as SinkError) : databaseError(error, place));
        return events.map(() => failure);
      }
    },
    release: () => pool.end(),
  });
}

function createTable(table: string): string {
  return `create table if not exists ${table} (
    id text primary key,
    type text not null,
    source text not null,
    subject text,
    time timestamptz not null,
    partitionkey text not null,
    data jsonb not null,
    event jsonb not null,
    received_at timestamptz not null default now(),
    seq bigint generated always as identity unique
  )`;
}

function insertInto(table: string): string {
  return `insert into ${table} (id, type, source, subject, time, partitionkey, data, event)
    select e->>'id', e->>'type', e->>'source', e->>'subject', (e->>'time')::timestamptz, e->>'partitionkey', e->'data', e
      from jsonb_array_elements($1::jsonb) with ordinality as given(e, n)
     order by n
    on conflict (id) do nothing`;
}

/** host:port/database of a connection string. */
function serverOf(url: string, name: string): string {
  const refuse = (why: string) =>
    new SinkError('BAD_SECRET', `sink ${name}: the secret in \`url\` ${why}`, {
      retryable: false,
      sinkWide: true,
    });
  if (!/^postgres(?:ql)?:\/\//.test(url))
    throw refuse('is not a PostgreSQL address; use postgres://user:password@host:5432/database');
  const { host, port, database, ssl } = targetOf(url, refuse);
  if (isPlainPostgres({ host, ssl }, url))
    throw refuse(`would send its password and events unencrypted to another machine: ${POSTGRES_WAYS_OUT}`);
  return `${host}:${port}/${database}`;
}

function targetOf(url: string, refuse: (why: string) => SinkError): pg.Client {
  try {
    return new pg.Client(withFiles({ connectionString: url }));
  } catch (error) {
    if (error instanceof PemFileError) throw refuse(`cannot be used: ${error.message}`);
    // The driver's error would quote the address with its password.
    throw refuse('is not a valid address; percent-encode special characters in the password');
  }
}
