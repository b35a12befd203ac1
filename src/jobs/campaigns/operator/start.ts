// Approves and starts plans.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { campaignProgressQuery } from '../../../../workflows/messages.ts';
import { campaignIdentity } from '../../../core/ids.ts';
import { OperatorError } from '../../../operator/error.ts';
import type { Handlers, OperatorDeps } from '../../../operator/service/deps.ts';
import { ANSWER_MS } from '../../../operator/service/workflows.ts';
import type { CampaignInput, CampaignProgress } from '../contract/batches.ts';
import type { CAMPAIGNS } from '../contract/campaigns.ts';
import type { Figures } from './figures.ts';
import { requireProvenIdentity } from './proven-identity.ts';
import { campaignRefusal } from './refusals.ts';
import { requireSameConfig } from './same-config.ts';
import { findRun, planToApprove, resolveCampaign, runsOf, runToStart } from './target.ts';

export const CAMPAIGN_WORKFLOW = 'reactivationCampaign';
const CHECK_MS = 100;
/** Minimum time for a query, even when less time is left. */
const QUERY_LEAST_MS = 100;

type Routes = Extract<keyof typeof CAMPAIGNS, `POST /campaigns/{campaign}/${'approve' | 'start'}`>;

export function startHandlers(deps: OperatorDeps, figures: Figures): Handlers<Routes> {
  const { db } = deps;
  return {
    'POST /campaigns/{campaign}/approve': async ({ campaign: text, run, reason }, caller) => {
      requireProvenIdentity(caller, 'approve');
      const target = resolveCampaign(deps.config(), text);
      const { account, campaign } = target;
      const plan = planToApprove(target, run, await runsOf(db, { ...target, run }));
      if (plan.state === 'planned') await requireSameConfig(deps, { ...plan, campaign });
      const by = caller.identity;
      try {
        await deps.tools.campaignCommand({
          run,
          command: { action: 'approve', by, reason },
          id: randomUUID(),
          withoutWorkflow: true,
        });
      } catch (error) {
        throw campaignRefusal(error, campaign);
      }
      return { account, campaign, run, approvedBy: by };
    },
    'POST /campaigns/{campaign}/start': async ({ campaign: text, reason }, caller) => {
      const target = resolveCampaign(deps.config(), text);
      const { account, campaign } = target;
      const found = runToStart(target, await runsOf(db, target));
      const run = found.run_id;
      if (found.state === 'planned') {
        requireNoProblems(await findRun(db, run));
        await requireSameConfig(deps, { ...found, campaign });
      }
      const client = await deps.temporal();
      await startRun(
        client,
        { account, campaign, run, by: caller.identity, reason },
        { taskQueue: deps.workQueue },
      );
      figures.forget(run);
      return { account, campaign, run, joined: found.state === 'running' };
    },
  };
}

function requireNoProblems({ plan, campaign }: Awaited<ReturnType<typeof findRun>>): void {
  const problems = plan?.problems ?? [];
  if (problems.length === 0) return;
  const what = problems.length === 1 ? 'this problem' : `these ${problems.length} problems`;
  const list = problems.map(({ code, reason }) => `${reason} [${code}]`).join('; ');
  throw new OperatorError(
    'conflict',
    `a plan with ${what} can't be started: ${list}. Correct them, and plan it again with \`sluice campaign plan ${campaign}\``,
    { code: 'PLAN_HAS_PROBLEMS' },
  );
}

/**
 * Starts a run, or joins it when it is active, and waits until a worker has accepted it.
 * @param acceptMs how long to wait for a worker
 * @throws OperatorError when it is refused, another run of the campaign is active, or no worker takes it
 */
export async function startRun(
  client: Client,
  input: CampaignInput,
  { taskQueue, acceptMs = ANSWER_MS }: { readonly taskQueue: string; readonly acceptMs?: number },
): Promise<void> {
  const handle = await client.workflow.start(CAMPAIGN_WORKFLOW, {
    ...campaignIdentity(input),
    taskQueue,
    args: [input],
    workflowIdConflictPolicy: 'USE_EXISTING',
  });
  const ended = new AbortController();
  // A refusal ends the workflow; a small campaign may be over before anybody has asked.
  const result: Promise<{ readonly error?: unknown }> = handle.result().then(
    () => ({}),
    (error: unknown) => ({ error }),
  );
  void result.then(() => ended.abort());
  const untilMs = Date.now() + acceptMs;
  for (;;) {
    const progress = await progressOf(client, handle, untilMs);
    if (ended.signal.aborted) {
      const { error } = await result;
      if (error !== undefined) throw campaignRefusal(error, input.campaign);
      return;
    }
    if (progress !== null && progress.run !== input.run) throw anotherRun(input, progress.run);
    if (progress !== null && progress.phase !== 'opening') return;
    if (Date.now() > untilMs) throw notTaken(input, acceptMs);
    await delay(CHECK_MS, undefined, { signal: ended.signal }).catch(() => undefined);
  }
}

async function progressOf(
  client: Client,
  handle: Pick<WorkflowHandle, 'query'>,
  untilMs: number,
): Promise<CampaignProgress | null> {
  const deadline = Math.max(Date.now() + QUERY_LEAST_MS, untilMs);
  return await client.withDeadline(deadline, () => handle.query(campaignProgressQuery)).catch(() => null);
}

function anotherRun({ campaign }: CampaignInput, run: string): OperatorError {
  return new OperatorError(
    'conflict',
    `the run ${run} of "${campaign}" is under way; \`sluice campaign status ${campaign}\` shows it`,
    { code: 'ANOTHER_RUN' },
  );
}

function notTaken({ campaign }: CampaignInput, ms: number): OperatorError {
  return new OperatorError(
    'unavailable',
    `no worker has taken "${campaign}" within ${ms / 1000} s; it begins when a worker runs: start \`sluice dev\` or \`sluice worker\``,
    { code: 'NO_WORKER' },
  );
}
