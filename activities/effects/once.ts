// Calls of events that must not happen twice: an intent before, the outcome after, and a look instead of a second call
// when an answer was lost. What syncs do for cards (uncertain-write.ts), for events.
import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import { isAmbiguous, UnexpectedShapeError } from '../../src/api-client/errors.ts';
import type { EffectResult, EffectStep } from '../../src/contracts/intake.ts';
import type { Scope } from '../../src/contracts/scopes.ts';
import type { Queryable } from '../../src/ledger/database.ts';
import { noteProgress, settleUnknown } from '../../src/ledger/events.ts';
import {
  endIntent,
  getIntent,
  type IntentKey,
  type IntentRow,
  type NewIntent,
  openIntent,
  reopenIntent,
  takeIntent,
} from '../../src/ledger/intents.ts';
import { type Call, callApi, FLIGHT_SECONDS } from '../api-call.ts';
import type { Deps } from '../deps.ts';
import { isRefusal, refusalCode, refusalScope } from '../failures.ts';
import { FIRST_LOOK_MS, MAX_LOOKS, MAX_SENDS } from '../uncertain-write.ts';
import { type AnyEffect, finish } from './effect.ts';

type EventKind = Exclude<IntentKey['kind'], 'card' | 'stage'>;

export function intentOf(c: AnyEffect, kind: EventKind): IntentKey {
  return { account: c.event.account, kind, subject: c.event.id };
}

export interface OnceCall<T> {
  readonly kind: EventKind;
  readonly scope: Scope;
  readonly says?: Pick<NewIntent, 'mark' | 'trace'>;
  /** What has to be had before the call is made; answers the call. Runs before a slot or the intent is taken. */
  readonly prepare: () => Promise<Call<T>>;
  /** Keeps the answer in the ledger, with the intent's id. */
  readonly writeDown: (tx: Queryable, answer: T, intent: number) => Promise<void>;
  /** The step that looks for the effect; null: nothing shows it. */
  readonly look: EffectStep | null;
  /** Code of the outcome where nothing shows it. */
  readonly unseen: string;
}

/** Makes the call, of all attempts and workers only one, and ends the event with its answer. */
export async function callOnce<T>(deps: Deps, c: AnyEffect, once: OnceCall<T>): Promise<EffectResult> {
  const { db } = deps;
  const key = intentOf(c, once.kind);
  const intent = await openIntent(db, { ...key, run: c.run, ...once.says });
  if (intent.state !== 'open') return await goOn(deps, c, once, intent);
  const call = await once.prepare();
  let sending: number | null = null;
  let answer: T | null;
  try {
    answer = await callApi(deps, c.account, c.run, once.scope, call, async () => {
      sending = await takeIntent(db, intent.id, once.says?.mark);
      return sending !== null;
    });
  } catch (error) {
    // No slot yet, or called off while waiting for one: nothing went out.
    if (sending === null) throw error;
    // One token was refused, and the wait for the slot of another one was too long or called off.
    const waited = error instanceof ApplicationFailure || error instanceof CancelledFailure;
    if (!waited && isAmbiguous(error)) {
      deps.log.warn({ event: c.event.id, step: c.step }, 'the answer was lost');
      return await lost(deps, c, once, (await getIntent(db, key)) as IntentRow);
    }
    // Refused for certain: the effect may be tried again.
    await reopenIntent(db, intent.id, sending, true);
    throw error;
  }
  // Another attempt was faster.
  if (answer === null) return await goOn(deps, c, once, (await getIntent(db, key)) as IntentRow);
  const given = answer;
  return await db.transaction(async (tx) => {
    await endIntent(tx, intent.id, 'done');
    await once.writeDown(tx, given, intent.id);
    // Others may have given this attempt up meanwhile.
    await settleUnknown(tx, c.event.id);
    return await finish(deps, tx, c.event.id, { outcome: 'done' });
  });
}

/** Another attempt has sent, or is about to. */
async function goOn<T>(
  deps: Deps,
  c: AnyEffect,
  once: OnceCall<T>,
  intent: IntentRow,
): Promise<EffectResult> {
  if (intent.state === 'open') return { next: c.step, waitMs: FIRST_LOOK_MS };
  if (intent.state === 'done') return await finish(deps, deps.db, c.event.id, { outcome: 'done' });
  // What no look can settle may only be given up once that attempt is over.
  const rest = FLIGHT_SECONDS - (intent.age ?? 0);
  if (once.look === null && intent.state === 'sent' && rest > 0)
    return { next: c.step, waitMs: rest * 1000 + FIRST_LOOK_MS };
  return await lost(deps, c, once, intent);
}

