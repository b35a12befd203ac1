// All suites of the ledger, run on each database: one SQL, two databases.

import { databaseSuite } from './database-suite.ts';
import { effectsSuite } from './events/effects-suite.ts';
import { eventsSuite } from './events/events-suite.ts';
import { callsSuite } from './operator/calls-suite.ts';
import { erasePersonSuite } from './operator/erase-suite.ts';
import { loginsSuite } from './operator/logins-suite.ts';
import { peopleSearchSuite } from './operator/people-suite.ts';
import { restoreSuite } from './restore-suite.ts';
import { retentionSuite } from './retention-suite.ts';
import type { OpenDatabase } from './support.ts';
import { dueRecordsSuite } from './sync/due-records-suite.ts';
import { intentsSuite } from './sync/intents-suite.ts';
import { outcomesSuite } from './sync/outcomes-suite.ts';
import { peopleSuite } from './sync/people-suite.ts';
import { recordsSuite } from './sync/records-suite.ts';
import { runsSuite } from './sync/runs-suite.ts';
import { snapshotSuite } from './sync/snapshots-suite.ts';

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
  callsSuite(database);
  peopleSearchSuite(database);
  erasePersonSuite(database);
  loginsSuite(database);
  retentionSuite(database);
  restoreSuite(database);
}
