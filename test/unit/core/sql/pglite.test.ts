// The ledger on PGlite; test/e2e/postgres runs the same on PostgreSQL.
import { afterAll, beforeAll } from 'vitest';
import type { Database } from '../../../../src/core/sql/database.ts';
import { embeddedLedger } from '../../../support/postgres/ledger.ts';
import { migrateSuite } from './migrate-suite.ts';
import { ledgerSuites } from './suites.ts';

let db: Database;
beforeAll(async () => {
  db = await embeddedLedger();
});
afterAll(() => db.close());

ledgerSuites(() => db);
migrateSuite(() => db);
