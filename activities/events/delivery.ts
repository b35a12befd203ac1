// Activities that follow sent messages. A batch checks the due ones and publishes what has changed. A check is one
// API call.
import { ApplicationFailure, Context } from '@temporalio/activity';
import type {
  DeliveryBatchInput,
  DeliveryBatchResult,
  DeliveryStart,
  DeliveryWatchInput,
} from '../../src/jobs/events/contract/delivery.ts';
import {
  type DueCheck,
  dueChecks,
  type Excluded,
  settleDeliveries,
} from '../../src/jobs/events/store/delivery-checks.ts';
import { openPollRun } from '../../src/jobs/events/store/intake-runs.ts';
import { type BatchControl, type BatchWork, runBatch } from '../shared/batch.ts';
import type { Deps } from '../shared/deps.ts';
import { blockOf, comesBackAfter, onlyWaits } from '../shared/failures.ts';
import { wakeSinks } from '../shared/wake.ts';
import { checkDelivery } from './delivery-check.ts';

/** Name of the run that counts the checks of an account. It shares a namespace with the pollers. */
const RUN_NAME = '@deliveries';
/** Number of checks in progress at the same time. */
const CONCURRENCY_LIMIT = 4;
/** Less than the time that a batch waits for work (activities/shared/batch.ts), so it retries a failure itself. */
const MAX_PAUSE_MS = 4000;

export interface DeliveryTools {
  /** Called with the sinks that have new events. @default starts or wakes their workflows */
  readonly wake?: (sinks: readonly string[]) => Promise<void>;
  /** @default the clock of this process */
  readonly now?: () => Date;
}

/** Activities of the work queue; they use only the ledger. */
export function createDeliveryLedgerActivities(deps: Deps) {
  const { db } = deps;
  return {
    async beginDelivery({ account: name }: DeliveryWatchInput): Promise<DeliveryStart> {
      const { tokens, tokenKey } = deps.account(name);
      const run = await openPollRun(db, name, RUN_NAME);
      return { run, tokenKey, callsPerMinute: await deps.budget.pace(tokens.map(({ key }) => key)) };
    },
  };
}

/** Activities of the API queue. */
export function createDeliveryActivities(deps: Deps, tools: DeliveryTools = {}) {
  return {
    /**
     * Checks due messages for up to one minute. The activity itself chooses them, so it skips what the poller saw
     * meanwhile, and ids of messages stay out of Temporal.
     */
    async deliveryBatch(input: DeliveryBatchInput): Promise<DeliveryBatchResult> {
      // An earlier attempt may have published events and ended before it woke the sinks.
      if (Context.current().info.attempt > 1)
        await (tools.wake ?? wakeSinks)(deps.account(input.account).announce.map(({ sink }) => sink));
      const batch = new DeliveryBatch(deps, input, tools);
      const { nextMs } = await runBatch(batch);
      return { nextMs, ...batch.result };
    },
  };
}

/**
 * Checks without a lease: an account has one watch, and a watch runs one batch at a time. If a message is checked
 * twice, the second check changes nothing.
 */
class DeliveryBatch implements BatchWork<DueCheck> {
  readonly concurrencyLimit = CONCURRENCY_LIMIT;
  readonly #deps: Deps;
  readonly #input: DeliveryBatchInput;
  readonly #wake: (sinks: readonly string[]) => Promise<void>;
  readonly #now: () => Date;
  /** Checks in progress, and checks that failed temporarily, with their number of failures and when to retry them. */
  readonly #active = new Map<string, { check: DueCheck; failures: number; until: number | null }>();
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
    for (const entry of this.#active.values()) {
      if (entry.until === null || entry.until > performance.now()) continue;
      entry.until = null;
      again.push(entry.check);
    }
    if (again.length > 0) return again;
    // A change that was seen but not published is due, too, and needs no call.
    await this.#settle();
    const due = await dueChecks(this.#deps.db, this.#input.account, this.#now(), limit, this.#excluded());
    for (const check of due) this.#active.set(nameOf(check), { check, failures: 0, until: null });
    return due;
  }

  async work(check: DueCheck, batch: BatchControl): Promise<void> {
    const entry = this.#active.get(nameOf(check)) as { failures: number; until: number | null };
    try {
      await checkDelivery(this.#deps, this.#input, check, { attempt: entry.failures + 1, now: this.#now });
      this.#checks++;
    } catch (error) {
      if (!(error instanceof ApplicationFailure)) throw error;
      if (error.nonRetryable === true) {
        this.#refused = blockOf(error).reason;
        return batch.stop();
      }
      const waitMs = comesBackAfter(error);
      if (waitMs === null) throw error;
      if (!onlyWaits(error)) entry.failures++;
      entry.until = performance.now() + Math.min(MAX_PAUSE_MS, waitMs);
      return;
    }
    this.#active.delete(nameOf(check));
  }

  /** Publishes what was seen. @returns milliseconds until the next check is due */
  async next(): Promise<number | null> {
    const nextMs = await this.#settle();
    const waits = [...this.#active.values()].flatMap(({ until }) =>
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

  /** A cancelled check is still due in the ledger. */
  async release(dueChecks: readonly DueCheck[]): Promise<void> {
    for (const check of dueChecks) this.#active.delete(nameOf(check));
  }

  async renew(): Promise<void> {}

  progress(): unknown {
    return { checks: this.#checks };
  }

  #excluded(): Excluded {
    const dueChecks = [...this.#active.values()].map(({ check }) => check);
    return {
      messages: dueChecks.flatMap((check) => ('message' in check ? [check.message] : [])),
      conversations: dueChecks.flatMap((check) => ('conversation' in check ? [check.conversation] : [])),
    };
  }
}

const nameOf = (check: DueCheck) =>
  'message' in check ? `message ${check.message}` : `page ${check.conversation}`;

/**
 * Publishes what pollers and checks have seen, without a call.
 *
 * @returns the sinks to wake, and milliseconds until the next check
 */
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
