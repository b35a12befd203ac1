// Follows a run of a campaign to its end, in this process or in another.

import { pause } from '../../../cli/lib/connect/follow.ts';
import { describePause } from '../../../cli/lib/describe-pause.ts';
import { CliError, exitCodeOfBlock } from '../../../cli/lib/exit.ts';
import {
  formatTime,
  formatCount as n,
  type Progress,
  type ProgressState,
} from '../../../cli/lib/terminal/progress.ts';
import type { OperatorClient } from '../../../operator/client/client.ts';
import type { CampaignProgress } from '../contract/batches.ts';
import type { CampaignNow } from '../contract/campaigns.ts';
import type { PlanNote } from '../contract/plan.ts';

const CHECK_MS = 500;

export interface FollowedCampaign {
  readonly client: OperatorClient;
  readonly campaign: string;
  readonly run: string;
  readonly progress: Progress;
  /** Stops watching; the run continues. */
  readonly signal: AbortSignal;
  /** Whether a person watches who can act when the run is blocked. */
  readonly attended: boolean;
}

/**
 * Shows the progress of a run until it ends.
 * @returns false when `signal` stopped the watching
 * @throws CliError when its workflow failed, or when it is blocked and nobody watches who can act on it
 */
export async function followCampaign(followed: FollowedCampaign): Promise<boolean> {
  const { client, run, progress, signal } = followed;
  const show = showing(followed);
  try {
    while (!signal.aborted) {
      const now = await client.call('GET /campaigns/{campaign}/progress', { campaign: run }, { signal });
      show(now);
      if (now.isOver) return true;
      await pause(CHECK_MS, signal);
    }
    return false;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  } finally {
    progress.finish();
  }
}

function showing({ campaign, attended, progress }: FollowedCampaign): (now: CampaignNow) => void {
  let paused: string | null = null;
  let trouble: string | null = null;
  return (now) => {
    const by = now.progress?.paused ?? null;
    const pauseNow = by === null ? null : describePause(by, now.timeZone);
    if (pauseNow !== null && pauseNow !== paused)
      progress.line(`${pauseNow}; go on with \`sluice campaign resume ${campaign}\``);
    paused = pauseNow;
    if (now.failure !== null)
      throw new CliError(exitCodeOfBlock(now.failure.code), `"${campaign}" ended: ${now.failure.reason}`);
    if (now.block !== null && !attended) throw blockedRun(campaign, now.block);
    if (now.trouble !== null && now.trouble !== trouble) progress.line(now.trouble);
    trouble = now.trouble;
    const state = now.progress === null ? null : stateOf(now.progress, now.timeZone);
    if (state !== null) progress.update(state);
  };
}

function blockedRun(campaign: string, { code, reason }: PlanNote): CliError {
  const way = `the run waits; \`sluice campaign status ${campaign}\` shows it`;
  return new CliError(exitCodeOfBlock(code), `"${campaign}" has stopped triggering: ${reason}; ${way}`);
}

/** Null while the ledger has said nothing yet. */
export function stateOf(
  { counts, wave, waiting, paused }: CampaignProgress,
  timeZone: string,
): (ProgressState & { readonly note: string }) | null {
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
    ...(waiting === null || paused !== null
      ? []
      : waiting.blocked !== undefined
        ? [`blocked: ${waiting.blocked.reason}`]
        : [`waits until ${formatTime(new Date(waiting.until), timeZone)} (${waiting.why})`]),
  ];
  const total = done + counts.waiting + counts.sending;
  return { done, total, note: parts.join(', '), paused: paused !== null };
}
