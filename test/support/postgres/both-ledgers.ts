// Suites that run on the ledger inside a process and on PostgreSQL.
import { afterAll, beforeAll, describe } from 'vitest';
import type { Database } from '../../../src/core/sql/database.ts';
import { embeddedLedger, testLedger } from './ledger.ts';

/** @param suite gets a database that is open when its hooks and tests run */
export function onBothLedgers(suite: (db: Database) => void): void {
  describe.each([
    ['PGlite', embeddedLedger],
    ['PostgreSQL', testLedger],
  ])('on %s', (_, open) => {
    const db = {} as Database;
    beforeAll(async () => {
      Object.assign(db, await open());
    });
    afterAll(() => db.close());
    suite(db);
  });
}
