// Sends a command to a run of a campaign: to its workflow, which starts again if it has ended, or to the ledger if no
// workflow is needed.

import { randomUUID } from 'node:crypto';
import {
  type Client,
  WithStartWorkflowOperation,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { campaignOperatorCommand } from '../../../workflows/campaign-queries.ts';
import {
  cancelCampaignUpdate,
  changeRateUpdate,
  pauseCampaignUpdate,
  resolveUnknownUpdate,
  resumeCampaignUpdate,
  retryFailedUpdate,
  skipWaveUpdate,
} from '../../../workflows/messages.ts';
import type { reactivationCampaign } from '../../../workflows/reactivation-campaign.ts';
import { campaignIdentity, WORK_QUEUE } from '../../contracts/ids.ts';
import type { CampaignCommand, CampaignCommandResult } from '../../contracts/wire/campaign.ts';
import type { CampaignReport } from '../../contracts/wire/campaign-report.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { ANSWER_MS, noWorker, queryOperator } from '../lib/operator-query.ts';
import { type CampaignTarget, runsOf } from './campaign-find.ts';
import { campaignRefusal } from './campaign-refused.ts';

const UPDATES = {
  pause: pauseCampaignUpdate,
  resume: resumeCampaignUpdate,
  cancel: cancelCampaignUpdate,
  skipWave: skipWaveUpdate,
  rate: changeRateUpdate,
  retry: retryFailedUpdate,
  resolve: resolveUnknownUpdate,
} as const;

/** Approving a plan has its own command. */
export type SteeringCommand = CampaignCommand & { readonly action: keyof typeof UPDATES };

/** Number of runs to search. */
const RUNS = 200;

type Run = Pick<CampaignReport, 'run' | 'state' | 'startedAt'>;

/**
 * The run that a command applies to: the named run, else the active one. Without an active one: for `cancel` and
 * `rate` the waiting plan, for `retry` and `resolve` the run that was started last.
 * @param runs newest first
 * @throws CliError (not found) when there is none
 */
export function resolveRun(
  { account, campaign, run: named }: CampaignTarget,
  action: CampaignCommand['action'],
  runs: readonly Run[],
): Run {
  const inState = (state: CampaignReport['state']) => runs.find((run) => run.state === state);
  const found = () => {
    if (named !== null) return runs.find(({ run }) => run === named);
    const other = action === 'cancel' || action === 'rate' ? inState('planned') : undefined;
    const last =
      action === 'retry' || action === 'resolve' ? runs.find(({ startedAt }) => startedAt) : undefined;
    return inState('running') ?? other ?? last;
  };
  const run = found();
  if (run !== undefined) return run;
  if (named !== null) throw new CliError(EXIT.notFound, `the campaign "${campaign}" has no run ${named}`);
  const what = action === 'retry' || action === 'resolve' ? 'was never started' : 'has no run under way';
  throw new CliError(
    EXIT.notFound,
    `the campaign "${campaign}" of the account "${account}" ${what}; \`sluice campaign list ${campaign}\` shows its runs`,
  );
}

/**
 * Whether the workflow of the campaign must take part: while the run is active, and when members are retried. While
 * another run is active, the workflow belongs to that run, and the ledger handles the command.
 */
export function needsWorkflow(
  { run, state }: Run,
  action: CampaignCommand['action'],
  runs: readonly Run[],
): boolean {
  if (state === 'running') return true;
  const taken = runs.some((other) => other.state === 'running' && other.run !== run);
  return state === 'finished' && (action === 'retry' || action === 'resolve') && !taken;
}

/**
 * Sends a command to a run and waits until it is done, without a limit once a worker has it: active triggers end first.
 * @param answerMs how long to wait for a worker
 * @returns the run, and the number of members that it concerned
 * @throws CliError when there is no such run, the command is refused, or no worker answers
 */
export async function commandCampaign(
  client: Client,
  target: CampaignTarget,
  command: SteeringCommand,
  answerMs = ANSWER_MS,
): Promise<CampaignCommandResult & { readonly run: string }> {
  const runs = await runsOf(client, target, RUNS);
  const found = resolveRun(target, command.action, runs);
  const { run } = found;
  try {
    const { members } = needsWorkflow(found, command.action, runs)
      ? await update(client, target, run, command, answerMs)
      : await queryOperator<typeof campaignOperatorCommand>(client, 'campaign', 'campaignOperatorCommand', [
          { account: target.account, campaign: target.campaign, run, command, id: randomUUID() },
        ]);
    return { run, members };
  } catch (error) {
    throw explained(error, target, answerMs);
  }
}

async function update(
  client: Client,
  { account, campaign }: CampaignTarget,
  run: string,
  { action, ...command }: SteeringCommand,
  answerMs: number,
): Promise<CampaignCommandResult> {
  const said = { ...command, run };
  const startWorkflowOperation = new WithStartWorkflowOperation<typeof reactivationCampaign>(
    'reactivationCampaign',
    {
      ...campaignIdentity({ account, campaign }),
      taskQueue: WORK_QUEUE,
      args: [{ account, campaign, run, by: command.by }],
      workflowIdConflictPolicy: 'USE_EXISTING',
    },
  );
  const accepted = await client.withDeadline(Date.now() + answerMs, () =>
    client.workflow.startUpdateWithStart<typeof reactivationCampaign, CampaignCommandResult, [typeof said]>(
      UPDATES[action].name,
      { args: [said], waitForStage: 'ACCEPTED', startWorkflowOperation },
    ),
  );
  return await accepted.result();
}

function explained(error: unknown, { campaign }: CampaignTarget, answerMs: number): unknown {
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return noWorker(error, answerMs);
  if (error instanceof WorkflowUpdateFailedError && isOver(error.cause))
    return new CliError(
      EXIT.conflict,
      `"${campaign}" ended before it could answer; see \`sluice campaign status ${campaign}\``,
      { cause: error },
    );
  return campaignRefusal(error);
}

/** Temporal's error for a workflow that ended or was canceled before it answered. */
const isOver = (cause: unknown) =>
  cause instanceof CancelledFailure ||
  (cause instanceof ApplicationFailure && cause.type === 'AcceptedUpdateCompletedWorkflow');
