// Activity that triggers a batch of members: it leases due members from the ledger and makes the calls of each.
import { randomUUID } from 'node:crypto';
import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity';
import { durationMs } from '../../../src/core/config/base.ts';
import type {
  MemberStep,
  TriggerBatchInput,
  TriggerBatchResult,
} from '../../../src/jobs/campaigns/contract/batches.ts';
import { MEMBER_OUTCOMES } from '../../../src/jobs/campaigns/contract/campaign-events.ts';
import { type CampaignRow, getCampaign } from '../../../src/jobs/campaigns/store/campaigns.ts';
import { openAfterEvents } from '../../../src/jobs/campaigns/store/commands.ts';
import {
  deferMember,
  type MemberCheck,
  nextDue,
  renewMembers,
  returnMembers,
  takeMembers,
} from '../../../src/jobs/campaigns/store/member-checks.ts';
import { sinksOf } from '../../../src/jobs/outbox/contract/announce.ts';
import { type BatchControl, type BatchWork, LEASE_SECONDS, runBatch } from '../../shared/batch.ts';
import { callScope, delayInScope, withCallScope } from '../../shared/call-scope.ts';
import type { Deps } from '../../shared/deps.ts';
import { blockOf, comesBackAfter, onlyWaits } from '../../shared/failures.ts';
import { reportHalt } from '../../shared/halt.ts';
import { wakeSinks } from '../../shared/wake.ts';
import { openNow } from '../waves/next-in-waves.ts';
import { BatchTally } from './batch-tally.ts';
import { FRESH_MS, type Frozen, questionOf } from './check.ts';
import { createMemberSteps, type MemberSteps } from './member.ts';
import type { MemberResult } from './outcome.ts';

const CONCURRENCY_LIMIT = 24;
/**
 * The same if tags are read before each trigger. The next slots go to members whose tags were just read, so this many
 * slots are the most between a read and its trigger: 3 s at 120 calls per minute.
 */
const RECHECK_LIMIT = 6;
/** Delay before Sluice checks a member again that the rules do not allow yet. */
const LEFT_MS = 15_000;

/** A member that this batch works on: one that it leased, or the one whose trigger must be verified. */
type Item = { readonly id: number; readonly read?: MemberCheck; readonly step: MemberStep };

export interface BatchTools {
  /** Number of members in progress at the same time. @default 24 */
  readonly concurrencyLimit?: number;
  /** Wakes the delivery of sinks that have new events. */
  readonly wake?: (sinks: readonly string[]) => Promise<void>;
}

const OUTCOMES = MEMBER_OUTCOMES.map((outcome) => `sluice.campaign.member.${outcome}` as const);

export function createTriggerBatchActivities(
  deps: Deps,
  { concurrencyLimit = CONCURRENCY_LIMIT, wake = wakeSinks }: BatchTools = {},
) {
  const steps = createMemberSteps(deps);
  return {
    /**
     * Triggers due members of the open wave for up to one minute. It ends early when no member is due, when the first
     * of their windows closes, when the campaign ends, and when the account refuses something that every member
     * needs.
     */
    async triggerBatch(input: TriggerBatchInput): Promise<TriggerBatchResult> {
      const row = await getCampaign(deps.db, input.run);
      const frozen = await steps.frozen(input.run);
      // The ledger stores what a crashed attempt did not hand over.
      const lost = Context.current().info.attempt > 1 ? await openAfterEvents(deps.db, row) : [];
      const batch = new TriggerBatch({ deps, steps, frozen, row, input, lost, concurrencyLimit });
      await batch.open();
      await runBatch(batch);
      // Once for all members. After a crash the sinks look for themselves, within ten minutes.
      await wake(sinksOf(deps.announce(row.account), OUTCOMES));
      return await batch.result();
    },
  };
}

interface Opened {
  readonly deps: Deps;
  readonly steps: MemberSteps;
  readonly frozen: Frozen;
  readonly row: CampaignRow;
  readonly input: TriggerBatchInput;
  readonly lost: readonly string[];
  readonly concurrencyLimit: number;
}

