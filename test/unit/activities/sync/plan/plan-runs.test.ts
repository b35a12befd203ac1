// Planning whole runs on PGlite; test/e2e/plan runs the same on PostgreSQL.
import { beforeAll } from 'vitest';
import type { Database } from '../../../../../src/core/sql/database.ts';
import { testLedger } from '../../../../support/postgres/ledger.ts';
import { planConflictSuite } from './plan-conflict-suite.ts';
import { planDrySuite } from './plan-dry-suite.ts';
import { planIncrementalSuite } from './plan-incremental-suite.ts';
import { planMergeSuite } from './plan-merge-suite.ts';
import { planMirrorSuite } from './plan-mirror-suite.ts';

let db: Database;
beforeAll(async () => {
  db = await testLedger();
});

planMergeSuite(() => db);
planConflictSuite(() => db);
planMirrorSuite(() => db);
planIncrementalSuite(() => db);
planDrySuite(() => db);
