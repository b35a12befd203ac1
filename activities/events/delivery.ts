// Following messages that were sent: a batch checks those that are due, and tells what is news. A check is one call of
// the API.
import { ApplicationFailure, Context } from '@temporalio/activity';
import type {
  DeliveryBatchInput,
  DeliveryBatchResult,
  DeliveryEntry,
  DeliveryFilter,
  DeliveryStart,
  DeliveryWatchInput,
} from '../../src/contracts/wire/delivery.ts';
import {
  type DueCheck,
  dueChecks,
  type Excluded,
  settleDeliveries,
} from '../../src/ledger/events/delivery-checks.ts';
import { listDeliveries } from '../../src/ledger/events/delivery-queries.ts';
import { openPollRun } from '../../src/ledger/events/intake-runs.ts';
import { type BatchControl, type BatchWork, runBatch } from '../shared/batch.ts';
import type { Deps } from '../shared/deps.ts';
import { comesBackAfter, onlyWaits } from '../shared/failures.ts';
import { wakeSinks } from '../shared/wake.ts';
import { checkDelivery } from './delivery-check.ts';

/** Name of the run that counts the checks of an account, among the names of its pollers. */
const RUN_NAME = '@deliveries';
/** Checks at once. */
const CONCURRENCY_LIMIT = 4;
/** Less than a batch waits for what is due soon (activities/shared/batch.ts): what failed is tried again within it. */
const MAX_PAUSE_MS = 4000;

export interface DeliveryTools {
  /** Told of the sinks that have something to do. @default starts or wakes their workflows */
  readonly wake?: (sinks: readonly string[]) => Promise<void>;
  /** @default the clock of this process */
  readonly now?: () => Date;
}

/** Ledger side: for the work queue. */
export function createDeliveryLedgerActivities(deps: Deps) {
  const { db } = deps;
  return {
    async beginDelivery({ account: name }: DeliveryWatchInput): Promise<DeliveryStart> {
      const { tokens, tokenKey } = deps.account(name);
      const run = await openPollRun(db, name, RUN_NAME);
      return { run, tokenKey, callsPerMinute: await deps.budget.pace(tokens.map(({ key }) => key)) };
    },

    /** Messages that were sent, as operators see them: nothing personal. */
    async listDeliveries(filter: DeliveryFilter): Promise<DeliveryEntry[]> {
      return await listDeliveries(db, filter);
    },
  };
}

/** For the API queue. */
export function createDeliveryActivities(deps: Deps, tools: DeliveryTools = {}) {
  return {
    /**
     * Checks messages that are due, for a minute at most. Chosen here, so that what the poller saw meanwhile is not asked
     * for, and ids of messages stay out of Temporal.
     */
    async deliveryBatch(input: DeliveryBatchInput): Promise<DeliveryBatchResult> {
      // An attempt before this one may have published sinks and ended before it woke them.
      if (Context.current().info.attempt > 1)
        await (tools.wake ?? wakeSinks)(deps.account(input.account).announce.map(({ sink }) => sink));
      const batch = new DeliveryBatch(deps, input, tools);
      const { nextMs } = await runBatch(batch);
      return { nextMs, ...batch.result };
    },
  };
}

/**
 * No check is leased: an account has one watch, and a watch one batch at a time. Of two checks of one message the second
 * one tells nothing new.
 */
class DeliveryBatch implements BatchWork<DueCheck> {
  readonly concurrencyLimit = CONCURRENCY_LIMIT;
  readonly #deps: Deps;
  readonly #input: DeliveryBatchInput;
  readonly #wake: (sinks: readonly string[]) => Promise<void>;
  readonly #now: () => Date;
  /** Checks under way, and those that failed for a reason that passes: how often, and until when they wait. */
  readonly #inHand = new Map<string, { check: DueCheck; failures: number; until: number | null }>();
  #checks = 0;
  #refused: string | null = null;

