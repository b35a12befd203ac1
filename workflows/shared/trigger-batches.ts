// Batches of triggers as a workflow runs them: one alone until a trigger has shown that it works, then two side by side.

import { CancellationScope, isCancellation, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { apiQueue } from '../../src/contracts/ids.ts';
import type { NextAction, TriggerBatchResult } from '../../src/contracts/wire/campaign.ts';
import { BATCH_OPTIONS, callPriority, LANE } from '../policies.ts';
import { reasonOf } from './refusals.ts';
import { WaitingOut } from './waiting-out.ts';

/** When the worker of one batch is killed, the other one goes on. */
const SIDE_BY_SIDE = 2;

/** An outage is no refusal: soon after its end somebody is tried again. */
const LONGEST_STALL_MS = 5 * 60_000;

/** What batches came to together. */
export interface Triggered {
  /** Nobody got on: milliseconds until it is worth another try. Null: somebody did. */
  readonly idleMs: number | null;
  /** Events that follow the triggers. */
  readonly after: readonly string[];
}

export class TriggerBatches {
  readonly #run: string;
  /** Hears at once why the account refuses every member. */
  readonly #refused: (reason: string) => Promise<void>;
  /** Nobody gets on. */
  readonly #stall = new WaitingOut(LONGEST_STALL_MS);
  #scope = new CancellationScope();
  #underWay = 0;
  /**
   * A flow was triggered since the run began or was refused. Until then members go one by one: what the account refuses costs
   * one call, not one for each that would be under way.
   */
  #proved = false;
  #refusals = 0;

  constructor(run: string, refused: (reason: string) => Promise<void>) {
    this.#run = run;
    this.#refused = refused;
  }

  get underWay(): number {
    return this.#underWay;
  }

  /** Batches under way end within a second or two, and with their results. */
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
    const input = { run: this.#run, alone, pacePerMinute };
    const { triggerBatch } = proxyActivities<Activities>({
      ...BATCH_OPTIONS,
      taskQueue: apiQueue(workflowInfo().taskQueue),
      priority: callPriority(LANE.campaign, tokenKey, callsPerMinute),
    });
    const batches = Array.from({ length: alone ? 1 : SIDE_BY_SIDE }, () =>
      this.#batch(scope, () => triggerBatch(input)),
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

  /** @returns null: it was called off before it began */
  async #batch(
    scope: CancellationScope,
    trigger: () => Promise<TriggerBatchResult>,
  ): Promise<TriggerBatchResult | null> {
    this.#underWay += 1;
    const refusals = this.#refusals;
    try {
      const result = await scope.run(trigger);
      if (result.refusal !== null) await this.refuse(result.refusal);
      // What was triggered before the account refused proves nothing.
      else if (refusals === this.#refusals) this.#proved ||= result.proved;
      return result;
    } catch (error) {
      // One whose worker was killed before it was called off ends as timed out.
      if (!isCancellation(error) && !scope.consideredCancelled) await this.refuse(reasonOf(error));
      return null;
    } finally {
      this.#underWay -= 1;
    }
  }

  /** The account refuses every member. */
  async refuse(reason: string): Promise<void> {
    this.#proved = false;
    this.#refusals += 1;
    await this.#refused(reason);
  }
}
