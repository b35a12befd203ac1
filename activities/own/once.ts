// Writes of a team's own activities that must not happen twice. Intents of the ledger decide, as for Sluice's own
// writes. Sluice waits here for what it must wait for, so an activity sees only the outcome.
import { ApplicationFailure } from '@temporalio/activity';
import { shortHash } from '../../src/core/sql/short-hash.ts';
import {
  endIntent,
  getIntent,
  type IntentRow,
  type NewIntent,
  type OwnKind,
} from '../../src/core/store/intents.ts';
import { openRestore } from '../../src/protect/restore/restores.ts';
import type { ApiResult } from '../../src/service/api-client/call.ts';
import { isAmbiguous } from '../../src/service/api-client/errors.ts';
import { callScope, delayInScope } from '../shared/call-scope.ts';
import { backoffMs } from '../shared/failures.ts';
import { readBack } from '../shared/read-back.ts';
import { type Subject, writeOnce } from '../shared/write-once.ts';
import {
  type AccountResources,
  accountResources,
  type OwnAccount,
  type Sender,
  withCall,
} from './account-client.ts';

/** Steps of events have the same reach: a refusal of the account or of the token is thrown, and decides nothing. */
const STEP = 'sendMessage';
/** Pause of the activity while an operator decides about a restored ledger. */
const RESTORED_MS = 60_000;
const KIND = /^[a-z0-9][a-z0-9-]{0,40}$/;
/** Code of an outcome that nothing can show. */
const UNSEEN = 'OWN_AMBIGUOUS';

/** What the service shows of a write whose answer was lost. `unclear`: it shows neither. */
export type Shown = 'done' | 'absent' | 'unclear';

/**
 * Looks for the effect of a write whose answer was lost. The effect is not older than `sentAt`, apart from the
 * difference between the clocks.
 */
export type FindEffect = (sentAt: Date) => Promise<Shown>;

export type OnceOutcome<T> =
  /** This call made the write. */
  | { readonly outcome: 'done'; readonly result: ApiResult<T> }
  /** An earlier attempt made the write. */
  | { readonly outcome: 'repeated' }
  /** Nothing shows whether the write took effect. Sluice does not repeat it. */
  | { readonly outcome: 'unknown'; readonly reason: string };

/** A write: exactly one call of the client. */
export type OnceWrite<T> = (client: AccountResources) => Promise<ApiResult<T>>;

type Step<T> =
  | OnceOutcome<T>
  | { readonly next: 'call' | 'readBack'; readonly waitMs: number; readonly failed?: boolean };

/** What the steps of one write share. */
interface Work {
  readonly account: OwnAccount;
  readonly intent: NewIntent;
  /** As last read; null: there is none. */
  readonly known: IntentRow | null;
  /** Read-backs that failed in a row. */
  readonly failures: number;
}

/**
 * Makes the write unless an earlier attempt has made it, and waits until its outcome is known.
 * @param kind what is written, for example `due-reminder`
 * @param subject what happens once, for example a row and a day
 * @throws the client's errors and `OPTED_OUT`, after which the write may be tried again; `RESTORED`
 */
export async function once<T>(
  account: OwnAccount,
  kind: string,
  subject: string,
  write: OnceWrite<T>,
  find?: FindEffect,
): Promise<OnceOutcome<T>> {
  const { deps, name } = account;
  const key = { account: name, kind: ownKind(kind), subject: subjectOf(subject) };
  await checkRestored(account);
  const intent = { ...key, run: await account.run() };
  let failures = 0;
  let next = 'call' as 'call' | 'readBack';
  for (;;) {
    const known = await getIntent(deps.db, key);
    if (known?.state === 'done') return { outcome: 'repeated' };
    if (known?.state === 'unknown')
      return { outcome: 'unknown', reason: 'an earlier attempt could not find out whether it took effect' };
    const work = { account, intent, known, failures };
    const step =
      next === 'readBack' && find !== undefined
        ? await lookBack<T>(work, find)
        : await attempt(work, write, find === undefined);
    if ('outcome' in step) return step;
    next = step.next;
    failures = step.failed === true ? failures + 1 : 0;
    await sleep(step.waitMs);
  }
}

