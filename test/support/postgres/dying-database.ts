// A database as a process sees it that is killed at its nth statement: from there on nothing of it arrives any more, and
// a transaction that it has open is rolled back.
import type { Database, Queryable } from '../../../src/core/sql/database.ts';

class Killed extends Error {
  override readonly name = 'Killed';
}

export interface DyingDatabase extends Database {
  readonly dead: boolean;
}

/** @param at statements that arrive, a commit counted as one; what the last one did stands, and its answer is lost */
export function dyingDatabase(db: Database, at: number): DyingDatabase {
  let left = at;
  const dying = (target: Queryable): Queryable => ({
    async query<Row>(sql: string, params?: readonly unknown[]) {
      if (left <= 0) throw new Killed();
      left--;
      const rows = await target.query<Row>(sql, params);
      if (left <= 0) throw new Killed();
      return rows;
    },
  });
  return {
    kind: db.kind,
    get dead() {
      return left <= 0;
    },
    query: (sql, params) => dying(db).query(sql, params),
    async transaction(work) {
      const result = await db.transaction(async (tx) => {
        const value = await work(dying(tx));
        if (left <= 0) throw new Killed();
        left--;
        return value;
      });
      if (left <= 0) throw new Killed();
      return result;
    },
    close: () => db.close(),
  };
}
