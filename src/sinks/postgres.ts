// The PostgreSQL sink: a table that each event is a row of, once, however often it is sent.
import pg from 'pg';
import type { PostgresSink } from '../contracts/config/config.ts';
import { toJson } from '../contracts/stored-json.ts';
import type { SinkEvent } from '../contracts/wire/events.ts';
import { databaseError, isAboutRow, isMissingTable, rowError } from './postgres-error.ts';
import { inTransaction, openPool, type Statement } from './postgres-session.ts';
import { failed, SENT, sinkOf } from './sending.ts';
import { type Sent, type Sink, SinkError } from './sink.ts';

export interface PostgresSinkOptions {
  /** The sink's name in the configuration. */
  readonly name: string;
  /** Connection string. */
  readonly url: string;
  /** Hears of connections that break while nothing is sent. */
  readonly log: (fields: object, message: string) => void;
}

/**
 * Writes a batch in one transaction, in its order; an event whose id is in the table already is left as it stands. The table is
 * made when it is missing. Batches of one table follow one another, whichever process writes them, so that `seq` also is
 * the order in which rows show. A row that the table refuses fails alone.
 * @throws SinkError `BAD_SECRET` for what is no address of PostgreSQL
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
  const insert = (run: Statement, events: readonly SinkEvent[]) => run(insertInto(table), [toJson(events)]);

  async function writeAll(events: readonly SinkEvent[], signal: AbortSignal): Promise<readonly Sent[]> {
    await transaction(signal, (run) => insert(run, events));
    return events.map(() => SENT);
  }

  /** Each row by itself, to find those that are refused. */
  async function writeEach(events: readonly SinkEvent[], signal: AbortSignal): Promise<readonly Sent[]> {
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

  async function write(events: readonly SinkEvent[], signal: AbortSignal): Promise<readonly Sent[]> {
    try {
      return await writeAll(events, signal);
    } catch (error) {
      if (isAboutRow(error)) return await writeEach(events, signal);
      throw error;
    }
  }

  async function writeOrMake(events: readonly SinkEvent[], signal: AbortSignal): Promise<readonly Sent[]> {
    try {
      return await write(events, signal);
    } catch (error) {
      if (!isMissingTable(error)) throw error;
      // Only now: whoever may not make tables is refused even when there is one.
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
    new SinkError('BAD_SECRET', `sink ${name}: the secret behind \`url\` ${why}`, {
      retryable: false,
      sinkWide: true,
    });
  if (!/^postgres(?:ql)?:\/\//.test(url))
    throw refuse('is no address of PostgreSQL; write postgres://user:password@host:5432/database');
  try {
    const { host, port, database } = new pg.Client({ connectionString: url });
    return `${host}:${port}/${database}`;
  } catch {
    // The driver's error would quote the address, password and all.
    throw refuse("can't be read as an address; percent-encode what is special in the password");
  }
}