class TriggerBatch implements BatchWork<Item> {
  readonly concurrencyLimit: number;
  readonly #o: Opened;
  readonly #holder = randomUUID();
  readonly #owned = new Set<number>();
  readonly #tally: BatchTally;
  readonly #first: MemberStep;
  readonly #rechecks: boolean;
  readonly #mostFreshMs: number;
  #freshMs = FRESH_MS;
  #zones: readonly string[] = [];
  /** Time after which no member starts: a window closes, or the campaign ends. */
  #closesMs = Number.POSITIVE_INFINITY;
  #unverified: number | null;
  /** True once the workflow knows why the account refuses every member. */
  #reported = Promise.resolve(false);

  constructor(opened: Opened) {
    this.#o = opened;
    const { recheck, recheckWithin } = opened.frozen.campaign.spec.config;
    this.#rechecks = recheck === 'api';
    this.#mostFreshMs = durationMs(recheckWithin);
    const most = this.#rechecks ? Math.min(RECHECK_LIMIT, opened.concurrencyLimit) : opened.concurrencyLimit;
    this.concurrencyLimit = opened.input.alone ? 1 : most;
    this.#tally = new BatchTally(this.concurrencyLimit, opened.lost);
    this.#unverified = opened.row.unverified;
    this.#first = this.#rechecks ? 'recheckMember' : 'triggerMember';
  }

  /** Reads the windows that are open now. */
  async open(): Promise<void> {
    const { deps, frozen } = this.#o;
    const now = await deps.clock.now();
    const { campaign: run, calendar } = frozen;
    const { zones, closesMs } = await openNow({ tx: deps.db, run, calendar, now });
    this.#zones = zones;
    this.#closesMs = closesMs;
  }

