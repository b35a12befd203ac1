// All suites of the ledger, run on each database: one SQL, two databases.

import { databaseSuite } from './database-suite.ts';
import { dueRecordsSuite } from './due-records-suite.ts';
import { effectsSuite } from './effects-suite.ts';
import { eventsSuite } from './events-suite.ts';
import { intentsSuite } from './intents-suite.ts';
import { outcomesSuite } from './outcomes-suite.ts';
import { peopleSuite } from './people-suite.ts';
import { recordsSuite } from './records-suite.ts';
import { runsSuite } from './runs-suite.ts';
import { snapshotSuite } from './snapshots-suite.ts';
import type { OpenDatabase } from './support.ts';

export function ledgerSuites(database: OpenDatabase): void {
  databaseSuite(database);
  runsSuite(database);
  recordsSuite(database);
  dueRecordsSuite(database);
  intentsSuite(database);
  outcomesSuite(database);
  eventsSuite(database);
  peopleSuite(database);
  snapshotSuite(database);
  effectsSuite(database);
}
