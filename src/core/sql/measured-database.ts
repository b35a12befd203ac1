// Measures the statements of a ledger.
import { type Database, LedgerError, type Queryable } from './database.ts';

/** @param code null: the statement succeeded; otherwise its SQLSTATE, the system's code, or `none` */
export type Measure = (seconds: number, code: string | null) => void;

/** The same ledger, which reports the time of each statement. Inside a transaction, each statement counts by itself. */
export function measuredDatabase(db: Database, measure: Measure): Database {
  const on = (target: Queryable): Queryable => ({
    cipher: target.cipher,
    async query<Row>(sql: string, params?: readonly unknown[]) {
      const began = performance.now();
      let code: string | null = null;
      try {
        return await target.query<Row>(sql, params);
      } catch (error) {
        code = (error instanceof LedgerError ? error.code : null) ?? 'none';
        throw error;
      } finally {
        measure((performance.now() - began) / 1000, code);
      }
    },
  });
  return { ...db, ...on(db), transaction: (work) => db.transaction((tx) => work(on(tx))) };
}
