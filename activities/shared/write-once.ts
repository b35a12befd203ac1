// The one core for writes that must not happen twice. An intent is written down before the call and its outcome after it. A lost
// answer leads to a read-back (read-back.ts), never to a second call.
import { ApplicationFailure } from '@temporalio/activity';
import { isAmbiguous, UnexpectedShapeError } from '../../src/api-client/errors.ts';
import type { RefusalDetails } from '../../src/contracts/wire/run.ts';
import type { Scope } from '../../src/contracts/wire/scopes.ts';
import type { Database, Queryable } from '../../src/ledger/database.ts';
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
} from '../../src/ledger/sync/intents.ts';
import { type LeasedRecord, LeaseLostError } from '../../src/ledger/sync/records.ts';
import { type Call, callApi, FLIGHT_SECONDS } from './api-call.ts';
import type { AccountAccess, Deps } from './deps.ts';

/** Pause after a lost answer, before the effect is first read back. */
export const FIRST_READ_BACK_MS = 1000;

/** Between two checks whether another record's call for the same card is over. */
const OTHERS_MS = 5000;

/** One attempt at a call that must not happen twice, whatever its intent is kept in. */
export interface Attempt<T, R> {
  readonly account: AccountAccess;
  /** The run that counts the calls. */
  readonly run: string;
  readonly scope: Scope;
  readonly call: Call<T>;
  /** Runs between slot and call: notes the intent as sent, for one attempt only. Answers the number of the sending, or null. */
  take(): Promise<number | null>;
  /** `take` answered null. */
  denied(): Promise<R>;
  accepted(answer: T, sends: number): Promise<R>;
  /** The call may have had its effect. */
  lost(error: unknown, sends: number): Promise<R>;
  /** The call had no effect for certain. */
  refused(error: unknown, sends: number): Promise<R>;
}

/**
 * Makes the call and hands its outcome over, exactly one of the four.
 * @throws what `callApi` throws while nothing has gone out, and what the outcome throws
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

/** What a write is about, a record or an event: how its intent is named, and how its next step is written down. */
export interface Subject<R> {
  readonly account: AccountAccess;
  readonly intent: NewIntent;
  /** The step that this attempt works on. */
  readonly step: RefusalDetails['step'];
  /** For the log: ledger ids. */
  readonly where: object;
  /** Failures in a row so far. */
  readonly failures: number;
  /** What the account refuses to every record holds the subject, too, and an answer that no record could be read from. */
  readonly stopsForAll: boolean;
  /** The record that the call is for: it goes out only while the batch of this holder has the record. */
  readonly record?: LeasedRecord;
  /** Another attempt has written the effect down. */
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
  /** Runs between slot and intent; throws when the call may not be made any more. */
  readonly check?: () => Promise<void>;
  /** Writes the answer down and ends the intent, at once. Null when the answer shows too little: its effect is read back. */
  readonly accepted: (db: Database, answer: T, intent: number) => Promise<R | null>;
  /** Nothing shows the effect: code of the outcome when an answer is lost. */
  readonly unseen?: string;
}

/**
 * Makes the call unless an attempt has made it before.
 * @param known the intent as it was read before; null: there was none, or nobody has read it
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
      // The intent comes after its subject, as everywhere: two attempts that lock them in another order lock each other out.
      return await db.transaction(async (tx) => {
        const next = await subject.readBackNext(tx, FIRST_READ_BACK_MS, sent_at);
        await confirmIntent(tx, id);
        return next;
      });
    },
    lost: async (error) => {
      const { id, sent_at } = taken as NonNullable<typeof taken>;
      // Every other record would meet the same: the run stops, and the effect is read back when it goes on.
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

const UNSEEN = 'the answer was lost, and nothing shows whether the call had its effect: see for yourself';

/** Another attempt has sent, or is about to. */
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
  // What no read-back can settle may only be given up once that attempt is over.
  const rest = FLIGHT_SECONDS - (intent.age ?? 0);
  if (intent.state === 'sent' && rest > 0)
    return await subject.callNext(deps.db, rest * 1000 + FIRST_READ_BACK_MS);
  return await giveUp(deps, subject, intent.id, unseen, UNSEEN);
}

/** Nobody can tell whether the call had its effect. */
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
