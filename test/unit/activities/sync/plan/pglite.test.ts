// Planning on PGlite; test/e2e/postgres runs the same on PostgreSQL.
import { afterAll } from 'vitest';
import { embeddedLedger } from '../../../../support/postgres/ledger.ts';
import { planConflictSuite } from './plan-conflict-suite.ts';
import { planDrySuite } from './plan-dry-suite.ts';
import { planIncrementalSuite } from './plan-incremental-suite.ts';
import { planMergeSuite } from './plan-merge-suite.ts';
import { planMirrorSuite } from './plan-mirror-suite.ts';
import { planPageSuite } from './plan-page-suite.ts';

const db = await embeddedLedger();
afterAll(() => db.close());

planPageSuite(() => db);
planMergeSuite(() => db);
planConflictSuite(() => db);
planMirrorSuite(() => db);
planIncrementalSuite(() => db);
planDrySuite(() => db);
