// Sends a command to a run of a campaign: to its workflow, which starts again if it has ended, or to the ledger if no
// workflow is needed.
import { randomUUID } from 'node:crypto';
import { WithStartWorkflowOperation } from '@temporalio/client';
import {
  cancelCampaignUpdate,
  changeRateUpdate,
  pauseCampaignUpdate,
  resolveUnknownUpdate,
  resumeCampaignUpdate,
  retryFailedUpdate,
  skipWaveUpdate,
} from '../../../../workflows/messages.ts';
import { campaignIdentity, campaignRoute, leadIntakeIdentity } from '../../../core/ids.ts';
import type { Caller } from '../../../operator/service/caller.ts';
import type { Handlers, OperatorDeps } from '../../../operator/service/deps.ts';
import { ANSWER_MS } from '../../../operator/service/workflows.ts';
import type {
  CampaignCommand,
  CampaignCommandResult,
  CampaignInput,
  CampaignName,
  CampaignResult,
} from '../contract/batches.ts';
import type { CAMPAIGNS } from '../contract/campaigns.ts';
import { getCampaign } from '../store/campaigns.ts';
import type { Figures } from './figures.ts';
import { campaignRefusal } from './refusals.ts';
import { CAMPAIGN_WORKFLOW } from './start.ts';
import { needsWorkflow, resolveCampaign, runsOf, runToSteer } from './target.ts';

const EVENT_WORKFLOW = 'leadIntake';
/** Puts tasks of these workflows before those of syncs, as the ingress does. */
const EVENT_PRIORITY = { priorityKey: 2 };

const UPDATES = {
  pause: pauseCampaignUpdate,
  resume: resumeCampaignUpdate,
  cancel: cancelCampaignUpdate,
  skipWave: skipWaveUpdate,
  rate: changeRateUpdate,
  retry: retryFailedUpdate,
  resolve: resolveUnknownUpdate,
} as const;

type SteeringCommand = CampaignCommand & { readonly action: keyof typeof UPDATES };
type Routes = Extract<
  keyof typeof CAMPAIGNS,
  `POST /campaigns/{campaign}/${'pause' | 'resume' | 'cancel' | 'rate' | 'skip-wave' | 'retry' | 'resolve'}`
>;

export function commandHandlers(deps: OperatorDeps, figures: Figures): Handlers<Routes> {
  /** Waits until the command is done: active triggers end first. */
  async function steer(text: string, command: SteeringCommand) {
    const target = resolveCampaign(deps.config(), text);
    const { account, campaign } = target;
    const runs = await runsOf(deps.db, target);
    const found = runToSteer(target, command.action, runs);
    const run = found.run_id;
    try {
      const { members } = needsWorkflow(found, command.action, runs)
        ? await update(deps, { account, campaign, run, by: command.by }, command)
        : await inLedger(deps, target, run, command);
      return { account, campaign, run, members };
    } catch (error) {
      throw campaignRefusal(error, campaign);
    } finally {
      figures.forget(run);
    }
  }

  /** The limit of a run until now; null if it has none of its own. */
  async function rateOf(text: string): Promise<number | null> {
    const target = resolveCampaign(deps.config(), text);
    const { run_id } = runToSteer(target, 'rate', await runsOf(deps.db, target));
    const { pace, spec } = await getCampaign(deps.db, run_id);
    return pace === null ? (spec.config.waves.callsPerMinute ?? null) : pace || null;
  }

  const from = (reason: string, caller: Caller) => ({ by: caller.identity, reason });
  return {
    'POST /campaigns/{campaign}/pause': ({ campaign, reason }, caller) =>
      steer(campaign, { action: 'pause', ...from(reason, caller) }),
    'POST /campaigns/{campaign}/resume': ({ campaign, reason }, caller) =>
      steer(campaign, { action: 'resume', ...from(reason, caller) }),
    'POST /campaigns/{campaign}/cancel': ({ campaign, reason }, caller) =>
      steer(campaign, { action: 'cancel', ...from(reason, caller) }),
    'POST /campaigns/{campaign}/skip-wave': ({ campaign, reason }, caller) =>
      steer(campaign, { action: 'skipWave', ...from(reason, caller) }),
    'POST /campaigns/{campaign}/rate': async ({ campaign, reason, callsPerMinute }, caller) => {
      const before = await rateOf(campaign);
      return {
        ...(await steer(campaign, { action: 'rate', callsPerMinute, ...from(reason, caller) })),
        before,
      };
    },
    'POST /campaigns/{campaign}/retry': ({ campaign, reason, codes }, caller) =>
      steer(campaign, { action: 'retry', codes, ...from(reason, caller) }),
    'POST /campaigns/{campaign}/resolve': ({ campaign, reason, members, as, again }, caller) =>
      steer(campaign, { action: 'resolve', members, as, again, ...from(reason, caller) }),
  };
}

/** A command on a plan, or on a run that no workflow works on. */
async function inLedger(
  deps: OperatorDeps,
  { account, campaign }: CampaignName,
  run: string,
  command: SteeringCommand,
): Promise<CampaignCommandResult> {
  const result = await deps.tools.campaignCommand({ run, command, id: randomUUID(), withoutWorkflow: true });
  const { after = [] } = result;
  if (after.length === 0) return result;
  // What follows settled triggers, for example the moves of cards: the workflow of events does it.
  const route = campaignRoute(campaign);
  const client = await deps.temporal();
  await client.workflow.start(EVENT_WORKFLOW, {
    ...leadIntakeIdentity(account, route, randomUUID()),
    taskQueue: deps.workQueue,
    args: [{ account, route, lane: 'campaign', events: after }],
    priority: EVENT_PRIORITY,
  });
  return result;
}

type CampaignWorkflow = (input: CampaignInput) => Promise<CampaignResult>;

async function update(
  deps: OperatorDeps,
  input: CampaignInput,
  { action, ...command }: SteeringCommand,
): Promise<CampaignCommandResult> {
  const client = await deps.temporal();
  const given = { ...command, run: input.run };
  const startWorkflowOperation = new WithStartWorkflowOperation<CampaignWorkflow>(CAMPAIGN_WORKFLOW, {
    ...campaignIdentity(input),
    taskQueue: deps.workQueue,
    args: [input],
    workflowIdConflictPolicy: 'USE_EXISTING',
  });
  const accepted = await client.withDeadline(Date.now() + ANSWER_MS, () =>
    client.workflow.startUpdateWithStart<CampaignWorkflow, CampaignCommandResult, [typeof given]>(
      UPDATES[action].name,
      { args: [given], waitForStage: 'ACCEPTED', startWorkflowOperation },
    ),
  );
  return await accepted.result();
}