/** Runs the write up to its call, which takes the intent and learns what became of it. */
async function attempt<T>(work: Work, write: OnceWrite<T>, isUnseen: boolean): Promise<Step<T>> {
  const { account, intent, known } = work;
  let step = null as Step<T> | null;
  const send: Sender = async (outgoing) => {
    if (step !== null)
      throw new Error(`the write "${intent.kind}" makes more than one call; use once for each`);
    return await withCall(account, outgoing, async ({ call, scope, person, check }) => {
      // Who opted out costs no slot.
      if (known === null || known.state === 'open') await check();
      let result = null as Awaited<ReturnType<typeof call>> | null;
      const subject = writeSubject<T>(work, person);
      step = await writeOnce<unknown, Step<T>>(
        account.deps,
        subject,
        {
          scope,
          check,
          call: async (client, options) => {
            result = await call(client, options);
            return result;
          },
          accepted: async (db, _, id) => {
            await endIntent(db, id, 'done');
            return { outcome: 'done', result: result as unknown as ApiResult<T> };
          },
          ...(isUnseen ? { unseen: UNSEEN } : {}),
        },
        known,
      );
      if ('outcome' in step && step.outcome === 'done' && result !== null) return result;
      throw new NoAnswer();
    });
  };
  try {
    await write(accountResources(account, send));
  } catch (error) {
    // What the write itself throws after its call reaches the activity, and the intent stays done.
    if (!(error instanceof NoAnswer)) throw error;
  }
  if (step === null)
    throw new Error(`the write "${intent.kind}" made no call with the client that it was given`);
  return step;
}

async function lookBack<T>(work: Work, find: FindEffect): Promise<Step<T>> {
  try {
    return await readBack<Step<T>>(work.account.deps, writeSubject<T>(work, null), work.known, {
      unclear: UNSEEN,
      async find({ sent_at }) {
        const shown = await find(sent_at ?? new Date());
        if (shown !== 'done') return shown;
        return async (tx, id) => {
          await endIntent(tx, id, 'done');
          return { outcome: 'repeated' };
        };
      },
    });
  } catch (error) {
    if (!isAmbiguous(error)) throw error;
    return { next: 'readBack', waitMs: backoffMs(work.failures + 1), failed: true };
  }
}

/** The call was not made, or its answer did not arrive. It never leaves this module. */
class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

function ownKind(kind: string): OwnKind {
  if (!KIND.test(kind))
    throw new TypeError(
      `the kind ${JSON.stringify(kind)} of a write must be at most 41 letters a-z, digits and -, and begin with a letter or digit`,
    );
  return `own-${kind}`;
}

/** A subject may name a person, so the ledger keeps a hash. */
function subjectOf(subject: string): string {
  if (typeof subject !== 'string' || subject.trim() === '')
    throw new TypeError('the subject of a write is empty; name what happens once, such as a row and a day');
  return shortHash(subject);
}

/** Until an operator ends a restore, nothing shows what was sent after the backup. */
async function checkRestored({ deps }: OwnAccount): Promise<void> {
  const restore = await openRestore(deps.db);
  if (restore === null) return;
  throw ApplicationFailure.create({
    message: `the ledger was restored to ${restore.restoredTo}, and does not know what own jobs sent since; they wait for \`sluice ledger end-restore\``,
    type: 'RESTORED',
    nextRetryDelay: RESTORED_MS,
  });
}

function writeSubject<T>(
  { account: { deps, name }, intent, failures }: Work,
  person: string | null,
): Subject<Step<T>> {
  return {
    account: deps.account(name),
    intent: person === null ? intent : { ...intent, trace: { to: person } },
    step: STEP,
    where: { account: name, step: intent.kind },
    failures,
    stopsForAll: true,
    done: async () => ({ outcome: 'repeated' }),
    callNext: async (_, waitMs) => ({ next: 'call', waitMs }),
    readBackNext: async (_, waitMs) => ({ next: 'readBack', waitMs }),
    unknown: async (_, __, reason) => ({ outcome: 'unknown', reason }),
  };
}

/** @throws the reason of a cancellation */
async function sleep(ms: number): Promise<void> {
  callScope().signal.throwIfAborted();
  await delayInScope(Math.ceil(ms));
}
