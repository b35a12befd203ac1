// Planning whole runs on PGlite; test/e2e/plan runs the same on PostgreSQL.
import { afterAll, beforeAll } from 'vitest';
import { type Database, openPglite } from '../../../src/ledger/database.ts';
import { migrate } from '../../../src/ledger/migrations.ts';
import { planDrySuite } from './plan-dry-suite.ts';
import { planIncrementalSuite } from './plan-incremental-suite.ts';
import { planMergeSuite } from './plan-merge-suite.ts';
import { planMirrorSuite } from './plan-mirror-suite.ts';

let db: Database;
beforeAll(async () => {
  db = await openPglite('memory://');
  await migrate(db);
});
afterAll(() => db.close());

planMergeSuite(() => db);
planMirrorSuite(() => db);
planIncrementalSuite(() => db);
planDrySuite(() => db);
