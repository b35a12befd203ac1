// Everything that planning promises, for any ledger.
import type { OpenDatabase } from '../../../core/sql/support.ts';
import { planConflictSuite } from './plan-conflict-suite.ts';
import { planDrySuite } from './plan-dry-suite.ts';
import { planIncrementalSuite } from './plan-incremental-suite.ts';
import { planMergeSuite } from './plan-merge-suite.ts';
import { planMirrorSuite } from './plan-mirror-suite.ts';
import { planPageSuite } from './plan-page-suite.ts';

export function planSuites(database: OpenDatabase): void {
  planPageSuite(database);
  planMergeSuite(database);
  planConflictSuite(database);
  planMirrorSuite(database);
  planIncrementalSuite(database);
  planDrySuite(database);
}
