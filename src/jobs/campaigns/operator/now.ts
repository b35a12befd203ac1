// What a run does now: from its workflow, from its batches, and from the ledger.
import type { Client } from '@temporalio/client';
import { campaignProgressQuery } from '../../../../workflows/messages.ts';
import { campaignIdentity } from '../../../core/ids.ts';
import { OperatorError } from '../../../operator/error.ts';
import { batchDetails } from '../../../operator/service/batch-details.ts';
import type { Handlers, OperatorDeps, OverviewDeps } from '../../../operator/service/deps.ts';
import { createMemo } from '../../../operator/service/memo.ts';
import { describeWorkflow, failing } from '../../../operator/service/workflows.ts';
import {
  type CampaignCounts,
  type CampaignProgress,
  type TriggerBatchProgress,
} from '../contract/batches.ts';
import type { CAMPAIGNS, CampaignNow } from '../contract/campaigns.ts';
import type { PlanNote } from '../contract/plan.ts';
import type { CampaignRow } from '../store/campaigns.ts';
import { countRun, type RunCounts } from '../store/timeline.ts';
import { endOf } from './estimate.ts';
import { campaignRefusal } from './refusals.ts';
import { findRun } from './target.ts';

/** Period over which the pace is measured. */
const PACE_MS = 5 * 60_000;
/** After the start, the pace is known this many minutes later. */
const LEAST_MINUTES = 1 / 60;
/** A worker answers a query within this time, in milliseconds, or the progress is left out. */
const QUERY_MS = 2000;
/** A member may fail this often before it is reported: one lost answer is normal. */
const QUIET_FAILURES = 2;

type Routes = Extract<keyof typeof CAMPAIGNS, 'GET /campaigns/{campaign}/progress'>;

interface Live {
  readonly isRunning: boolean;
  readonly progress: CampaignProgress | null;
  readonly trouble: string | null;
  readonly failure: PlanNote | null;
}

export function progressHandlers(deps: OperatorDeps): Handlers<Routes> {
  const nowOf = createCampaignNow(deps);
  return { 'GET /campaigns/{campaign}/progress': ({ campaign }) => nowOf(campaign) };
}

/** What a run does now, by the name of its campaign or by its id. */
export function createCampaignNow(deps: OverviewDeps): (campaign: string) => Promise<CampaignNow> {
  const { db } = deps;
  const counted = createMemo<RunCounts & { readonly pacePerMinute: number }>();

  async function count({ run_id, started_at }: CampaignRow, nowMs: number) {
    const fromMs = Math.max(nowMs - PACE_MS, started_at?.getTime() ?? nowMs);
    const counts = await countRun(db, run_id, new Date(fromMs));
    const minutes = (nowMs - fromMs) / 60_000;
    return { ...counts, pacePerMinute: minutes < LEAST_MINUTES ? 0 : counts.recent / minutes };
  }

  return async (campaign) => {
    const row = await findRun(db, campaign);
    const { run_id: run, state } = row;
    const live = await liveOf(await deps.runningTemporal(), row);
    const nowMs = await deps.now();
    const counts = await counted.get(`${run} ${state}`, () => count(row, nowMs));
    // The workflow counts when it decides what comes next. The ledger also has what batches ended since then, and is
    // what the report and the chart of the run count.
    const progress = live.progress && {
      ...live.progress,
      counts: counts.counts,
      paused: pauseOf(row, live.progress),
    };
    const { done, total } = ofCounts(counts.counts);
    const isRunning = state === 'running';
    const isPaused = (progress?.paused ?? row.paused) !== null;
    const fromMs = Math.max(nowMs, progress?.waiting == null ? 0 : Date.parse(progress.waiting.until));
    const endMs = isRunning && !isPaused && row.blocked === null ? endOf(row, counts.waiting, fromMs) : null;
    return {
      run,
      timeZone: row.spec.timeZone,
      state,
      isOver: !['planning', 'planned', 'running'].includes(state) && !live.isRunning,
      progress,
      phase: progress?.phase ?? null,
      block: isRunning ? blockOf(row, progress) : null,
      trouble: live.trouble,
      failure: live.failure,
      done,
      total,
      pacePerMinute: isRunning ? counts.pacePerMinute : 0,
      etaAt: endMs === null ? null : new Date(endMs).toISOString(),
    };
  };
}

/** The workflow knows first whether the run is paused. The ledger also knows since when, and after which resume. */
function pauseOf({ paused }: CampaignRow, now: CampaignProgress): CampaignProgress['paused'] {
  return now.paused === null ? null : (paused ?? now.paused);
}

async function liveOf(client: Client | null, row: CampaignRow): Promise<Live> {
  const none: Live = { isRunning: false, progress: null, trouble: null, failure: null };
  if (client === null || row.started_at === null) return none;
  const handle = client.workflow.getHandle(campaignIdentity(row).workflowId);
  const description = await describeWorkflow(handle);
  if (description === null) return none;
  if (description.status.name !== 'RUNNING') {
    if (row.state !== 'running') return none;
    const failure = await handle.result().then(
      () => null,
      (error: unknown) => noteOf(campaignRefusal(error, row.campaign)),
    );
    return { ...none, failure };
  }
  const now = await client
    .withDeadline(Date.now() + QUERY_MS, () => handle.query(campaignProgressQuery))
    .catch(() => null);
  // The workflow belongs to another run of the campaign.
  if (now !== null && now.run !== row.run_id) return none;
  const batches = [...(await batchDetails<TriggerBatchProgress>(handle)).values()];
  const { failures = 0, reason = '' } = batches.find(({ trouble }) => trouble !== null)?.trouble ?? {};
  return {
    isRunning: true,
    progress: now,
    trouble: failures > QUIET_FAILURES ? `tried again and again: ${reason}` : await failing(handle),
    failure: null,
  };
}

function ofCounts(counts: CampaignCounts): { done: number; total: number } {
  const { triggered, skipped, failed, unknown, cancelled, waiting, sending } = counts;
  const done = triggered + skipped + failed + unknown + cancelled;
  return { done, total: done + waiting + sending };
}

/** Why a run triggers nobody until an operator acts. A pause by a person does not count. */
export function blockOf(
  row: Pick<CampaignRow, 'paused' | 'blocked'>,
  progress: CampaignProgress | null,
): PlanNote | null {
  if (progress?.waiting?.blocked !== undefined) return progress.waiting.blocked;
  const paused = progress === null ? row.paused : progress.paused;
  if (paused?.code !== undefined) return { code: paused.code, reason: paused.reason };
  return row.blocked;
}

function noteOf(error: unknown): PlanNote {
  if (error instanceof OperatorError) return { code: error.code ?? 'FAILED', reason: error.message };
  return { code: 'FAILED', reason: error instanceof Error ? error.message : String(error) };
}
