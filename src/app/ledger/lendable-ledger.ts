// The ledger of a command that serves itself. It opens with the first statement, and it can be closed for a while, so
// that a dry run has the embedded database, and the memory, for itself.

import type { LedgerCipher } from '../../core/encryption/cipher.ts';
import type { Database, Queryable } from '../../core/sql/database.ts';

export interface LendableLedger extends Database {
  /** Closes the database during `work`. Statements wait meanwhile. */
  lend<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * @param open opens the database; called again after it was lent
 * @param cipher the keys of the database that `open` returns
 */
export function lendableLedger(
  kind: Database['kind'],
  open: () => Promise<Database>,
  cipher?: LedgerCipher,
): LendableLedger {
  let opened: Promise<Database> | null = null;
  /** Resolves when the database is not lent. */
  let back: Promise<unknown> = Promise.resolve();
  const active = new Set<Promise<unknown>>();

  async function use<T>(work: (db: Database) => Promise<T>): Promise<T> {
    await back;
    opened ??= open();
    const done = opened.then(work);
    active.add(done);
    try {
      return await done;
    } finally {
      active.delete(done);
    }
  }

  async function close(): Promise<void> {
    await Promise.allSettled(active);
    const closing = opened;
    opened = null;
    if (closing !== null) await (await closing).close();
  }

  return {
    kind,
    cipher,
    query: <Row>(sql: string, params?: readonly unknown[]) => use((db) => db.query<Row>(sql, params)),
    transaction: <T>(work: (tx: Queryable) => Promise<T>) => use((db) => db.transaction(work)),
    async close() {
      await back.catch(() => undefined);
      await close();
    },
    async lend(work) {
      await back;
      const lent = close().then(work);
      back = lent.catch(() => undefined);
      return await lent;
    },
  };
}
