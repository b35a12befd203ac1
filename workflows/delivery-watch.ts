// Follows the messages that an account has sent until they are read, have failed, or three days are over. The ledger
// knows which message to look at and when; this workflow waits for it. It ends when nothing is followed, and is started
// again by the next message that is sent.
import {
  condition,
  continueAsNew,
  isCancellation,
  log,
  proxyActivities,
  setHandler,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { DeliveryTurn, DeliveryWatchInput } from '../src/contracts/delivery.ts';
import { SEARCH_KEYS, wakeSignal } from './messages.ts';
import { API_OPTIONS, apiQueue, callPriority, LANE, SHORT_LEDGER_OPTIONS } from './policies.ts';
import { reasonOf } from './refusals.ts';

/** What the account refuses is tried again, ever later, or when somebody wakes it. */
const FIRST_RETRY_MS = 60_000;
const LAST_RETRY_MS = 3_600_000;
/** Each message that is sent wakes, too: during the first part of a longer wait nobody is heard. */
const DEAF_PART = 6;
/** Below what the engine suggests, so that a replay stays short. */
const MAX_HISTORY = 3000;

const ledger = proxyActivities<Activities>(SHORT_LEDGER_OPTIONS);

export async function deliveryWatch(input: DeliveryWatchInput): Promise<void> {
  await new DeliveryWatch(input).execute();
}

class DeliveryWatch {
  readonly #input: DeliveryWatchInput;
  #wakes = 0;
  #refusedMs = 0;

  constructor({ account }: DeliveryWatchInput) {
    this.#input = { account };
    setHandler(wakeSignal, () => void this.#wakes++);
  }

  async execute(): Promise<void> {
    upsertSearchAttributes([
      { key: SEARCH_KEYS.account, value: this.#input.account },
      { key: SEARCH_KEYS.job, value: 'delivery' },
    ]);
    while (!isLong()) {
      const seen = this.#wakes;
      const woken = () => this.#wakes !== seen;
      const { look, nextMs } = await ledger.nextDelivery(this.#input);
      if (look !== null) await this.#look(look, woken);
      // A wake that the engine takes while this ends makes it do this step again, and be seen here.
      else if (nextMs === null && !woken()) return;
      else if (nextMs !== null) await condition(woken, nextMs);
    }
    await continueAsNew<typeof deliveryWatch>(this.#input);
  }

  async #look({ run, tokenKey, callsPerMinute }: Look, woken: () => boolean): Promise<void> {
    const api = proxyActivities<Activities>({
      ...API_OPTIONS,
      taskQueue: apiQueue(workflowInfo().taskQueue),
      priority: callPriority(LANE.poll, tokenKey, callsPerMinute),
    });
    try {
      await api.checkDelivery({ ...this.#input, run });
      this.#showRefused(0);
    } catch (error) {
      if (isCancellation(error)) throw error;
      log.warn('held', { ...this.#input, reason: reasonOf(error) });
      this.#showRefused(Math.min(Math.max(FIRST_RETRY_MS, this.#refusedMs * 2), LAST_RETRY_MS));
      const deafMs = (this.#refusedMs - FIRST_RETRY_MS) / DEAF_PART;
      if (deafMs > 0) await sleep(deafMs);
      await condition(woken, this.#refusedMs - deafMs);
    }
  }

  #showRefused(ms: number): void {
    if (ms > 0 !== this.#refusedMs > 0)
      upsertSearchAttributes([{ key: SEARCH_KEYS.phase, value: ms > 0 ? 'held' : 'running' }]);
    this.#refusedMs = ms;
  }
}

type Look = NonNullable<DeliveryTurn['look']>;

function isLong(): boolean {
  const { continueAsNewSuggested, historyLength } = workflowInfo();
  return continueAsNewSuggested || historyLength > MAX_HISTORY;
}
