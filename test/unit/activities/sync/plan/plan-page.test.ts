// Planning on PGlite; test/e2e/postgres runs the same on PostgreSQL.
import { beforeAll } from 'vitest';
import type { Database } from '../../../../../src/core/sql/database.ts';
import { testLedger } from '../../../../support/postgres/ledger.ts';
import { planPageSuite } from './plan-page-suite.ts';

let db: Database;
beforeAll(async () => {
  db = await testLedger();
});

planPageSuite(() => db);
