// The single implementation of writes that must not happen twice. Sluice records an intent before the call and its
// outcome after it. A lost answer leads to a read-back (read-back.ts), never to a second call.
import { ApplicationFailure } from '@temporalio/activity';
import type { Scope } from '../../src/core/scopes.ts';
import type { Database, Queryable } from '../../src/core/sql/database.ts';
import {
  confirmIntent,
  endIntent,
  getIntent,
  type IntentRow,
  isOthers,
  type NewIntent,
  reopenIntent,
  type TakenIntent,
  takeIntent,
  takeRecordIntent,
} from '../../src/core/store/intents.ts';
import type { RefusalDetails } from '../../src/jobs/sync/contract/run.ts';
import { type LeasedRecord } from '../../src/jobs/sync/store/record-rows.ts';
import { LeaseLostError } from '../../src/jobs/sync/store/records.ts';
import { isAmbiguous, UnexpectedShapeError } from '../../src/service/api-client/errors.ts';
import { type Call, callApi, FLIGHT_SECONDS } from './api-call.ts';
import type { AccountAccess, Deps } from './deps.ts';

/** Delay between a lost answer and the first read-back. */
export const FIRST_READ_BACK_MS = 1000;

/** Interval between checks whether another record's call for the same card has ended. */
const OTHERS_MS = 5000;

/** One attempt at a call that must not happen twice. It does not depend on where the intent is stored. */
export interface Attempt<T, R> {
  readonly account: AccountAccess;
  /** The run that counts the calls. */
  readonly run: string;
  readonly scope: Scope;
  readonly call: Call<T>;
  /**
   * Runs between slot and call. Records the intent as sent, for one attempt only. Returns the number of the sending,
   * or null.
   */
  take(): Promise<number | null>;
  /** Runs when `take` returned null. */
  denied(): Promise<R>;
  accepted(answer: T, sends: number): Promise<R>;
  /** The call may have taken effect. */
  lost(error: unknown, sends: number): Promise<R>;
  /** The call certainly had no effect. */
  refused(error: unknown, sends: number): Promise<R>;
}

/**
 * Makes the call and passes its outcome to exactly one of the four handlers.
 * @throws what `callApi` throws before anything was sent, and what the handler throws
 */
export async function attemptOnce<T, R>(deps: Deps, attempt: Attempt<T, R>): Promise<R> {
  const { account, run, scope } = attempt;
  let sends = null as number | null;
  let mayHaveRun = false as boolean;
  const call: Call<T> = async (client, options) => {
    mayHaveRun = true;
    try {
      return await attempt.call(client, options);
    } catch (error) {
      mayHaveRun = !(error instanceof ApplicationFailure) && isAmbiguous(error);
      throw error;
    }
  };
  const beforeSend = async () => {
    sends = await attempt.take();
    return sends !== null;
  };
  let answer: T | null;
  try {
    answer = await callApi(deps, account, run, scope, call, beforeSend);
  } catch (error) {
    if (sends === null) throw error;
    return mayHaveRun ? await attempt.lost(error, sends) : await attempt.refused(error, sends);
  }
  return sends === null ? await attempt.denied() : await attempt.accepted(answer as T, sends);
}

/** The subject of a write, a record or an event: how its intent is named, and how its next step is recorded. */
export interface Subject<R> {
  readonly account: AccountAccess;
  readonly intent: NewIntent;
  /** The step that this attempt works on. */
  readonly step: RefusalDetails['step'];
  /** Ledger ids, for the log. */
  readonly where: object;
  /** Failures in a row. */
  readonly failures: number;
  /** Whether account-wide refusals and unreadable answers also stop this subject. */
  readonly stopsForAll: boolean;
  /** The record that the call is for. The call goes out only while this holder's batch leases the record. */
  readonly record?: LeasedRecord;
  /** Another attempt has recorded the effect. */
  done(): Promise<R>;
  /** The call is next, after `waitMs`. */
  callNext(db: Queryable, waitMs: number): Promise<R>;
  /** The read-back is next, after `waitMs`. @param sentAt when the call went out */
  readBackNext(db: Queryable, waitMs: number, sentAt: Date | null): Promise<R>;
  unknown(tx: Queryable, code: string, reason: string): Promise<R>;
}