/** The answer is lost: look for the effect, where something shows it. */
async function lost<T>(
  deps: Deps,
  c: AnyEffect,
  once: OnceCall<T>,
  intent: IntentRow,
): Promise<EffectResult> {
  if (once.look === null) {
    const reason = 'the answer was lost, and nothing shows whether the call had its effect: see for yourself';
    return await giveUp(deps, c, { ...once, write: c.step }, intent, once.unseen, reason);
  }
  const since = c.progress.since ?? intent.sent_at?.toISOString();
  await noteProgress(deps.db, c.event.id, { since });
  return { next: once.look, waitMs: FIRST_LOOK_MS };
}

async function giveUp(
  deps: Deps,
  c: AnyEffect,
  { write }: { readonly write: EffectStep },
  intent: IntentRow,
  code: string,
  reason: string,
): Promise<EffectResult> {
  return await deps.db.transaction(async (tx) => {
    await endIntent(tx, intent.id, 'unknown', code);
    return await finish(deps, tx, c.event.id, { outcome: 'unknown', step: write, code, reason });
  });
}

/**
 * - a function: found; keeps it in the ledger, and the event ends as done
 * - `absent`: it is not there; when it had the time to show, the call may be made again
 * - `unclear`: this look can't tell; when it had the time to show, nothing can
 * - `later`: somebody else's answer has to come first
 * - a step: the look goes on there
 */
export type Seen =
  | ((tx: Queryable, intent: number) => Promise<void>)
  | 'absent'
  | 'unclear'
  | 'later'
  | { readonly next: EffectStep };

export interface Look {
  readonly kind: EventKind;
  /** The step that makes the call. */
  readonly write: EffectStep;
  /** The step that begins to look. */
  readonly look: EffectStep;
  /** Code of the outcome when it can't be told. */
  readonly unseen: string;
  /** False: the look takes several steps, and began before the effect had the time to show. */
  readonly settled?: boolean;
}

/**
 * Looks for the effect of a call whose answer was lost. Found: the event is done. Not found, but it may still show up:
 * looked for again later. Not found for good: called once more. Can't look: unknown, for the operator.
 * @param find makes the one API call of this step; told whether the effect had the time to show before it
 */
export async function lookFor(
  deps: Deps,
  c: AnyEffect,
  look: Look,
  find: (intent: IntentRow, settled: boolean) => Promise<Seen>,
): Promise<EffectResult> {
  const { db } = deps;
  const intent = await getIntent(db, intentOf(c, look.kind));
  // Nothing has been sent, so there is nothing to look for.
  if (intent === null || intent.state === 'open') return { next: look.write };
  if (intent.state === 'done') return await finish(deps, db, c.event.id, { outcome: 'done' });
  const age = intent.age ?? 0;
  // Whether the effect would show is judged by the time before the look, not after it.
  const settled = age > c.account.settleSeconds && look.settled !== false;
  const unknown = (code: string, reason: string) => giveUp(deps, c, look, intent, code, reason);
  let seen: Seen;
  try {
    seen = await find(intent, settled);
  } catch (error) {
    const failed = !(error instanceof ApplicationFailure) && isAmbiguous(error);
    if (failed && c.event.attempts + 1 >= MAX_LOOKS)
      return await unknown('READ_BACK_FAILED', `the answer was lost and looking failed ${MAX_LOOKS} times`);
    // Looking again would show the same: the outcome stays open, so the event has not simply failed.
    if (error instanceof UnexpectedShapeError)
      return await unknown(
        'READ_BACK_UNREADABLE',
        `the answer was lost and what shows it lacks ${error.path}`,
      );
    if (isRefusal(error) && refusalScope(refusalCode(error), c.step) !== 'run')
      return await unknown(
        'READ_BACK_REFUSED',
        `the answer was lost and looking was refused with ${refusalCode(error)}`,
      );
    throw error;
  }
  if (typeof seen === 'function') {
    const writeDown = seen;
    return await db.transaction(async (tx) => {
      await endIntent(tx, intent.id, 'done');
      await writeDown(tx, intent.id);
      return await finish(deps, tx, c.event.id, { outcome: 'done' });
    });
  }
  if (typeof seen === 'object') return seen;
  if (seen === 'later') return { next: look.look, waitMs: c.account.settleSeconds * 1000 + FIRST_LOOK_MS };
  if (!settled)
    return { next: look.look, waitMs: Math.max(0, c.account.settleSeconds - age) * 1000 + FIRST_LOOK_MS };
  if (seen === 'unclear')
    return await unknown(
      look.unseen,
      'the answer was lost, and what the service shows does not tell whether the call had its effect',
    );
  const answers = intent.sends - intent.refused;
  if (answers >= MAX_SENDS)
    return await unknown(
      'ANSWERS_LOST',
      `${answers} answers were lost, and none of the calls has shown an effect`,
    );
  await reopenIntent(db, intent.id, intent.sends);
  return { next: look.write };
}
