// Opens a plan, reads what of its audience costs no call, and freezes what was read.
import { ApplicationFailure, Context } from '@temporalio/activity';
import type {
  AudiencePage,
  AudiencePageInput,
  CampaignPlanInput,
  CampaignPlanning,
  CampaignRunName,
  CampaignSpec,
} from '../../src/contracts/wire/campaign.ts';
import { openPlan } from '../../src/ledger/campaigns/campaign-plans.ts';
import { moveCampaign } from '../../src/ledger/campaigns/campaigns.ts';
import { compileAudience, MappingConfigError } from '../../src/mapping/audience.ts';
import type { AccountAccess, Deps } from '../shared/deps.ts';
import { freeze } from './audience/freeze.ts';
import { listsOf } from './audience/names.ts';
import { readRows, readsExcludedNumbers } from './audience/rows.ts';

/** @param readMs how long one call of `readAudienceRows` begins further pages; 0: one page a call */
export function createCampaignPlanActivities(deps: Deps, { readMs }: { readonly readMs?: number } = {}) {
  const { db } = deps;

  return {
    /**
     * Opens the plan of a campaign, in place of one that was not started.
     * @throws ApplicationFailure CONFIG, or RUN_OPEN while a run of it is under way
     */
    async openCampaignPlan({ account, campaign, by }: CampaignPlanInput): Promise<CampaignPlanning> {
      const { spec, access } = configured(deps, account, campaign);
      const { workflowExecution } = Context.current().info;
      const at = new Date(await deps.clock.now());
      const opened = await openPlan(db, { spec, by, at, workflow: workflowExecution?.runId ?? '' });
      if ('underWay' in opened) {
        const message = `the run ${opened.underWay} of the campaign is under way; wait for its end, or end it with sluice campaign cancel ${campaign}`;
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

    /** Rows of a source, or people of the ledger: some pages of a part of the audience, or of `exclude.numbers` behind the last. */
    async readAudienceRows(input: AudiencePageInput): Promise<AudiencePage> {
      return await readRows(deps, input, readMs);
    },

    /** Decides who is left out and why, and who is in the control group; nobody comes in after this. */
    async freezeAudience({ run }: CampaignRunName): Promise<void> {
      await freeze(deps, run);
    },

    /** The plan can not be made: says why. One that is over already stays as it is. */
    async failCampaignPlan({ run, reason }: CampaignRunName & { readonly reason: string }): Promise<void> {
      const at = new Date(await deps.clock.now());
      await db.transaction((tx) => moveCampaign(tx, run, ['planning'], 'failed', at, reason));
    },
  };
}

/** @throws ApplicationFailure CONFIG for what no plan could be made by; nothing has been spent on it yet */
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

function partsOf(spec: CampaignSpec): CampaignPlanning['parts'] {
  const parts = spec.config.audience.map(({ from }) =>
    from === 'cards' || from === 'contacts' ? ('api' as const) : ('ledger' as const),
  );
  return readsExcludedNumbers(spec) ? [...parts, 'ledger'] : parts;
}
