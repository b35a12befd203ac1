// All suites of the ledger, run on each database: one SQL, two databases.

import { effectsSuite } from '../../jobs/events/store/effects-suite.ts';
import { eventsSuite } from '../../jobs/events/store/events-suite.ts';
import { dueRecordsSuite } from '../../jobs/sync/store/due-records-suite.ts';
import { intentsSuite } from '../../jobs/sync/store/intents-suite.ts';
import { outcomesSuite } from '../../jobs/sync/store/outcomes-suite.ts';
import { peopleSuite } from '../../jobs/sync/store/people-suite.ts';
import { recordsSuite } from '../../jobs/sync/store/records-suite.ts';
import { runsSuite } from '../../jobs/sync/store/runs-suite.ts';
import { snapshotSuite } from '../../jobs/sync/store/snapshots-suite.ts';
import { unknownSuite } from '../../jobs/sync/store/unknown-suite.ts';
import { callsSuite } from '../../operator/store/calls-suite.ts';
import { erasePersonSuite } from '../../operator/store/erase-suite.ts';
import { excludedSuite } from '../../operator/store/excluded-suite.ts';
import { loginsSuite } from '../../operator/store/logins-suite.ts';
import { peopleSearchSuite } from '../../operator/store/people-suite.ts';
import { rowSearchSuite } from '../../operator/store/row-search-suite.ts';
import { databaseSuite } from './database-suite.ts';
import { restoreSuite } from './restore-suite.ts';
import { retentionSuite } from './retention-suite.ts';
import type { OpenDatabase } from './support.ts';

export function ledgerSuites(database: OpenDatabase): void {
  databaseSuite(database);
  runsSuite(database);
  recordsSuite(database);
  dueRecordsSuite(database);
  intentsSuite(database);
  outcomesSuite(database);
  unknownSuite(database);
  eventsSuite(database);
  peopleSuite(database);
  snapshotSuite(database);
  effectsSuite(database);
  callsSuite(database);
  peopleSearchSuite(database);
  rowSearchSuite(database);
  excludedSuite(database);
  erasePersonSuite(database);
  loginsSuite(database);
  retentionSuite(database);
  restoreSuite(database);
}
