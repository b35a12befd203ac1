// Workflow that follows the messages an account has sent until they are read, have failed, or three days have passed.
// A batch checks the due ones; the workflow waits for the next. It ends when it has nothing to follow, and the next
// sent message starts it again.

import {
  condition,
  continueAsNew,
  log,
  proxyActivities,
  setHandler,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { apiQueue, SEARCH_KEYS } from '../src/core/ids.ts';
import { LANES } from '../src/core/lanes.ts';
import type { DeliveryWatchInput } from '../src/jobs/events/contract/delivery.ts';
import { wakeSignal } from './messages.ts';
import { BATCH_OPTIONS, callPriority, SHORT_LEDGER_OPTIONS } from './policies.ts';
import { WaitingOut } from './shared/waiting-out.ts';

/** Every sent message wakes the workflow. During this fraction of the wait for a refusal, wakes do not count. */
const IGNORED_FRACTION = 6;
/** Below the number of events at which Temporal suggests continue-as-new, so that a replay stays short. */
const MAX_HISTORY = 3000;

const ledger = proxyActivities<Activities>(SHORT_LEDGER_OPTIONS);

export async function deliveryWatch({ account }: DeliveryWatchInput): Promise<void> {
  let wakes = 0;
  setHandler(wakeSignal, () => void wakes++);
  upsertSearchAttributes([
    { key: SEARCH_KEYS.account, value: account },
    { key: SEARCH_KEYS.job, value: 'delivery' },
  ]);
  const refusals = new WaitingOut();
  const { run, tokenKey, callsPerMinute } = await ledger.beginDelivery({ account });
  const api = proxyActivities<Activities>({
    ...BATCH_OPTIONS,
    taskQueue: apiQueue(workflowInfo().taskQueue),
    priority: callPriority(LANES.poll, tokenKey, callsPerMinute),
  });
  while (!isLong()) {
    const seen = wakes;
    const woken = () => wakes !== seen;
    const { nextMs, refused } = await api.deliveryBatch({ account, run });
    if (refused !== null) {
      log.warn('the account refuses to show messages', { account, reason: refused });
      if (!refusals.refused) showPhase('blocked');
      const again = refusals.refused;
      refusals.refuse();
      if (again) await sleep(refusals.leftMs / IGNORED_FRACTION);
      await refusals.over(woken);
      continue;
    }
    if (refusals.refused) showPhase('running');
    refusals.clear();
    // If a wake arrives while the workflow ends, Temporal repeats this task, and `woken` is true.
    if (nextMs === null && !woken()) return;
    if (nextMs !== null && nextMs > 0) await condition(woken, nextMs);
  }
  await continueAsNew<typeof deliveryWatch>({ account });
}

function showPhase(phase: 'blocked' | 'running'): void {
  upsertSearchAttributes([{ key: SEARCH_KEYS.phase, value: phase }]);
}

function isLong(): boolean {
  const { continueAsNewSuggested, historyLength } = workflowInfo();
  return continueAsNewSuggested || historyLength > MAX_HISTORY;
}
