// A database whose values are encrypted: the keys travel with it, into transactions too.
import type { Database, Queryable } from '../sql/database.ts';
import type { LedgerCipher } from './cipher.ts';

export function encryptedDatabase(db: Database, cipher: LedgerCipher): Database {
  const on = (target: Queryable): Queryable => ({
    cipher,
    query: <Row>(sql: string, params?: readonly unknown[]) => target.query<Row>(sql, params),
  });
  return { ...db, ...on(db), transaction: (work) => db.transaction((tx) => work(on(tx))) };
}