  constructor(
    deps: Deps,
    input: DeliveryBatchInput,
    { wake = wakeSinks, now = () => new Date() }: DeliveryTools,
  ) {
    this.#deps = deps;
    this.#input = input;
    this.#wake = wake;
    this.#now = now;
  }

  get result(): Pick<DeliveryBatchResult, 'checks' | 'refused'> {
    return { checks: this.#checks, refused: this.#refused };
  }

  async take(limit: number): Promise<readonly DueCheck[]> {
    const again: DueCheck[] = [];
    for (const inHand of this.#inHand.values()) {
      if (inHand.until === null || inHand.until > performance.now()) continue;
      inHand.until = null;
      again.push(inHand.check);
    }
    if (again.length > 0) return again;
    // What was seen and not published yet is due, too, and needs no check.
    await this.#settle();
    const due = await dueChecks(this.#deps.db, this.#input.account, this.#now(), limit, this.#excluded());
    for (const check of due) this.#inHand.set(nameOf(check), { check, failures: 0, until: null });
    return due;
  }

  async work(check: DueCheck, batch: BatchControl): Promise<void> {
    const inHand = this.#inHand.get(nameOf(check)) as { failures: number; until: number | null };
    try {
      await checkDelivery(this.#deps, this.#input, check, { attempt: inHand.failures + 1, now: this.#now });
      this.#checks++;
    } catch (error) {
      if (!(error instanceof ApplicationFailure)) throw error;
      if (error.nonRetryable === true) {
        this.#refused = `${error.type ?? 'REFUSED'}: ${error.message}`;
        return batch.stop();
      }
      const waitMs = comesBackAfter(error);
      if (waitMs === null) throw error;
      if (!onlyWaits(error)) inHand.failures++;
      inHand.until = performance.now() + Math.min(MAX_PAUSE_MS, waitMs);
      return;
    }
    this.#inHand.delete(nameOf(check));
  }

  /** Tells what was seen, and says when the next check is due. */
  async next(): Promise<number | null> {
    const nextMs = await this.#settle();
    const waits = [...this.#inHand.values()].flatMap(({ until }) =>
      until === null ? [] : [Math.max(0, until - performance.now())],
    );
    const ms = Math.min(nextMs ?? Infinity, ...waits);
    return ms === Infinity ? null : Math.ceil(ms);
  }

  async #settle(): Promise<number | null> {
    const { account } = this.#input;
    const { sinks, nextMs } = await settle(this.#deps, account, this.#now(), this.#excluded());
    await this.#wake(sinks);
    return nextMs;
  }

  /** What was called off is due in the ledger still. */
  async release(dueChecks: readonly DueCheck[]): Promise<void> {
    for (const check of dueChecks) this.#inHand.delete(nameOf(check));
  }

  async renew(): Promise<void> {}

  progress(): unknown {
    return { checks: this.#checks };
  }

  #excluded(): Excluded {
    const dueChecks = [...this.#inHand.values()].map(({ check }) => check);
    return {
      messages: dueChecks.flatMap((check) => ('message' in check ? [check.message] : [])),
      conversations: dueChecks.flatMap((check) => ('conversation' in check ? [check.conversation] : [])),
    };
  }
}

const nameOf = (check: DueCheck) =>
  'message' in check ? `message ${check.message}` : `page ${check.conversation}`;

/** Tells what others have seen, without a call. @returns the sinks to wake, and milliseconds until a check is due */
export async function settle(
  deps: Deps,
  account: string,
  now: Date,
  besides?: Excluded,
): Promise<{ sinks: string[]; nextMs: number | null }> {
  const announcing = { account, rules: deps.account(account).announce };
  const { sinks, nextAt } = await deps.db.transaction((tx) => settleDeliveries(tx, announcing, now, besides));
  return { sinks, nextMs: nextAt === null ? null : Math.max(0, nextAt.getTime() - now.getTime()) };
}
