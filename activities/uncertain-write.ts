// Writes that are not idempotent: what follows when one fails, and how its effect is looked for.
import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import { isAmbiguous, UnexpectedShapeError } from '../src/api-client/errors.ts';
import { STEP_BITS, type StepResult } from '../src/contracts/run.ts';
import type { Queryable } from '../src/ledger/database.ts';
import {
  endIntent,
  type IntentKey,
  type IntentRow,
  openIntent,
  reopenIntent,
  takeIntent,
} from '../src/ledger/intents.ts';
import { endRecord, markSent, settleStep } from '../src/ledger/records.ts';
import { type Call, callApi } from './api-call.ts';
import type { Deps } from './deps.ts';
import { isRefusal, refusalCode, refusalScope } from './failures.ts';
import type { StepContext } from './record-step.ts';

/** Pause after a write that was cut off, before its effect is first looked for. */
export const FIRST_LOOK_MS = 1000;
/** A write whose answer gets lost so often in a row is set aside for a person to look at. */
export const MAX_SENDS = 3;
/** So many failed looks, and the outcome counts as unknown: with the backoff of failures.ts some seven minutes. */
export const MAX_LOOKS = 12;

/** A write and the step that looks for its effect. */
export type UncertainWrite =
  | { readonly write: 'createCard'; readonly look: 'readBackCard' }
  | { readonly write: 'moveStage'; readonly look: 'readBackStage' };

export const CARD_CREATION = { write: 'createCard', look: 'readBackCard' } as const;
export const STAGE_MOVE = { write: 'moveStage', look: 'readBackStage' } as const;

/** Has the effect of this intent had the time to show up? */
export function isSettled(c: StepContext, intent: IntentRow): boolean {
  return (
    (intent.state === 'sent' || intent.state === 'unknown') && (intent.age ?? 0) > c.account.settleSeconds
  );
}

/** The record's next step is to look for the effect, after a moment. */
async function lookBack(
  deps: Deps,
  c: StepContext,
  { write, look }: UncertainWrite,
  add = 0,
): Promise<StepResult> {
  const next = await settleStep(deps.db, c.row.id, { clear: STEP_BITS[write], add: STEP_BITS[look] | add });
  return { ...next, waitMs: FIRST_LOOK_MS };
}

/**
 * Makes a write that must not happen twice: the intent goes before the call, its outcome after. A lost
 * answer leads to reading back instead of a second call.
 * @param key names the effect; of all attempts and workers at it only one gets to send
 * @param writeDown keeps the answer in the ledger
 * @param onLost steps, as bits, that go before the reading back
 */
export async function writeOnce<T>(
  deps: Deps,
  c: StepContext,
  key: IntentKey,
  kind: UncertainWrite,
  call: Call<T>,
  writeDown: (tx: Queryable, answer: T) => Promise<StepResult>,
  onLost = 0,
): Promise<StepResult> {
  const { db } = deps;
  const intent = await openIntent(db, { ...key, run: c.run });
  // Done in another run at the same time: the ledger has it.
  if (intent.state === 'done') return await settleStep(db, c.row.id, { clear: STEP_BITS[kind.write] });
  if (intent.state !== 'open') return await lookBack(deps, c, kind, onLost);
  let sending: number | null = null;
  try {
    const answer = await callApi(deps, c.account, c.run, 'cards:write', call, async () => {
      // A contact that the call makes is told from an older one by this time.
      if (onLost !== 0) await markSent(db, c.row.id);
      sending = await takeIntent(db, intent.id);
      return sending !== null;
    });
    // Another attempt at the same effect was faster.
    if (answer === null) return await lookBack(deps, c, kind, onLost);
    return await db.transaction(async (tx) => {
      await endIntent(tx, intent.id, 'done');
      return await writeDown(tx, answer);
    });
  } catch (error) {
    // No slot yet, or called off while waiting for one: nothing went out.
    if (sending === null) throw error;
    // One token was refused, and the wait for the slot of another one was too long or called off.
    const waited = error instanceof ApplicationFailure || error instanceof CancelledFailure;
    if (!waited && isAmbiguous(error)) {
      deps.log.warn({ run: c.run, record: c.row.id, step: kind.write }, 'the answer was lost; reading back');
      return await lookBack(deps, c, kind, onLost);
    }
    // Refused for certain: the effect may be tried again.
    await reopenIntent(db, intent.id, sending, true);
    throw error;
  }
}

/**
 * Looks for the effect of a write. Found: written down as done. Not found, but it may still show up: look
 * again later. Not found for good: one more try. Can't look: unknown, for the operator.
 * @param find answers how to write the found effect down, or null; makes the one API call of this step
 */
export async function readBack(
  deps: Deps,
  c: StepContext,
  intent: IntentRow | null,
  kind: UncertainWrite,
  find: () => Promise<((tx: Queryable) => Promise<StepResult>) | null>,
): Promise<StepResult> {
  const { db } = deps;
  const { write, look } = kind;
  const tryAgain = () =>
    db.transaction(async (tx) => {
      if (intent !== null) await reopenIntent(tx, intent.id, intent.sends);
      return await settleStep(tx, c.row.id, { clear: STEP_BITS[look], add: STEP_BITS[write] });
    });
  // Nothing has been sent, so there is nothing to look for.
  if (intent === null || intent.state === 'open') return await tryAgain();

  const giveUp = async (code: string, reason: string): Promise<StepResult> => {
    await endIntent(db, intent.id, 'unknown', code);
    await endRecord(db, c.row.id, { status: 'unknown', step: write, code, reason });
    return { todo: 0, ended: 'unknown' };
  };
  // Whether the effect would show is judged by the time before the look, not after it.
  const settled = isSettled(c, intent);
  let found: Awaited<ReturnType<typeof find>>;
  try {
    found = await find();
  } catch (error) {
    const failed = !(error instanceof ApplicationFailure) && isAmbiguous(error);
    if (failed && c.row.attempts + 1 >= MAX_LOOKS) {
      return await giveUp(
        'READ_BACK_FAILED',
        `the answer was lost and reading back failed ${MAX_LOOKS} times`,
      );
    }
    // Looking again would show the same: the outcome stays open, so the record has not simply failed.
    if (error instanceof UnexpectedShapeError) {
      return await giveUp('READ_BACK_UNREADABLE', `the answer was lost and reading back lacks ${error.path}`);
    }
    if (isRefusal(error) && refusalScope(refusalCode(error), look) === 'record') {
      const code = refusalCode(error);
      return await giveUp(
        'READ_BACK_REFUSED',
        `the answer was lost and reading back was refused with ${code}`,
      );
    }
    throw error;
  }
  if (found !== null) {
    const writeDown = found;
    return await db.transaction(async (tx) => {
      await endIntent(tx, intent.id, 'done');
      return await writeDown(tx);
    });
  }
  if (!settled) {
    const rest = Math.max(0, c.account.settleSeconds - (intent.age ?? 0)) * 1000;
    return { todo: c.row.todo, waitMs: rest + FIRST_LOOK_MS };
  }
  const lost = intent.sends - intent.refused;
  if (lost >= MAX_SENDS) {
    return await giveUp(
      'ANSWERS_LOST',
      `${lost} answers were lost, and none of the calls has shown an effect`,
    );
  }
  return await tryAgain();
}