export interface Write<T, R> {
  readonly scope: Scope;
  readonly call: Call<T>;
  /** Runs between slot and intent. Throws when the call must not be made any more. */
  readonly check?: () => Promise<void>;
  /**
   * Records the answer and ends the intent in one transaction. Null when the answer does not show the effect, which
   * is then read back.
   */
  readonly accepted: (db: Database, answer: T, intent: number) => Promise<R | null>;
  /** Set when nothing can show the effect: code of the outcome when an answer is lost. */
  readonly unseen?: string;
}

/**
 * Makes the call unless another attempt has made it.
 * @param known the intent as last read; null when there was none or nobody has read it
 */
export async function writeOnce<T, R>(
  deps: Deps,
  subject: Subject<R>,
  write: Write<T, R>,
  known: IntentRow | null = null,
): Promise<R> {
  const { db, log } = deps;
  const { account, intent } = subject;
  if (known !== null && known.state !== 'open') return await notTaken(deps, subject, write, known);
  let taken = null as TakenIntent | null;
  const { scope, call } = write;
  return await attemptOnce(deps, {
    account,
    run: intent.run,
    scope,
    call,
    take: async () => {
      await write.check?.();
      const answer =
        subject.record === undefined
          ? await takeIntent(db, intent)
          : await takeRecordIntent(db, intent, subject.record);
      if (answer === 'lost') throw new LeaseLostError();
      taken = answer;
      return taken?.sends ?? null;
    },
    denied: async () => await notTaken(deps, subject, write, await getIntent(db, intent)),
    accepted: async (answer) => {
      const { id, sent_at } = taken as NonNullable<typeof taken>;
      const result = await write.accepted(db, answer, id);
      if (result !== null) return result;
      // Locks the subject before the intent, as everywhere else. Two attempts with different lock orders would
      // deadlock.
      return await db.transaction(async (tx) => {
        const next = await subject.readBackNext(tx, FIRST_READ_BACK_MS, sent_at);
        await confirmIntent(tx, id);
        return next;
      });
    },
    lost: async (error) => {
      const { id, sent_at } = taken as NonNullable<typeof taken>;
      // Every other record would meet the same shape, so the run stops. The effect is read back when the run
      // continues.
      if (subject.stopsForAll && error instanceof UnexpectedShapeError && error.isAccountWide) throw error;
      log.warn(subject.where, 'the answer was lost');
      if (write.unseen !== undefined) return await giveUp(deps, subject, id, write.unseen, UNSEEN);
      return await subject.readBackNext(db, FIRST_READ_BACK_MS, sent_at);
    },
    refused: async (error, sends) => {
      await reopenIntent(db, (taken as NonNullable<typeof taken>).id, sends, true);
      throw error;
    },
  });
}

const UNSEEN =
  'the answer was lost, and the API cannot show whether the call took effect: check it in the service';

/** Another attempt has sent the call, or is about to. */
async function notTaken<R>(
  deps: Deps,
  subject: Subject<R>,
  { unseen }: Pick<Write<never, R>, 'unseen'>,
  intent: IntentRow | null,
): Promise<R> {
  if (intent === null || intent.state === 'open') return await subject.callNext(deps.db, FIRST_READ_BACK_MS);
  if (isOthers(subject.intent, intent)) return await subject.callNext(deps.db, OTHERS_MS);
  if (intent.state === 'done') return await subject.done();
  if (unseen === undefined) return await subject.readBackNext(deps.db, FIRST_READ_BACK_MS, intent.sent_at);
  // An outcome that cannot be read back may be given up only after the other attempt has ended.
  const rest = FLIGHT_SECONDS - (intent.age ?? 0);
  if (intent.state === 'sent' && rest > 0)
    return await subject.callNext(deps.db, rest * 1000 + FIRST_READ_BACK_MS);
  return await giveUp(deps, subject, intent.id, unseen, UNSEEN);
}

/** Ends the intent as `unknown`: nothing can show whether the call took effect. */
export async function giveUp<R>(
  { db }: Deps,
  subject: Subject<R>,
  intent: number,
  code: string,
  reason: string,
): Promise<R> {
  return await db.transaction(async (tx) => {
    const end = await subject.unknown(tx, code, reason);
    await endIntent(tx, intent, 'unknown', code);
    return end;
  });
}
