// One API call: a slot of the token, the call, and what its headers teach the budget.
import { Context, sleep } from '@temporalio/activity';
import type { ApiResult } from '../src/api-client/call.ts';
import { ApiError } from '../src/api-client/errors.ts';
import type { Scope } from '../src/contracts/scopes.ts';
import { countCall } from '../src/ledger/runs.ts';
import type { AccountAccess, Deps } from './deps.ts';
import { comeBack, rateLimitWaitMs } from './failures.ts';

/** Well below the heartbeat timeout of the API activities (10 s). */
const HEARTBEAT_MS = 3000;

/** The call itself, given the account's client. */
export type Call<T> = (
  client: AccountAccess['client'],
  options: { readonly signal: AbortSignal },
) => Promise<ApiResult<T>>;

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
  _scope: Scope,
  call: Call<T>,
  beforeSend: () => Promise<boolean> = async () => true,
): Promise<T | null> {
  const activity = Context.current();
  const pulse = setInterval(() => activity.heartbeat(), HEARTBEAT_MS);
  try {
    const slot = await deps.budget.reserve(account.tokenKey);
    if (!slot.granted) throw comeBack(slot.retryMs, 'the next slot of the token is further away');
    if (slot.waitMs > 0) await sleep(slot.waitMs);
    if (!(await beforeSend())) return null;
    await countCall(deps.db, runId);
    const { data, meta } = await call(account.client, { signal: activity.cancellationSignal });
    if (meta.rate !== null) await deps.budget.observe(account.tokenKey, meta.rate);
    return data;
  } catch (error) {
    if (error instanceof ApiError) {
      if (error.rate !== null) await deps.budget.observe(account.tokenKey, error.rate);
      if (error.status === 429) await deps.budget.block(account.tokenKey, rateLimitWaitMs(error));
    }
    throw error;
  } finally {
    clearInterval(pulse);
  }
}