  async result(): Promise<TriggerBatchResult> {
    const result = this.#tally.result();
    return (await this.#reported) ? { ...result, refusal: null } : result;
  }

  async renew(): Promise<void> {
    await renewMembers(this.#o.deps.db, [...this.#owned], await this.#lease());
  }

  progress(): unknown {
    return this.#tally.progress();
  }

  async #lease() {
    const until = (await this.#o.deps.clock.now()) + LEASE_SECONDS * 1000;
    return { holder: this.#holder, until: new Date(until) };
  }

  async take(limit: number): Promise<Item[]> {
    const id = this.#unverified;
    this.#unverified = null;
    if (id !== null) return [{ id, step: 'verifyMember' }];
    const { deps, frozen } = this.#o;
    const now = await deps.clock.now();
    if (this.#isOver(now)) return [];
    const checks = await takeMembers(
      deps.db,
      questionOf(frozen, now),
      { zones: this.#zones, limit, at: new Date(now) },
      await this.#lease(),
    );
    for (const check of checks) this.#owned.add(check.id);
    return checks.map((read) => ({ id: read.id, read, step: this.#first }));
  }

  async next(): Promise<number | null> {
    const { deps, input } = this.#o;
    const now = await deps.clock.now();
    if (this.#isOver(now)) return null;
    const due = await nextDue(deps.db, input.run, this.#zones, new Date(now));
    return due === null ? null : Math.max(0, due.getTime() - now);
  }

  #isOver(now: number): boolean {
    return now >= this.#closesMs || this.#tally.isOver;
  }

  /** Makes the calls of one member until it has an outcome or has to wait. */
  async work(item: Item, batch: BatchControl): Promise<void> {
    const { id } = item;
    let { read } = item;
    const calls = { made: 0 };
    try {
      for (let next: MemberStep | null = item.step; next !== null; read = undefined) {
        const step: MemberStep = next;
        try {
          const result = await this.#call(step, id, read, calls);
          await this.#answered(item, result, batch);
          next = result.next;
        } catch (error) {
          if (await this.#failed(id, step, error, batch)) return;
        }
      }
    } finally {
      this.#owned.delete(id);
    }
  }

  /**
   * Applies the campaign's rate to the triggers. If tags are read right before them, it applies to a member's first
   * call: the member waits for its turn, then its tags are read, and its trigger takes the next slot.
   */
  async #call(
    step: MemberStep,
    id: number,
    read: MemberCheck | undefined,
    calls: { made: number },
  ): Promise<MemberResult> {
    const { steps, frozen, input } = this.#o;
    const { pacePerMinute: perMinute, run } = input;
    const scope = callScope();
    const freshMs = this.#freshMs;
    const call = () => steps.run(step, { ...frozen, freshMs }, id, read);
    const isPaced = perMinute !== null && (this.#rechecks ? calls.made === 0 : step === 'triggerMember');
    const follows = this.#rechecks && calls.made > 0;
    const started = () => {
      calls.made++;
      scope.started?.();
    };
    const result = await withCallScope(
      {
        ...scope,
        started,
        pace: isPaced ? { key: run, perMinute } : scope.pace,
        follows,
      },
      call,
    );
    // The tags were too old when the trigger had its slot, so its calls are further apart than that.
    if (follows && step === 'triggerMember' && result.next === 'recheckMember')
      this.#freshMs = Math.max(this.#freshMs, Math.min(2 * freshMs, this.#mostFreshMs));
    return result;
  }

  async #answered(item: Item, { state, next, left, after }: MemberResult, batch: BatchControl) {
    const { id, step } = item;
    if (left === 'member') return await this.#defer(id, LEFT_MS);
    if (left === 'campaign') {
      batch.finish();
      return await this.release([item]);
    }
    this.#tally.answered(after);
    if (next !== null) return;
    // The member was postponed.
    if (state === 'waiting') return await this.release([item]);
    const isNew = step !== 'verifyMember';
    this.#tally.ended(state, isNew);
    const { deps, row } = this.#o;
    const { account, campaign } = row;
    if (isNew) deps.outcomes?.memberEnded({ account, campaign, outcome: state });
    if (this.#tally.isOver || (this.#tally.proved && this.#o.input.alone)) batch.finish();
  }

  /**
   * @returns true if this batch is done with the member; false to repeat the same step
   * @throws the reason of the cancellation
   */
  async #failed(id: number, step: MemberStep, error: unknown, batch: BatchControl): Promise<boolean> {
    const { signal } = callScope();
    if (error instanceof CancelledFailure && signal.aborted) throw signal.reason;
    if (!(error instanceof ApplicationFailure)) throw error;
    if (error.nonRetryable) {
      this.#refused(error);
      batch.stop();
      throw signal.reason;
    }
    const waitMs = comesBackAfter(error);
    if (waitMs === null) throw error;
    // No other member is triggered before the first trigger is verified.
    if (step === 'verifyMember' && onlyWaits(error)) {
      await delayInScope(waitMs);
      return false;
    }
    await this.#defer(id, waitMs);
    if (!onlyWaits(error)) {
      const { deps, input } = this.#o;
      const about = { run: input.run, member: id, code: error.type };
      deps.log.warn(about, 'a member failed and will be retried');
      this.#tally.failed(id, error);
      if (this.#tally.isStalled) batch.finish();
    }
    return true;
  }

  /** Keeps the first reason only. */
  #refused(error: ApplicationFailure): void {
    if (this.#tally.isRefused) return;
    const refusal = blockOf(error);
    this.#tally.refused(refusal);
    const { deps, input } = this.#o;
    if (!input.alone)
      this.#reported = reportHalt(deps, input.run, { ...refusal, kinds: 0, resumes: input.resumes });
  }

  async #defer(id: number, ms: number): Promise<void> {
    const { deps, input } = this.#o;
    const until = (await deps.clock.now()) + ms;
    await deferMember(deps.db, { run: input.run, id }, this.#holder, new Date(until));
  }

  async release(items: readonly Item[]): Promise<void> {
    await returnMembers(
      this.#o.deps.db,
      items.map(({ id }) => id),
      this.#holder,
    );
  }
}
