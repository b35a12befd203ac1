// Activities that answer operator queries about campaigns from the ledger.
import type {
  CampaignAuditEntry,
  CampaignListInput,
  CampaignPlan,
  CampaignRunName,
} from '../../src/contracts/wire/campaign.ts';
import type { CampaignReport } from '../../src/contracts/wire/campaign-report.ts';
import { auditOf, listReports, reportOf } from '../../src/ledger/campaigns/campaign-report.ts';
import { catchUp } from '../../src/ledger/campaigns/campaign-results.ts';
import { findCampaign } from '../../src/ledger/campaigns/campaigns.ts';
import type { Deps } from '../shared/deps.ts';

/** Bounds the size of a list, which passes through Temporal as one payload. */
const MAX_RUNS = 200;

export function createReportActivities({ db, clock }: Deps) {
  return {
    /** Newest first, without waves. The results are as of the last time that they were computed. */
    async listCampaigns({ limit, ...filter }: CampaignListInput): Promise<CampaignReport[]> {
      return await listReports(db, { ...filter, limit: Math.min(limit, MAX_RUNS) });
    },

    /** Report with current results; null if there is no such run. */
    async campaignReport({ run }: CampaignRunName): Promise<CampaignReport | null> {
      const at = new Date(await clock.now());
      if ((await findCampaign(db, run)) === null) return null;
      await catchUp(db, run, at);
      return await reportOf(db, run);
    },

    /** The plan of a run; null if there is none. */
    async campaignPlanOf({ run }: CampaignRunName): Promise<CampaignPlan | null> {
      return (await findCampaign(db, run))?.plan ?? null;
    },

    async campaignAudit({ run }: CampaignRunName): Promise<CampaignAuditEntry[]> {
      return await auditOf(db, run);
    },
  };
}
