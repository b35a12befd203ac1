// Plans a campaign through its workflow, and shows how far that is.
import type { Client, WorkflowHandle } from '@temporalio/client';
import { campaignPlanProgressQuery } from '../../../../workflows/messages.ts';
import { campaignPlanIdentity } from '../../../core/ids.ts';
import { OperatorError } from '../../../operator/error.ts';
import type { Handlers, OperatorDeps } from '../../../operator/service/deps.ts';
import { describeWorkflow, failing } from '../../../operator/service/workflows.ts';
import type { CampaignName, CampaignPlanInput } from '../contract/batches.ts';
import type { CAMPAIGNS, CampaignPlanning } from '../contract/campaigns.ts';
import { listRuns } from '../store/campaigns.ts';
import { requireProvenIdentity } from './proven-identity.ts';
import { campaignRefusal } from './refusals.ts';
import { requireSameConfig } from './same-config.ts';

const PLAN_WORKFLOW = 'campaignPlan';
/** A worker answers a query within this time, in milliseconds, or the progress is left out. */
const QUERY_MS = 2000;

type Routes = Extract<
  keyof typeof CAMPAIGNS,
  'POST /campaigns/{campaign}/plan' | 'GET /campaigns/{campaign}/planning'
>;

export function planningHandlers(deps: OperatorDeps): Handlers<Routes> {
  const { db } = deps;

  async function newestRun(name: CampaignName) {
    const [row = null] = await listRuns(db, { account: name.account, campaign: name.campaign, limit: 1 });
    return row;
  }

  return {
    'POST /campaigns/{campaign}/plan': async ({ campaign }, caller) => {
      const { account, config } = deps.config().campaign(campaign);
      // Whoever plans under a claimed name could approve under their own.
      if (config.approval === 'second-person')
        requireProvenIdentity(caller, 'plan what a second person approves');
      const client = await deps.temporal();
      const input: CampaignPlanInput = { account, campaign, by: caller.identity };
      const { workflowId } = await client.workflow.start(PLAN_WORKFLOW, {
        ...campaignPlanIdentity(input),
        taskQueue: deps.workQueue,
        args: [input],
        workflowIdConflictPolicy: 'USE_EXISTING',
      });
      return { account, campaign, workflowId };
    },
    'GET /campaigns/{campaign}/planning': async ({ campaign }): Promise<CampaignPlanning> => {
      const { account } = deps.config().campaign(campaign);
      const client = await deps.runningTemporal();
      const name = { account, campaign };
      const live = client === null ? null : await planningNow(client, name);
      const row = await newestRun(name);
      if (live !== null)
        return { ...live, run: row?.state === 'planning' ? row.run_id : null, state: 'planning' };
      if (row === null)
        throw new OperatorError(
          'notFound',
          `the campaign "${campaign}" has no plan; make one with \`sluice campaign plan ${campaign}\``,
          { code: 'NO_PLAN' },
        );
      const ended = { run: row.run_id, phase: 'ended', part: 0, parts: 0, found: 0, trouble: null } as const;
      if (row.state === 'planning') return { ...ended, state: 'lost' };
      if (row.state === 'planned') await requireSameConfig(deps, row);
      return { ...ended, found: row.plan?.found ?? 0, state: 'planned' };
    },
  };
}

/**
 * Null when planning has ended.
 * @throws OperatorError with the reason when the campaign could not be planned
 */
async function planningNow(
  client: Client,
  name: CampaignName,
): Promise<Pick<CampaignPlanning, 'phase' | 'part' | 'parts' | 'found' | 'trouble'> | null> {
  const handle: WorkflowHandle = client.workflow.getHandle(campaignPlanIdentity(name).workflowId);
  const description = await describeWorkflow(handle);
  if (description === null) return null;
  if (description.status.name !== 'RUNNING') {
    await handle.result().catch((error: unknown) => {
      throw campaignRefusal(error, name.campaign);
    });
    return null;
  }
  const now = await client
    .withDeadline(Date.now() + QUERY_MS, () => handle.query(campaignPlanProgressQuery))
    .catch(() => null);
  const { phase, part, parts, found } = now ?? { phase: 'opening', part: 0, parts: 0, found: 0 };
  return { phase, part, parts, found, trouble: await failing(handle) };
}
