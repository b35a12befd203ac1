// One API call: a slot of a token that may do it, the call, and what its answer teaches the budget.
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiResult } from '../../src/api-client/call.ts';
import { ApiError } from '../../src/api-client/errors.ts';
import type { Slot } from '../../src/budget/slots.ts';
import { deadlineSignal } from '../../src/contracts/deadline.ts';
import { SCOPES, type Scope } from '../../src/contracts/wire/scopes.ts';
import { addWarning } from '../../src/ledger/sync/runs.ts';
import { type CallScope, callScope } from './call-scope.ts';
import type { AccountAccess, Deps, TokenAccess } from './deps.ts';
import { comeBack, rateLimitWaitMs, refusalCode, refusesToken } from './failures.ts';

/** An intent is taken this long before the slot is due, so that its statements do not make the call late. */
const INTENT_MS = 100;
/**
 * Once its intent is taken, a call waits no longer than this for a further slot: its first one was missed, or the token
 * was refused and another one may do it.
 */
const SECOND_SLOT_MS = 5000;
/** A call that goes out this long after its intent could go out beside the read-back of another attempt. */
const MOST_INTENT_MS = 8000;
/** From the second slot missed in a row on, the ledger leaves room for a call as late as the last one; at most this. */
const MOST_SLACK_MS = 5000;
/**
 * An attempt whose worker is lost may be at its call for this long: the client's deadline of 30 s, and 5 s for
 * each further slot.
 */
export const FLIGHT_SECONDS = 60;

/** The call itself, given the client of the token that it is made with. */
export type Call<T> = (
  client: TokenAccess['client'],
  options: { readonly signal: AbortSignal },
) => Promise<ApiResult<T>>;

/**
 * Makes one call of the API in the lane of the call scope. It waits for its slot for as long as it takes, and leaves at
 * once when the scope's signal aborts. Once the call is under way, only a worker that shuts down cuts it off.
 * With several tokens the first free one that may do it is taken, and one that the service refuses gives way to the others.
 * @param scope what the call needs (API text, Authentication)
 * @param beforeSend runs once, just before the call: the place where an intent is taken. False calls it off.
 * @returns null when `beforeSend` called it off
 * @throws the signal's reason, or after `beforeSend` ApplicationFailure to come back later: then no call went out, or each
 *   was refused for certain; else the client's own error
 */
export async function callApi<T>(
  deps: Deps,
  account: AccountAccess,
  runId: string,
  scope: Scope,
  call: Call<T>,
  beforeSend?: () => Promise<boolean>,
): Promise<T | null> {
  const own = callScope();
  const left = new Map(account.tokens.map((token) => [token.key, token]));
  const wait: SlotWait = { missed: 0, slackMs: 0, intentAt: null };
  let limited: ApiError | null = null;
  for (;;) {
    const slot = await takeSlot(deps, [...left.keys()], scope, own, wait);
    await sleep(slot.dueAt - performance.now() - (beforeSend === undefined ? 0 : INTENT_MS), own.signal);
    if (isMissed(slot, wait)) continue;
    if (beforeSend !== undefined && wait.intentAt === null) {
      // From before: the ledger may have taken it long before this process hears of it.
      const takenAt = Date.now();
      if (!(await beforeSend())) return null;
      wait.intentAt = takenAt;
    }
    // From here on a pause waits for the answer.
    await sleep(slot.dueAt - performance.now());
    // A process that was stopped meanwhile, or a machine that slept: others may have taken the call over.
    if (wait.intentAt !== null && Math.abs(Date.now() - wait.intentAt) > MOST_INTENT_MS)
      throw comeBack(1000, 'the call came too late for its intent');
    if (isMissed(slot, wait)) continue;
    deps.calls.count(runId);
    own.started?.();
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
}

/** What a call has met on its way to a slot. */
interface SlotWait {
  /** Slots in a row for which it was late. */
  missed: number;
  slackMs: number;
  /** When its intent was taken, by the clock of the machine: that one goes on while the machine sleeps. */
  intentAt: number | null;
}

async function takeSlot(
  deps: Deps,
  tokens: readonly string[],
  scope: Scope,
  { lane, signal, pace, share, first }: CallScope,
  { missed, slackMs, intentAt }: SlotWait,
): Promise<Slot> {
  const intent = intentAt !== null;
  const options = { scope, pace, share, slackMs, first: missed > 0 || intent || first?.() === true };
  if (!intent) return await deps.budget.reserve(tokens, lane, { ...options, signal });
  const late = deadlineSignal(SECOND_SLOT_MS);
  try {
    return await deps.budget.reserve(tokens, lane, { ...options, signal: AbortSignal.any([signal, late]) });
  } catch (error) {
    if (error === late.reason) throw comeBack(1000, 'the next slot of the token is further away');
    throw error;
  }
}

/** The process was stopped or starved: in this slot the call could make one more than the limit within 60 s. */
function isMissed(slot: Slot, wait: SlotWait): boolean {
  const lateMs = performance.now() - slot.dueAt;
  if (lateMs <= slot.toleranceMs) return false;
  wait.missed++;
  // A process that always is late would never call.
  if (wait.missed > 1) wait.slackMs = Math.min(MOST_SLACK_MS, 2 * lateMs);
  return true;
}

/** @throws the signal's reason */
async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  if (ms <= 0) return;
  await delay(Math.ceil(ms), undefined, signal === undefined ? {} : { signal }).catch(() => {
    throw signal?.reason;
  });
}

/**
 * A pause or a cancellation lets a call under way come to its answer: what it did would have to be read back, or would be
 * lost for good. Only a worker that shuts down cuts it off.
 */
async function untilShutdown<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { signal } = callScope();
  const own = new AbortController();
  const check = () => {
    if ((signal.reason as Error).message === 'WORKER_SHUTDOWN') own.abort(signal.reason);
  };
  if (signal.aborted) check();
  signal.addEventListener('abort', check);
  try {
    return await call(own.signal);
  } finally {
    signal.removeEventListener('abort', check);
  }
}

async function callWith<T>(
  deps: Deps,
  token: TokenAccess,
  slot: Slot,
  scope: Scope,
  call: Call<T>,
): Promise<T> {
  const { budget } = deps;
  const started = performance.now();
  // The answer counts more than what the budget could not learn from it.
  const learn = (lesson: () => Promise<void>) =>
    lesson().catch((error: unknown) => {
      deps.log.warn(
        { token: token.position, error: String(error) },
        'the budget could not learn from an answer',
      );
    });
  try {
    const { data, meta } = await untilShutdown((signal) => call(token.client, { signal }));
    const tookMs = performance.now() - started;
    await learn(async () => {
      if (meta.rate !== null) await budget.observe(slot, meta.rate, tookMs);
      await budget.accepted(slot, scope);
    });
    return data;
  } catch (error) {
    if (error instanceof ApiError) {
      const { rate, status } = error;
      const tookMs = performance.now() - started;
      await learn(async () => {
        if (status === 429) await budget.block(slot.token, rateLimitWaitMs(error));
        if (rate !== null) await budget.observe(slot, rate, tookMs);
      });
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
