// Workflow that handles incoming events, each once and in order. Without a failure, an event is one activity. The
// events are in the ledger; this workflow handles only their hashes.

import {
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  isCancellation,
  log,
  proxyActivities,
  setHandler,
  setWorkflowOptions,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { eventQueue, SEARCH_KEYS } from '../src/core/ids.ts';
import { LANES } from '../src/core/lanes.ts';
import type { LeadIntakeInput, NextInQueue } from '../src/jobs/events/contract/intake.ts';
import { readySignal, retrySignal } from './messages.ts';
import { callPriority, EVENT_OPTIONS, LEDGER_OPTIONS } from './policies.ts';
import { reasonOf } from './shared/refusals.ts';
import { WaitingOut } from './shared/waiting-out.ts';
import { pinned } from './versioning.ts';

/** Number of events of one start that are in progress at the same time. */
const CONCURRENCY = 20;
/** How often a queued event checks whether it is next, in case the signal is lost. The delay doubles up to a minute. */
const FIRST_CHECK_MS = 1000;
const LAST_CHECK_MS = 60_000;
/** Events farther back check less often, because thousands of checks would slow down the events before them. */
const FIRST_FAR_CHECK_MS = 10_000;
const LAST_FAR_CHECK_MS = 600_000;
/** Dispatches the events of all accounts alike; the ledger's slots pace their calls. */
const CALLS_PER_MINUTE = 60_000;

const ledger = proxyActivities<Activities>(LEDGER_OPTIONS);

export async function leadIntake(input: LeadIntakeInput): Promise<void> {
  await new LeadIntake(input).execute();
}
setWorkflowOptions(pinned, leadIntake);

class LeadIntake {
  readonly #input: LeadIntakeInput;
  /** Waiting events, which the workflow's next run takes over. */
  readonly #left = new Set<string>();
  /** Events that were signaled to be next. */
  readonly #next = new Set<string>();
  /** Number of retries that operators have requested. */
  #retries = 0;
  #blocked = 0;

  constructor(input: LeadIntakeInput) {
    this.#input = input;
    setHandler(readySignal, (event) => void this.#next.add(event));
    setHandler(retrySignal, () => void this.#retries++);
  }

  async execute(): Promise<void> {
    const { account, route, lane, events } = this.#input;
    let begun = 0;
    const worker = async () => {
      while (begun < events.length && !isLong()) await this.#event(events[begun++] as string);
    };
    const rest = () => events.filter((event, n) => n >= begun || this.#left.has(event));
    // Waits for all workers: if the workflow ended at the first error, the other events would stay open.
    const workers = Array.from({ length: Math.min(CONCURRENCY, events.length) }, worker);
    const ended = await Promise.allSettled(workers);
    const failed = ended.find((each) => each.status === 'rejected');
    if (failed !== undefined) {
      if (!isCancelled(failed.reason)) throw failed.reason;
      await CancellationScope.nonCancellable(async () => {
        for (const event of rest()) await this.#cancel(event);
      });
      throw new CancelledFailure('the events of this workflow were cancelled');
    }
    if (rest().length > 0) await continueAsNew<typeof leadIntake>({ account, route, lane, events: rest() });
  }

  async #event(event: string): Promise<void> {
    try {
      const next = await this.#work(event);
      if (next !== null) await this.#signal(next);
    } catch (error) {
      if (isCancelled(error)) await CancellationScope.nonCancellable(() => this.#cancel(event));
      throw error;
    }
  }

  /**
   * Processes an event until it has ended, or until the next run takes it over.
   * @returns the event that is next in the queue
   */
  async #work(event: string): Promise<NextInQueue | null> {
    const refusal = new WaitingOut();
    for (let checks = 0; ; ) {
      this.#next.delete(event);
      // Read before the activity: an operator may fix the cause while the service refuses the event.
      const retries = this.#retries;
      const progress = await this.#activity(event);
      switch (progress.state) {
        case 'ended':
          return progress.next;
        case 'queued':
          await this.#wait(checkMs(checks++, progress.far), () => this.#next.has(event));
          break;
        case 'waiting':
          await this.#wait(progress.waitMs);
          break;
        case 'blocked':
          log.warn('an event is blocked', { event, reason: progress.reason });
          refusal.refuse();
          this.#showBlocked(+1);
          try {
            await refusal.over(() => this.#retries !== retries || isLong());
          } finally {
            this.#showBlocked(-1);
          }
      }
      if (isLong()) {
        this.#left.add(event);
        return null;
      }
    }
  }

  #activity(event: string) {
    const { account, lane } = this.#input;
    const { taskQueue, workflowId: workflow } = workflowInfo();
    const { workEvent } = proxyActivities<Activities>({
      ...EVENT_OPTIONS,
      taskQueue: eventQueue(taskQueue),
      priority: callPriority(LANES[lane], account, CALLS_PER_MINUTE),
    });
    return workEvent({ account, event, workflow });
  }

  async #wait(ms: number, or = () => false): Promise<void> {
    if (ms > 0) await condition(() => or() || isLong(), ms);
  }

  #showBlocked(change: number): void {
    this.#blocked += change;
    upsertSearchAttributes([{ key: SEARCH_KEYS.phase, value: this.#blocked > 0 ? 'blocked' : 'running' }]);
  }

  async #cancel(event: string): Promise<void> {
    const next = await ledger.cancelEvent({ event });
    if (next !== null) await this.#signal(next);
  }

  /** Signals the next event of the same subject. That event also checks by itself, in case the signal is lost. */
  async #signal(next: NextInQueue): Promise<void> {
    if (next.workflow === workflowInfo().workflowId) {
      this.#next.add(next.id);
      return;
    }
    try {
      await getExternalWorkflowHandle(next.workflow).signal(readySignal, next.id);
    } catch (error) {
      if (isCancellation(error)) throw error;
      log.info('could not signal the next event', { next: next.id, reason: reasonOf(error) });
    }
  }
}

function checkMs(checks: number, far: boolean): number {
  const [first, last] = far ? [FIRST_FAR_CHECK_MS, LAST_FAR_CHECK_MS] : [FIRST_CHECK_MS, LAST_CHECK_MS];
  return Math.min(first * 2 ** checks, last);
}

/** Days of waiting, with a check every minute, would grow the history until Temporal terminates the workflow. */
function isLong(): boolean {
  return workflowInfo().continueAsNewSuggested;
}

/** An activity that was waiting for a retry when the cancellation arrived ends with the failure of its last attempt. */
function isCancelled(error: unknown): boolean {
  return isCancellation(error) || CancellationScope.current().consideredCancelled;
}
