// Makes one API call: waits for a slot of a token that may make it, sends the call, and teaches the budget from the
// answer.
import { setTimeout as delay } from 'node:timers/promises';
import { deadlineSignal } from '../../src/core/deadline.ts';
import { SCOPES, type Scope } from '../../src/core/scopes.ts';
import { addWarning } from '../../src/jobs/sync/store/run-warnings.ts';
import { ApiError } from '../../src/service/api-client/errors.ts';
import type { Slot } from '../../src/service/budget/slots.ts';
import { type CallScope, callScope } from './call-scope.ts';
import type { AccountAccess, Deps, TokenAccess } from './deps.ts';
import { comeBack, rateLimitWaitMs } from './failures.ts';
import { type Call, logged } from './logged-call.ts';
import { acceptsToken, refusalCode, refusesToken } from './refusal-scope.ts';

/** Sluice takes an intent this long before the slot is due, so that the intent's statements do not delay the call. */
const INTENT_MS = 100;
/**
 * Once its intent is taken, a call waits at most this long for another slot. It needs one when it missed the first,
 * or when the service refused the token and another token may make the call.
 */
const SECOND_SLOT_MS = 5000;
/** A call that goes out this long after its intent could overlap with the read-back of another attempt. */
const MOST_INTENT_MS = 8000;
/** After two missed slots in a row, the ledger leaves room for a call as late as the last one, up to this limit. */
const MOST_SLACK_MS = 5000;
/**
 * If a worker is lost, its call may still be under way for this long: the client's deadline of 30 s, plus 5 s for
 * each further slot.
 */
export const FLIGHT_SECONDS = 60;

export type { Call } from './logged-call.ts';

/** What a call needs. */
export type CallDeps = Pick<Deps, 'db' | 'budget' | 'calls' | 'log'>;

/**
 * Makes one API call in the lane of the call scope. It waits for a slot without a time limit and stops at once when
 * the scope's signal aborts. After the call has been sent, only a worker shutdown aborts it. With several tokens, it
 * takes the first free one that may make the call. If the service refuses a token, it tries the others.
 * @param scope permission that the call needs (API text, Authentication)
 * @param beforeSend runs once, just before the call; takes the intent. Returns false to cancel the call.
 * @returns null when `beforeSend` canceled the call
 * @throws the signal's reason; after `beforeSend`, an ApplicationFailure with a retry delay, which means that no call
 *   took effect; else the client's own error
 */
export async function callApi<T>(
  deps: CallDeps,
  account: AccountAccess,
  runId: string,
  scope: Scope,
  call: Call<T>,
  beforeSend?: () => Promise<boolean>,
): Promise<T | null> {
  const own = callScope();
  const left = new Map(account.tokens.map((token) => [token.key, token]));
  const tried = new Set(left.keys());
  const wait: SlotWait = { missed: 0, slackMs: 0, intentAt: null };
  let limited: ApiError | null = null;
  let wantedAt = performance.now();
  for (;;) {
    const slot = await takeSlot(deps, [...left.keys()], scope, own, wait);
    await sleep(slot.dueAt - performance.now() - (beforeSend === undefined ? 0 : INTENT_MS), own.signal);
    const isReplaced = () => takeReplacements(account, left, tried) && !left.has(slot.token);
    if (isMissed(slot, wait) || isReplaced()) continue;
    if (beforeSend !== undefined && wait.intentAt === null) {
      // Read before `beforeSend`: the ledger may take the intent long before this process receives the answer.
      const takenAt = Date.now();
      if (!(await beforeSend())) return null;
      wait.intentAt = takenAt;
    }
    // From here on, a pause waits for the answer.
    await sleep(slot.dueAt - performance.now());
    // If the process was stopped or the machine slept meanwhile, another attempt may have taken over the call.
    if (wait.intentAt !== null && Math.abs(Date.now() - wait.intentAt) > MOST_INTENT_MS)
      throw comeBack(1000, 'the call came too late for its intent');
    // The intent takes a while, too.
    if (isMissed(slot, wait) || isReplaced()) continue;
    deps.calls.count(runId);
    own.started?.();
    const token = left.get(slot.token) as TokenAccess;
    const context = { account: account.name, token: token.key, run: runId, scope: own, wantedAt };
    try {
      return await callWith(deps, token, slot, scope, logged(deps.calls, context, call));
    } catch (error) {
      left.delete(token.key);
      wantedAt = performance.now();
      if (!(error instanceof ApiError) || !refusesToken(error)) throw error;
      if (error.status === 429) limited = error;
      else if (left.size > 0 || limited !== null) await noteRefusal(deps, token, scope, error, runId);
      // The last token stays in use, but the overview knows at once that it is refused.
      else if (error.status !== 403) await deps.budget.refused(token.key, null, refusalCode(error));
      takeReplacements(account, left, tried);
      // A token that is only over its limit can make the call later, so another token's refusal does not end it.
      if (left.size === 0) throw limited ?? error;
    }
  }
}

