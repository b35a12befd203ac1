// Campaigns of which a second person approves each plan, and callers with several identities.
import type { LoadedConfig } from '../../../../src/config/load.ts';
import { digestOfSpec } from '../../../../src/jobs/campaigns/store/campaigns.ts';
import { operatorContext } from '../../../support/operator/context.ts';
import { campaignRows, RUN } from '../../jobs/campaigns/store/rows.ts';

const SPEC = { account: 'acme', campaign: 'spring', config: { approval: 'second-person' } };
const CONFIG = {
  file: '/etc/sluice.yaml',
  config: { campaigns: {}, accounts: {} },
  campaign: () => SPEC,
  reload: async () => CONFIG,
} as unknown as LoadedConfig;

/** Call it once, at the top of a test file. */
export function approvalContext() {
  const context = operatorContext({ config: CONFIG });
  const { db } = context;
  const rows = campaignRows(() => db);
  return {
    ...context,
    /** A plan that this identity made. */
    async plan(by: string, run = RUN): Promise<void> {
      await rows.run(run, { state: 'planned' });
      const digest = digestOfSpec(SPEC as never);
      await db.query("update campaigns set planned_by = $1, digest = $2, plan = '{}' where run_id = $3", [
        by,
        digest,
        run,
      ]);
    },
    /** Audited commands become this many days older. */
    age: (days: number) => db.query("update operator_audit set at = at - $1 * interval '1 day'", [days]),
  };
}
