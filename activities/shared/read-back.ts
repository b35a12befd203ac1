// Handles a lost answer: reads the effect of the call back, and repeats the call only if the effect would have shown
// by now.
import { ApplicationFailure } from '@temporalio/activity';
import type { Queryable } from '../../src/core/sql/database.ts';
import { type IntentRow, isOthers, reopenIntent } from '../../src/core/store/intents.ts';
import { isAmbiguous, UnexpectedShapeError } from '../../src/service/api-client/errors.ts';
import type { AccountAccess, Deps } from './deps.ts';
import { isRefusal, refusalCode, refusalScope } from './refusal-scope.ts';
import { FIRST_READ_BACK_MS, giveUp, type Subject } from './write-once.ts';

/** After this many lost answers without a visible effect, Sluice gives up the write. */
export const MAX_SENDS = 3;
/**
 * After this many failed read-backs in a row, the outcome is unknown: about seven minutes with the backoff of
 * failures.ts.
 */
export const MAX_READ_BACKS = 12;
/** Maximum difference between the clocks of the two sides. */
export const CLOCK_SKEW_MS = 5 * 60_000;

/** Whether the effect of this intent has had enough time to show. */
export function isSettled({ settleSeconds }: AccountAccess, intent: IntentRow): boolean {
  return (intent.state === 'sent' || intent.state === 'unknown') && (intent.age ?? 0) > settleSeconds;
}

/**
 * - a function: the effect was found; the function records it and ends the intent
 * - `absent`: the effect is not there; after the settle time, the call may be repeated
 * - `unclear`: this read-back cannot decide; after the settle time, none can
 * - `later`: the outcome of another intent has to come first
 * - `next`: the read-back continues in another step
 */
export type Seen<R> =
  | ((tx: Queryable, intent: number) => Promise<R>)
  | 'absent'
  | 'unclear'
  | 'later'
  | { readonly next: R };

export interface ReadBack<R> {
  /**
   * Makes the one API call of this step.
   * @param settled whether the settle time had passed before the call
   */
  find(intent: IntentRow, settled: boolean): Promise<Seen<R>>;
  /** False when the read-back takes several steps and started before the settle time had passed. */
  readonly settled?: boolean;
  /** Code of the outcome when `find` stays unclear. */
  readonly unclear?: string;
}

/**
 * Reads back the effect of a call whose answer was lost. If the effect is found, it is recorded. If it is not found
 * yet, Sluice checks again later. If it is not found after the settle time, Sluice repeats the call, up to {@link
 * MAX_SENDS} times. If the outcome cannot be decided, it is `unknown`, for an operator.
 */
export async function readBack<R>(
  deps: Deps,
  subject: Subject<R>,
  intent: IntentRow | null,
  { find, settled: inTime = true, unclear = '' }: ReadBack<R>,
): Promise<R> {
  const { db } = deps;
  // Nothing has been sent, or something else was sent since. There is nothing to read back.
  if (intent === null || intent.state === 'open' || isOthers(subject.intent, intent))
    return await subject.callNext(db, 0);
  if (intent.state === 'done') return await subject.done();
  const { id, sends, age, sent_at } = intent;
  const { settleSeconds } = subject.account;
  const unknown = (code: string, reason: string) => giveUp(deps, subject, id, code, reason);
  // Uses the time before the read-back, not after it.
  const settled = inTime && isSettled(subject.account, intent);
  let seen: Seen<R>;
  try {
    seen = await find(intent, settled);
  } catch (error) {
    const reason = whyUnreadable(subject, error);
    if (reason === null) throw error;
    return await unknown(reason.code, `the answer was lost and reading back ${reason.what}`);
  }
  if (typeof seen === 'function') {
    const writeDown = seen;
    return await db.transaction((tx) => writeDown(tx, id));
  }
  if (typeof seen === 'object') return seen.next;
  const again = (seconds: number) =>
    subject.readBackNext(db, Math.max(0, seconds) * 1000 + FIRST_READ_BACK_MS, sent_at);
  if (seen === 'later') return await again(settleSeconds);
  if (!settled) return await again(settleSeconds - (age ?? 0));
  if (seen === 'unclear')
    return await unknown(
      unclear,
      'the answer was lost, and the service does not show whether the call took effect',
    );
  if (intent.confirmed)
    return await unknown(
      'NOT_SHOWN',
      'the service accepted the call, but neither its answer nor a read-back shows the record',
    );
  const lost = sends - intent.refused;
  if (lost >= MAX_SENDS)
    return await unknown('ANSWERS_LOST', `${lost} answers were lost, and none of the calls shows an effect`);
  return await db.transaction(async (tx) => {
    await reopenIntent(tx, id, sends);
    return await subject.callNext(tx, 0);
  });
}

/** Why no read-back can decide the outcome; null when a later one may. */
function whyUnreadable<R>(
  { failures, step, stopsForAll }: Subject<R>,
  error: unknown,
): { code: string; what: string } | null {
  if (error instanceof UnexpectedShapeError)
    return error.isAccountWide ? null : { code: 'READ_BACK_UNREADABLE', what: `lacks ${error.path}` };
  if (isRefusal(error)) {
    const code = refusalCode(error);
    const scope = refusalScope(error, step);
    if (scope === 'run' || (scope === 'step' && stopsForAll)) return null;
    return { code: 'READ_BACK_REFUSED', what: `was refused with ${code}` };
  }
  const failed = !(error instanceof ApplicationFailure) && isAmbiguous(error);
  if (!failed || failures + 1 < MAX_READ_BACKS) return null;
  return { code: 'READ_BACK_FAILED', what: `failed ${MAX_READ_BACKS} times` };
}