/**
 * A reload may have replaced tokens since the call began to wait. Takes the new ones, and drops those that they replace.
 * @returns whether there are new ones
 */
function takeReplacements(
  account: AccountAccess,
  left: Map<string, TokenAccess>,
  tried: Set<string>,
): boolean {
  const { tokens } = account;
  const fresh = tokens.filter(({ key }) => !tried.has(key));
  if (fresh.length === 0) return false;
  for (const key of left.keys()) if (!tokens.some((token) => token.key === key)) left.delete(key);
  for (const token of fresh) {
    tried.add(token.key);
    left.set(token.key, token);
  }
  return true;
}

/** What has happened to a call while it waits for a slot. */
interface SlotWait {
  /** Slots missed in a row. */
  missed: number;
  slackMs: number;
  /** When the intent was taken, by the machine's clock, which keeps running while the machine sleeps. */
  intentAt: number | null;
}

async function takeSlot(
  deps: CallDeps,
  tokens: readonly string[],
  scope: Scope,
  { lane, signal, pace, share, first, follows = false }: CallScope,
  { missed, slackMs, intentAt }: SlotWait,
): Promise<Slot> {
  const intent = intentAt !== null;
  const isFirst = missed > 0 || intent || first?.() === true;
  const options = { scope, pace, share, follows, slackMs, first: isFirst };
  if (!intent) return await deps.budget.reserve(tokens, lane, { ...options, signal });
  const late = deadlineSignal(SECOND_SLOT_MS);
  try {
    return await deps.budget.reserve(tokens, lane, { ...options, signal: AbortSignal.any([signal, late]) });
  } catch (error) {
    if (error === late.reason) throw comeBack(1000, 'the next slot of the token is further away');
    throw error;
  }
}

/** The process was stopped or starved. A call in this slot could exceed the limit within 60 s. */
function isMissed(slot: Slot, wait: SlotWait): boolean {
  const lateMs = performance.now() - slot.dueAt;
  if (lateMs <= slot.toleranceMs) return false;
  wait.missed++;
  // Without slack, a process that is always late would never call.
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
 * A pause or a cancellation waits for the answer to a call under way. Without the answer, Sluice would have to read
 * the effect back, or could not find it at all. Only a worker shutdown aborts the call.
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
  deps: CallDeps,
  token: TokenAccess,
  slot: Slot,
  scope: Scope,
  call: Call<T>,
): Promise<T> {
  const { budget } = deps;
  const started = performance.now();
  // An answer is still valid if the budget cannot learn from it.
  const learn = (lesson: () => Promise<void>) =>
    lesson().catch((error: unknown) => {
      deps.log.warn({ token: token.position, err: error }, 'the budget could not learn from an answer');
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
        if (acceptsToken(error)) await budget.accepted(slot, scope);
      });
    }
    throw error;
  }
}

/** Puts the other tokens first for a while. The log warns once, and each run's report warns once. */
async function noteRefusal(
  deps: CallDeps,
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
  // An earlier run may have noted the refusal. Each run's report lists it once.
  await addWarning(deps.db, runId, {
    step: 'token',
    subject: `${token.key} ${lacking ? scope : ''}`.trim(),
    code,
    reason: `${what}; the others are used`,
  });
}
