// Batches of triggers of a campaign workflow: one at a time until a trigger has been verified, then two in parallel.

import { CancellationScope, isCancellation, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { apiQueue } from '../../src/core/ids.ts';
import { LANES } from '../../src/core/lanes.ts';
import type { NextAction, TriggerBatchResult } from '../../src/jobs/campaigns/contract/batches.ts';
import type { PlanNote } from '../../src/jobs/campaigns/contract/plan.ts';
import { BATCH_OPTIONS, callPriority } from '../policies.ts';
import type { CampaignCommands } from './campaign-commands.ts';
import { pauseFor } from './refusals.ts';
import { WaitingOut } from './waiting-out.ts';

/** If the worker of one batch is killed, the other batch continues. */
const PARALLEL_BATCHES = 2;

/** An outage is not a refusal, so a member is tried again soon after its end. */
const LONGEST_STALL_MS = 5 * 60_000;

/** Combined result of the batches. */
export interface Triggered {
  /** Milliseconds to wait because no member made progress; null if one did. */
  readonly idleMs: number | null;
  /** Follow-up events of the triggers. */
  readonly after: readonly string[];
}

export class TriggerBatches {
  readonly #run: string;
  readonly #commands: Pick<CampaignCommands, 'resumes' | 'pauseItself'>;
  /** Backoff while no member makes progress. */
  readonly #stall = new WaitingOut(LONGEST_STALL_MS);
  #scope = new CancellationScope();
  #underWay = 0;
  /**
   * A trigger has succeeded since the run began, or since the last refusal. Until then members go one at a time, so
   * that a refusal of the account costs one call instead of one per concurrent member.
   */
  #proved = false;
  #refusals = 0;

  constructor(run: string, commands: Pick<CampaignCommands, 'resumes' | 'pauseItself'>) {
    this.#run = run;
    this.#commands = commands;
  }

  get underWay(): number {
    return this.#underWay;
  }

  /** Cancels the batches in progress. They end within 1 to 2 s and return their results. */
  callOff(): void {
    this.#stall.command();
    this.#scope.cancel();
    this.#scope = new CancellationScope();
  }

  async trigger(
    tokenKey: string,
    { pacePerMinute, callsPerMinute }: Extract<NextAction, { do: 'triggerBatch' }>,
  ): Promise<Triggered> {
    const scope = this.#scope;
    const alone = !this.#proved;
    const { resumes } = this.#commands;
    const input = { run: this.#run, alone, pacePerMinute, resumes };
    const { triggerBatch } = proxyActivities<Activities>({
      ...BATCH_OPTIONS,
      taskQueue: apiQueue(workflowInfo().taskQueue),
      priority: callPriority(LANES.campaign, tokenKey, callsPerMinute),
    });
    const batches = Array.from({ length: alone ? 1 : PARALLEL_BATCHES }, () =>
      this.#batch(scope, resumes, () => triggerBatch(input)),
    );
    const results = (await Promise.all(batches)).filter((result) => result !== null);
    const after = results.flatMap((result) => result.after);
    if (results.some(({ members, proved }) => members > 0 || proved)) {
      this.#stall.clear();
      return { idleMs: null, after };
    }
    if (results.some(({ stalled }) => stalled)) this.#stall.refuse();
    return { idleMs: this.#stall.leftMs, after };
  }

  /** @returns null if the batch was cancelled before it began */
  async #batch(
    scope: CancellationScope,
    resumes: number,
    trigger: () => Promise<TriggerBatchResult>,
  ): Promise<TriggerBatchResult | null> {
    this.#underWay += 1;
    const refusals = this.#refusals;
    try {
      const result = await scope.run(trigger);
      if (result.refusal !== null) await this.refuse(result.refusal, resumes);
      // A trigger from before the refusal proves nothing.
      else if (refusals === this.#refusals) this.#proved ||= result.proved;
      return result;
    } catch (error) {
      // If its worker was killed before the cancellation, the batch ends as timed out.
      if (!isCancellation(error) && !scope.consideredCancelled) await this.refuse(pauseFor(error), resumes);
      return null;
    } finally {
      this.#underWay -= 1;
    }
  }

  /**
   * Pauses the run at once, because the account refuses every member. A refusal from before the last resume does not
   * pause: its cause may be what the operator has put right.
   */
  async refuse(refusal: PlanNote, resumes: number): Promise<void> {
    this.#proved = false;
    this.#refusals += 1;
    if (resumes < this.#commands.resumes) return;
    await this.#commands.pauseItself(refusal);
  }
}
