// One API call: a slot of a token that may do it, the call, and what its answer teaches the budget.
import { Context, sleep } from '@temporalio/activity';
import type { ApiResult } from '../src/api-client/call.ts';
import { ApiError } from '../src/api-client/errors.ts';
import type { Granted } from '../src/budget/slots.ts';
import { LANES } from '../src/contracts/run.ts';
import { SCOPES, type Scope } from '../src/contracts/scopes.ts';
import { addWarning, countCall } from '../src/ledger/runs.ts';
import type { AccountAccess, Deps, TokenAccess } from './deps.ts';
import { comeBack, rateLimitWaitMs, refusalCode, refusesToken } from './failures.ts';

/** Well below the heartbeat timeout of the API activities (10 s). */
export const HEARTBEAT_MS = 3000;
/** Where all places of an account are taken, calls take long: no hurry. */
const FULL_RETRY_MS = 2000;
/**
 * A call that one token was refused goes out with another one in the same attempt, for whose slot it waits longer:
 * its intent is taken already.
 */
const SECOND_SLOT_MS = 10_000;
/**
 * So long may an attempt whose worker is not heard of still be at its call: the client's deadline of 30 s, and 10 s for
 * the slot of a second token.
 */
export const FLIGHT_SECONDS = 60;

/** The call itself, given the client of the token that it is made with. */
export type Call<T> = (
  client: TokenAccess['client'],
  options: { readonly signal: AbortSignal },
) => Promise<ApiResult<T>>;

/**
 * Makes one call of the API inside an activity, in the lane that is the activity's priority. With several tokens the
 * first free one that may do it is taken, and one that the service refuses gives way to the others.
 * @param scope what the call needs (API text, Authentication)
 * @param beforeSend runs once, between slot and call: the place where an intent is taken. False calls it off.
 * @returns null when `beforeSend` called it off
 * @throws ApplicationFailure to come back later when no slot is near: then no call went out, or each was refused for
 *   certain; CancelledFailure in the same sense; else the client's own error
 */
export async function callApi<T>(
  deps: Deps,
  account: AccountAccess,
  runId: string,
  scope: Scope,
  call: Call<T>,
  beforeSend: () => Promise<boolean> = async () => true,
): Promise<T | null> {
  const activity = Context.current();
  const lane = activity.info.priority?.priorityKey ?? LANES.backfill;
  const leave = deps.gate.enter(account.tokenKey, lane);
  if (leave === null) throw comeBack(FULL_RETRY_MS, 'as many calls of the account as may are under way');
  const pulse = setInterval(() => activity.heartbeat(), HEARTBEAT_MS);
  try {
    const left = new Map(account.tokens.map((token) => [token.key, token]));
    let sending = false;
    let limited: ApiError | null = null;
    for (;;) {
      const slot = await takeSlot(deps, [...left.keys()], lane, scope, sending ? SECOND_SLOT_MS : 0);
      if (slot.waitMs > 0) await sleep(slot.waitMs);
      if (!sending && !(await beforeSend())) return null;
      sending = true;
      await countCall(deps.db, runId);
      const token = left.get(slot.token) as TokenAccess;
      try {
        return await callWith(deps, token, slot, scope, call);
      } catch (error) {
        left.delete(token.key);
        if (!(error instanceof ApiError) || !refusesToken(error)) throw error;
        if (error.status === 429) limited = error;
        else if (left.size > 0 || limited !== null) await noteRefusal(deps, token, scope, error, runId);
        // A token that only is over its limit may do it later: the refusal of another one stops nothing then.
        if (left.size === 0) throw limited ?? error;
      }
    }
  } finally {
    clearInterval(pulse);
    leave();
  }
}

async function takeSlot(
  deps: Deps,
  tokens: readonly string[],
  lane: number,
  scope: Scope,
  patienceMs: number,
): Promise<Granted> {
  // A cancellation is the signal's reason, so it comes out as Temporal's own failure.
  const { cancellationSignal: signal } = Context.current();
  const until = performance.now() + patienceMs;
  for (;;) {
    const slot = await deps.budget.reserve(tokens, lane, { scope, signal });
    if (slot.granted) return slot;
    if (performance.now() + slot.retryMs > until)
      throw comeBack(slot.retryMs, 'the next slot of the token is further away');
    await sleep(slot.retryMs);
  }
}

async function callWith<T>(
  deps: Deps,
  token: TokenAccess,
  slot: Granted,
  scope: Scope,
  call: Call<T>,
): Promise<T> {
  const { budget } = deps;
  const started = performance.now();
  try {
    const { data, meta } = await call(token.client, { signal: Context.current().cancellationSignal });
    const tookMs = performance.now() - started;
    if (meta.rate !== null) await budget.observe(slot, meta.rate, tookMs);
    await budget.accepted(slot, scope);
    return data;
  } catch (error) {
    if (error instanceof ApiError) {
      const tookMs = performance.now() - started;
      if (error.rate !== null) await budget.observe(slot, error.rate, tookMs);
      if (error.status === 429) await budget.block(slot.token, rateLimitWaitMs(error));
    }
    throw error;
  }
}

/** For a while the other tokens come first; the operator hears of it once, and once in each run's report. */
async function noteRefusal(
  deps: Deps,
  token: TokenAccess,
  scope: Scope,
  error: ApiError,
  runId: string,
): Promise<void> {
  const code = refusalCode(error);
  const lacking = error.status === 403;
  const named = SCOPES.find((each) => each === error.requiredScope);
  const scopes = lacking ? [...new Set([scope, named ?? scope])] : [null];
  const news = await Promise.all(scopes.map((each) => deps.budget.refused(token.key, each, code)));
  const what = `token ${token.position} of the account ${lacking ? `lacks the scope ${named ?? scope}` : 'is refused'}`;
  if (news.includes(true))
    deps.log.warn({ run: runId, token: token.position, code }, `${what}; the others are used`);
  // An earlier run may have noted it: each run's report tells it once.
  await addWarning(deps.db, runId, {
    step: 'token',
    subject: `${token.key} ${lacking ? scope : ''}`.trim(),
    code,
    reason: `${what}; the others are used`,
  });
}
