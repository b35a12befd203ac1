// What the overview says of a ledger, as tests of its needs read it.
import type { Database } from '../../../../src/core/sql/database.ts';
import { OVERVIEW } from '../../../../src/operator/contract/overview.ts';
import { overviewHandlers } from '../../../../src/operator/service/overview/index.ts';
import type { OverviewProbes } from '../../../../src/operator/service/overview/probes.ts';
import { depsOf, WELL } from './rows.ts';

export async function readOverview(
  db: Database,
  probes: OverviewProbes = WELL,
  input: { account?: string } = {},
) {
  const handler = overviewHandlers(depsOf(db), probes)['GET /overview'];
  return OVERVIEW['GET /overview'].output.parse(await handler(input, {} as never));
}

/** Kind, account, name, count and code of each need. */
export async function readNeeds(db: Database, probes?: OverviewProbes) {
  const { needs } = await readOverview(db, probes);
  return needs.map(({ kind, account, name, count, code }) => [kind, account, name, count, code]);
}
