// Activities that open a plan, read the parts of its audience that cost no call, and freeze the audience.
import { ApplicationFailure, Context } from '@temporalio/activity';
import type {
  AudiencePage,
  AudiencePageInput,
  CampaignPlanInput,
  CampaignPlanning,
  CampaignRunName,
  CampaignSpec,
} from '../../src/jobs/campaigns/contract/batches.ts';
import { compileAudience, MappingConfigError } from '../../src/jobs/campaigns/rules/audience-row.ts';
import { campaignNews } from '../../src/jobs/campaigns/store/campaign-news.ts';
import { getCampaign, moveCampaign } from '../../src/jobs/campaigns/store/campaigns.ts';
import { openPlan } from '../../src/jobs/campaigns/store/plans.ts';
import { openRestore, type Restore } from '../../src/protect/restore/restores.ts';
import type { AccountAccess, Deps } from '../shared/deps.ts';
import { wakeSinks } from '../shared/wake.ts';
import { freeze } from './audience/freeze.ts';
import { listsOf } from './audience/names.ts';
import { readRows, readsExcludedNumbers } from './audience/rows.ts';

/**
 * @param readMs how long one call of `readAudienceRows` keeps starting pages, in milliseconds; 0 reads one page per
 *   call
 */
export function createCampaignPlanActivities(
  deps: Deps,
  {
    readMs,
    wake = wakeSinks,
  }: { readonly readMs?: number; readonly wake?: (sinks: readonly string[]) => Promise<void> } = {},
) {
  const { db } = deps;

  return {
    /**
     * Opens the plan of a campaign. It replaces a plan that was not started.
     * @throws ApplicationFailure CONFIG; RUN_OPEN while a run of the campaign is in progress; RESTORED after a restore
     *   of the ledger, until an operator ends it
     */
    async openCampaignPlan({ account, campaign, by }: CampaignPlanInput): Promise<CampaignPlanning> {
      const { spec, access } = configured(deps, account, campaign);
      const restored = await openRestore(db);
      if (restored !== null) throw ApplicationFailure.nonRetryable(afterRestore(restored), 'RESTORED');
      const { workflowExecution } = Context.current().info;
      const at = new Date(await deps.clock.now());
      const opened = await openPlan(db, { spec, by, at, workflow: workflowExecution?.runId ?? '' });
      if ('underWay' in opened) {
        const message = `the run ${opened.underWay} of the campaign is in progress; wait until it ends, or end it with \`sluice campaign cancel ${campaign}\``;
        throw ApplicationFailure.nonRetryable(message, 'RUN_OPEN');
      }
      return {
        run: opened.run,
        tokenKey: access.tokenKey,
        callsPerMinute: await deps.budget.pace(access.tokens.map(({ key }) => key)),
        lists: listsOf(spec),
        parts: partsOf(spec),
      };
    },

    /**
     * Reads some pages of a part of the audience from a source or the ledger, or of `exclude.numbers` after the last
     * part.
     */
    async readAudienceRows(input: AudiencePageInput): Promise<AudiencePage> {
      return await readRows(deps, input, readMs);
    },

    /** Decides who is excluded and why, and who is in the control group. The audience does not change after this. */
    async freezeAudience({ run }: CampaignRunName): Promise<void> {
      await freeze(deps, run);
    },

    /** Marks a plan as failed with a reason. A plan that has already ended does not change. */
    async failCampaignPlan({ run, reason }: CampaignRunName & { readonly reason: string }): Promise<void> {
      const at = new Date(await deps.clock.now());
      const sinks = await db.transaction(async (tx) => {
        if (!(await moveCampaign(tx, run, ['planning'], 'failed', at, reason))) return [];
        const row = await getCampaign(tx, run);
        const news = campaignNews(row, deps.announce(row.account));
        news.changed('failed', { at, reason });
        return await news.publish(tx);
      });
      await wake(sinks);
    },
  };
}

/** @throws ApplicationFailure CONFIG if the configuration allows no plan; no call has been made yet */
function configured(
  deps: Deps,
  account: string,
  campaign: string,
): { spec: CampaignSpec; access: AccountAccess } {
  try {
    const spec = deps.campaign(account, campaign);
    for (const part of spec.config.audience) compileAudience(spec.config, part);
    return { spec, access: deps.account(account) };
  } catch (error) {
    const where =
      error instanceof MappingConfigError ? `campaigns.${campaign}.${error.path.join('.')}: ` : '';
    const message = error instanceof MappingConfigError ? error.problem : (error as Error).message;
    throw ApplicationFailure.nonRetryable(where + message, 'CONFIG');
  }
}

function afterRestore({ restoredTo }: Restore): string {
  return `the ledger was restored to ${restoredTo} and does not know who was reached since: check the campaigns of that time in the service, then run \`sluice ledger end-restore\``;
}

function partsOf(spec: CampaignSpec): CampaignPlanning['parts'] {
  const parts = spec.config.audience.map(({ from }) =>
    from === 'cards' || from === 'contacts' ? ('api' as const) : ('ledger' as const),
  );
  return readsExcludedNumbers(spec) ? [...parts, 'ledger'] : parts;
}
