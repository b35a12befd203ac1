// The ledger on PGlite; test/e2e/postgres runs the same on PostgreSQL.
import { afterAll, beforeAll } from 'vitest';
import type { Database } from '../../../src/ledger/database.ts';
import { migrate } from '../../../src/ledger/migrations.ts';
import { testLedger } from '../../support/ledger.ts';
import { migrateSuite } from './migrate-suite.ts';
import { ledgerSuites } from './suites.ts';

let db: Database;
beforeAll(async () => {
  db = await testLedger();
});
// The last suite leaves tables of its own making to whoever is next in this process.
afterAll(() => migrate(db));

ledgerSuites(() => db);
migrateSuite(() => db);
