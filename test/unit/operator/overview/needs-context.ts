// What the overview says of a ledger, as tests of its needs read it.
import type { Database } from '../../../../src/core/sql/database.ts';
import type { OverviewProbes } from '../../../../src/operator/service/overview/probes.ts';
import { askOverview } from './overview-context.ts';
import { WELL } from './rows.ts';

export const readOverview = (db: Database, probes: OverviewProbes = WELL, input: { account?: string } = {}) =>
  askOverview({ db, warned: [], probes }, 'GET /overview', input);

/** Kind, account, name, count and code of each need. */
export async function readNeeds(db: Database, probes?: OverviewProbes) {
  const { needs } = await readOverview(db, probes);
  return needs.map(({ kind, account, name, count, code }) => [kind, account, name, count, code]);
}
