// Starts plans and runs of campaigns as workflows, or joins those that run already, and follows them.

import { type Client, WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import type { campaignPlan } from '../../../workflows/campaign-plan.ts';
import { campaignPlanProgressQuery, campaignProgressQuery } from '../../../workflows/messages.ts';
import type { reactivationCampaign } from '../../../workflows/reactivation-campaign.ts';
import { deadlineSignal } from '../../contracts/deadline.ts';
import { campaignIdentity, campaignPlanIdentity, WORK_QUEUE } from '../../contracts/ids.ts';
import type {
  CampaignInput,
  CampaignName,
  CampaignPlan,
  CampaignPlanInput,
  CampaignProgress,
  CampaignResult,
  PlanNote,
} from '../../contracts/wire/campaign.ts';
import { failing } from '../../operator/service/syncs/trouble.ts';
import { CliError, EXIT, exitCodeOfBlock } from '../lib/exit.ts';
import { follow, pause } from '../lib/follow.ts';
import type { Progress } from '../lib/progress.ts';
import { formatTime, formatCount as n } from '../lib/progress.ts';
import { readCampaignProgress, type Trouble } from './campaign-progress.ts';
import { campaignRefusal } from './campaign-refused.ts';

/** Minimum time for a query, even when less time is left. */
const QUERY_LEAST_MS = 100;

type PlanHandle = WorkflowHandle<typeof campaignPlan>;
export type CampaignHandle = WorkflowHandle<typeof reactivationCampaign>;

export interface Watching {
  readonly client: Client;
  readonly progress: Progress;
  /** Ends the watching; the work goes on. */
  readonly signal: AbortSignal;
}

/**
 * Plans a campaign; joins the planning that is under way.
 * @returns null when `signal` ended the watching
 * @throws CliError when it can't be planned
 */
export async function planCampaign(
  watching: Watching,
  input: CampaignPlanInput,
): Promise<CampaignPlan | null> {
  const { client, progress, signal } = watching;
  const handle: PlanHandle = await client.workflow.start<typeof campaignPlan>('campaignPlan', {
    ...campaignPlanIdentity(input),
    taskQueue: WORK_QUEUE,
    args: [input],
    workflowIdConflictPolicy: 'USE_EXISTING',
  });
  const trouble = troubleOf(handle, progress);
  const check = async () => {
    const now = await handle.query(campaignPlanProgressQuery).catch(() => null);
    if (now === null) return;
    await trouble();
    const part = now.parts > 1 && now.part < now.parts ? ` (part ${now.part + 1} of ${now.parts})` : '';
    const note = now.phase === 'reading' ? `reading the audience${part}` : now.phase;
    progress.update({ done: now.found, total: null, note });
  };
  try {
    const plan = await follow({ client, handle, check, signal });
    if (plan !== null) progress.update({ done: plan.found, total: plan.found, note: 'done' });
    return plan;
  } catch (error) {
    throw campaignRefusal(error);
  } finally {
    progress.finish();
  }
}

/**
 * Starts a run, or joins it when it is under way.
 * @param accepted how long to wait for a worker to take it
 * @returns how it stands, as soon as it has been accepted
 * @throws CliError when it is refused, another run of the campaign is under way, or no worker takes it
 */
export async function startCampaign(
  { client, signal }: Pick<Watching, 'client' | 'signal'>,
  input: CampaignInput,
  acceptMs: number,
): Promise<{ handle: CampaignHandle; progress: CampaignProgress | null }> {
  const handle: CampaignHandle = await client.workflow.start<typeof reactivationCampaign>(
    'reactivationCampaign',
    {
      ...campaignIdentity(input),
      taskQueue: WORK_QUEUE,
      args: [input],
      workflowIdConflictPolicy: 'USE_EXISTING',
    },
  );
  // A refusal ends the workflow; a small campaign may be over before anybody has asked.
  let over = false;
  const ended = handle.result().then(
    () => {
      over = true;
      return null;
    },
    (error: unknown) => {
      over = true;
      return { error };
    },
  );
  const until = Date.now() + acceptMs;
  while (!signal.aborted) {
    const progress = await asked(client, handle, signal, Math.max(QUERY_LEAST_MS, until - Date.now()));
    if (over) {
      const failed = await ended;
      if (failed !== null) throw campaignRefusal(failed.error);
    }
    if (progress !== null && progress.run !== input.run) throw anotherRun(input, progress.run);
    if (over || (progress !== null && progress.phase !== 'opening')) return { handle, progress };
    if (Date.now() > until) throw notTaken(input, acceptMs);
    await pause(200, signal);
  }
  return { handle, progress: null };
}

async function asked(
  client: Client,
  handle: CampaignHandle,
  signal: AbortSignal,
  answerMs: number,
): Promise<CampaignProgress | null> {
  const stop = AbortSignal.any([signal, deadlineSignal(answerMs)]);
  return await client.connection
    .withAbortSignal(stop, () => handle.query(campaignProgressQuery))
    .catch(() => null);
}

function anotherRun({ campaign }: CampaignName, run: string): CliError {
  const way = `\`sluice campaign status ${campaign}\` shows it`;
  return new CliError(EXIT.conflict, `the run ${run} of "${campaign}" is under way; ${way}`);
}

function notTaken({ campaign }: CampaignName, ms: number): CliError {
  const way = 'it begins when a worker runs: start `sluice dev` or `sluice worker`';
  return new CliError(EXIT.unavailable, `no worker has taken "${campaign}" within ${ms / 1000} s; ${way}`);
}

/** Why a run triggers nobody until an operator acts. A pause by a person does not count. */
export function blockOf({ paused, waiting }: Pick<CampaignProgress, 'paused' | 'waiting'>): PlanNote | null {
  if (waiting?.blocked !== undefined) return waiting.blocked;
  if (paused?.code === undefined) return null;
  return { code: paused.code, reason: paused.reason };
}

/**
 * Shows the progress of a run until it ends.
 * @param attended whether a person watches who can act when the run is blocked
 * @returns null when `signal` stopped the watching
 * @throws CliError when it failed, or is blocked and nobody watches who can act on it
 */
export async function followCampaign(
  { client, progress, signal }: Watching,
  handle: CampaignHandle,
  {
    campaign,
    timeZone,
    attended,
  }: { readonly campaign: string; readonly timeZone: string; readonly attended: boolean },
): Promise<CampaignResult | null> {
  const blocked = new AbortController();
  let paused: string | null = null;
  const trouble = troubleOf(handle, progress);
  const check = async () => {
    const now = await readCampaignProgress(handle).catch(() => null);
    if (now === null) return;
    const pauseNow =
      now.paused === null ? null : `paused by ${now.paused.by}: ${now.paused.reason || 'no reason given'}`;
    if (pauseNow !== null && pauseNow !== paused)
      progress.line(`${pauseNow}; go on with \`sluice campaign resume ${campaign}\``);
    paused = pauseNow;
    const block = blockOf(now);
    if (block !== null && !attended) blocked.abort(block);
    await trouble(now.trouble);
    const state = stateOf(now, timeZone);
    if (state !== null) progress.update(state);
  };
  try {
    const stop = AbortSignal.any([signal, blocked.signal]);
    const result = await follow({ client, handle, check, signal: stop });
    if (result === null && blocked.signal.aborted && !signal.aborted)
      throw blockedRun(campaign, blocked.signal.reason as PlanNote);
    return result;
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    throw campaignRefusal(error);
  } finally {
    progress.finish();
  }
}

function blockedRun(campaign: string, { code, reason }: PlanNote): CliError {
  const way = `the run waits; \`sluice campaign status ${campaign}\` shows it`;
  return new CliError(exitCodeOfBlock(code), `"${campaign}" has stopped triggering: ${reason}; ${way}`);
}

/** Null while the ledger has said nothing yet. */
export function stateOf(
  { counts, wave, waiting, paused }: CampaignProgress,
  timeZone: string,
): { done: number; total: number; note: string } | null {
  if (counts === null) return null;
  const { triggered, skipped, failed, unknown, cancelled } = counts;
  const done = triggered + skipped + failed + unknown + cancelled;
  const parts = [
    ...(wave === null ? [] : [`wave ${wave}`]),
    `${n(triggered)} triggered`,
    ...(skipped === 0 ? [] : [`${n(skipped)} skipped`]),
    ...(failed === 0 ? [] : [`${n(failed)} failed`]),
    ...(unknown === 0 ? [] : [`${n(unknown)} unknown`]),
    ...(cancelled === 0 ? [] : [`${n(cancelled)} cancelled`]),
    ...(paused === null ? [] : ['paused']),
    ...(waiting === null || paused !== null
      ? []
      : waiting.blocked !== undefined
        ? [`blocked: ${waiting.blocked.reason}`]
        : [`waits until ${formatTime(new Date(waiting.until), timeZone)} (${waiting.why})`]),
  ];
  return { done, total: done + counts.waiting + counts.sending, note: parts.join(', ') };
}

/** A member may fail this often before it is reported: one lost answer is normal. */
const QUIET_FAILURES = 2;

/** Reports each repeated failure of calls once. */
function troubleOf(
  handle: Pick<WorkflowHandle, 'describe'>,
  progress: Progress,
): (of?: Trouble) => Promise<void> {
  let reported: string | null = null;
  return async (of = null) => {
    const repeated =
      of === null || of.failures <= QUIET_FAILURES ? null : `tried again and again: ${of.reason}`;
    const trouble = repeated ?? (await failing(handle));
    if (trouble !== null && trouble !== reported) progress.line(trouble);
    reported = trouble;
  };
}
