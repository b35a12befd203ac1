// PGlite as a session of the PostgreSQL source, and runs over it: page after page, every cursor through JSON.
import type { PGlite, Transaction } from '@electric-sql/pglite';
import { PostgresSource } from '../../../../src/connectors/sources/postgres/config.ts';
import { readPostgresPage } from '../../../../src/connectors/sources/postgres/postgres.ts';
import type { PgSession } from '../../../../src/connectors/sources/postgres/postgres-session.ts';
import type { SourceCursor, SourcePage, SourceRow } from '../../../../src/core/source.ts';

type Parsers = Record<number, (text: string) => string>;

/** PGlite reads values by type; the source wants the server's texts. */
async function textParsers(db: PGlite): Promise<Parsers> {
  const { rows } = await db.query<{ oid: number }>('select oid::int from pg_type');
  return Object.fromEntries(rows.map(({ oid }) => [oid, (text: string) => text]));
}

const SETTINGS = `set local timezone = 'UTC'; set local datestyle = 'ISO, YMD'`;

function sessionOn(tx: Transaction, parsers: Parsers): PgSession {
  return {
    async query(sql, params = []) {
      const result = await tx.query<(string | null)[]>(sql, [...params], { rowMode: 'array', parsers });
      const fields = result.fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID }));
      return { fields, rows: result.rows };
    },
  };
}

export const configOf = (config: Record<string, unknown>): PostgresSource =>
  PostgresSource.parse({ type: 'postgres', url: 'env:DB', ...config });

export interface RunOptions {
  readonly limit: number;
  readonly since?: SourceCursor | null;
  readonly server?: string;
  /** Called between two pages: what others do to the table meanwhile. */
  readonly between?: (page: number) => Promise<void>;
}

export type RunOver = (
  config: PostgresSource,
  options: RunOptions,
) => Promise<{ rows: SourceRow[]; watermark: SourceCursor | null }>;

/** Reads sources in `db` to their end, as runs do. */
export async function runnerOn(db: PGlite): Promise<RunOver> {
  const parsers = await textParsers(db);
  return (config, options) => runOver(db, parsers, config, options);
}

async function runOver(
  db: PGlite,
  parsers: Parsers,
  config: PostgresSource,
  { limit, since = null, server = 'one', between }: RunOptions,
): ReturnType<RunOver> {
  const rows: SourceRow[] = [];
  let cursor: SourceCursor | null = null;
  for (let page = 1; ; page += 1) {
    const options = { cursor, limit, since, server };
    const read: SourcePage = await db.transaction(async (tx) => {
      await tx.exec(SETTINGS);
      return await readPostgresPage(sessionOn(tx, parsers), config, options);
    });
    rows.push(...read.rows);
    if (read.next === null) return { rows, watermark: throughJson(read.watermark ?? null) };
    cursor = throughJson(read.next);
    await between?.(page);
  }
}

function throughJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
