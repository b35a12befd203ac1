// One API call: a slot of the token, the call, and what its headers teach the budget.
import { Context, sleep } from '@temporalio/activity';
import type { ApiResult } from '../src/api-client/client.ts';
import { ApiError } from '../src/api-client/errors.ts';
import { countCall } from '../src/ledger/runs.ts';
import type { AccountAccess, Deps } from './deps.ts';
import { comeBack, rateLimitWaitMs } from './failures.ts';

/**
 * Makes one call of the API inside an activity.
 * @param beforeSend runs between slot and call: the place where an intent is taken. False calls it off.
 * @returns null when `beforeSend` called it off
 * @throws ApplicationFailure to come back later when the slot is too far away; else the client's own error
 */
export async function callApi<T>(
  deps: Deps,
  account: AccountAccess,
  runId: string,
  call: (client: AccountAccess['client'], options: { signal: AbortSignal }) => Promise<ApiResult<T>>,
  beforeSend?: () => Promise<boolean>,
): Promise<T | null> {
  const slot = await deps.budget.reserve(account.tokenKey);
  if (!slot.granted) throw comeBack(slot.retryMs, 'the next slot of the token is further away');
  if (slot.waitMs > 0) await sleep(slot.waitMs);
  if (beforeSend !== undefined && !(await beforeSend())) return null;
  await countCall(deps.db, runId);
  try {
    const { data, meta } = await call(account.client, { signal: Context.current().cancellationSignal });
    if (meta.rate !== null) await deps.budget.observe(account.tokenKey, meta.rate);
    return data;
  } catch (error) {
    if (error instanceof ApiError) {
      if (error.rate !== null) await deps.budget.observe(account.tokenKey, error.rate);
      if (error.status === 429) await deps.budget.block(account.tokenKey, rateLimitWaitMs(error));
    }
    throw error;
  }
}
