// One SQL dialect, two engines: PGlite inside the process by default, PostgreSQL by URL.
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';

/** What the ledger needs of a database: statements with `$1` parameters, and transactions. */
export interface Queryable {
  query<Row>(sql: string, params?: readonly unknown[]): Promise<Row[]>;
}

export interface Database extends Queryable {
  readonly engine: 'pglite' | 'postgres';
  /** Runs `work` in one transaction; a throw rolls everything back. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * Opens PGlite in `dir`. One process only: the caller holds the folder's lock.
 * @param dir folder of the database, made when missing
 */
export async function openPglite(dir: string): Promise<Database> {
  const db = await PGlite.create({ dataDir: dir });
  return {
    engine: 'pglite',
    query: async <Row>(sql: string, params: readonly unknown[] = []) =>
      (await db.query<Row>(sql, [...params])).rows,
    transaction: (work) =>
      db.transaction((tx) =>
        work({
          query: async <Row>(sql: string, params: readonly unknown[] = []) =>
            (await tx.query<Row>(sql, [...params])).rows,
        }),
      ) as never,
    close: () => db.close(),
  };
}

const INT8 = 20;

/**
 * Opens a pool on PostgreSQL.
 * @param url connection string, `postgres://…`
 * @param onError told of errors on idle connections: the pool replaces those by itself
 */
export async function openPostgres(url: string, onError: (error: Error) => void): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: 10_000,
    types: {
      // PGlite reads int8 as a number; so must PostgreSQL, or counts turn into text.
      getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
        oid === INT8
          ? Number
          : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
    },
  });
  pool.on('error', onError);
  const on = (client: pg.Pool | pg.PoolClient): Queryable => ({
    query: async <Row>(sql: string, params: readonly unknown[] = []) =>
      (await client.query(sql, [...params])).rows as Row[],
  });
  return {
    engine: 'postgres',
    ...on(pool),
    async transaction(work) {
      const client = await pool.connect();
      try {
        await client.query('begin');
        const result = await work(on(client));
        await client.query('commit');
        client.release();
        return result;
      } catch (error) {
        await client.query('rollback').then(
          () => client.release(),
          (broken: Error) => client.release(broken),
        );
        throw error;
      }
    },
    close: () => pool.end(),
  };
}
