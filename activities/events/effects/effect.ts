// Runs one step of an event: loads the event, runs the step, and records how it ended.

import { MediaError } from '../../../src/connectors/media/media-error.ts';
import type { Queryable } from '../../../src/core/sql/database.ts';
import type { IntentKey, IntentRow, NewIntent } from '../../../src/core/store/intents.ts';
import { findPeople, type KnownPerson } from '../../../src/core/store/people.ts';
import type { EffectResult, EffectStep, RequestOf } from '../../../src/jobs/events/contract/intake.ts';
import { type EffectDone, type EventEnd, endEvent } from '../../../src/jobs/events/store/event-end.ts';
import {
  countEventAttempt,
  type EventRow,
  getEvent,
  noteProgress,
} from '../../../src/jobs/events/store/events.ts';
import { ApiError } from '../../../src/service/api-client/errors.ts';
import { type CallSubject, withSubject } from '../../shared/call-scope.ts';
import type { AccountAccess, Deps } from '../../shared/deps.ts';
import { refusal, toFailure } from '../../shared/failures.ts';
import { judge, MAX_INTERNAL_ERRORS } from '../../shared/judge.ts';
import type { Subject } from '../../shared/write-once.ts';
import type { EffectRequest } from './first-step.ts';

export interface EffectInput {
  readonly event: string;
}

/** What the steps of an event have found so far; the ledger stores it between steps. */
export interface Progress {
  /** The step to continue with. */
  readonly step?: EffectStep;
  /** The contact as the service showed it, and when (epoch milliseconds). */
  readonly contact?: {
    readonly id: number;
    readonly tags: readonly { readonly id: number; readonly name: string }[];
    readonly at: number;
  };
  /** The card, and its stage before the move was sent, or when it was first checked. */
  readonly card?: { readonly id: number; readonly stage: number | null };
  /** When the first call with a lost response was sent, ISO 8601. Its effect is not older. */
  readonly since?: string;
  /**
   * Conversations still to search, whether their list was read after the settle time, and whether a search was
   * inconclusive.
   */
  readonly round?: {
    readonly tickets: readonly number[];
    readonly settled: boolean;
    readonly doubt: boolean;
  };
  /** Number of times the event has waited for the outcome of look-alike messages. */
  readonly waits?: number;
}

type EffectType = EffectRequest['type'];

/** Context of a step, whatever the event asks for. */
export interface AnyEffect {
  readonly step: EffectStep;
  readonly event: EventRow;
  readonly progress: Progress;
  /** Intent of the effect that must not happen twice; null if nothing has been sent. */
  readonly intent: IntentRow | null;
  readonly account: AccountAccess;
  /** Run that counts the calls. */
  readonly run: string;
}

export interface Effect<T extends EffectType> extends AnyEffect {
  readonly request: RequestOf<T>;
}

/**
 * Runs a step. A refusal that concerns only this event ends it as failed, which is an ordinary result. A refusal with
 * a wider scope is a failure, and the workflow lets the event wait. For an event that has ended, there is no next
 * step.
 * @param types request types that have this step
 */
export async function runEffect<T extends EffectType>(
  deps: Deps,
  step: EffectStep,
  types: readonly T[],
  input: EffectInput,
  work: (effect: Effect<T>) => Promise<EffectResult>,
): Promise<EffectResult> {
  const { db } = deps;
  let account = '';
  try {
    const event = await getEvent(db, input.event);
    if (event === null) throw new Error(`the ledger has no event ${input.event}`);
    account = event.account;
    if (event.state === 'ended') return { next: null };
    const { request } = event;
    if (request === null || !types.some((type) => type === request.type))
      throw new Error(`an event of the action ${event.action} has no step ${step}`);
    const progress = event.progress as Progress;
    const effect = {
      step,
      event,
      run: event.run_id,
      account: deps.account(event.account),
      request: request as RequestOf<T>,
      progress,
      intent: event.intent,
    };
    return await withSubject(subjectOfCalls(effect.request, progress), () => work(effect));
  } catch (error) {
    return await settleError(deps, step, { event: input.event, account }, error);
  }
}

function subjectOfCalls(request: EffectRequest, { card, round }: Progress): CallSubject {
  if (request.type === 'message') {
    const { to } = request;
    const conversation = 'conversation' in to ? to.conversation : round?.tickets[0];
    return { person: 'key' in to ? to.key : null, conversation };
  }
  if (request.type !== 'stage') return { person: request.key };
  const { of } = request;
  return 'key' in of ? { person: of.key, card: card?.id } : { card: of.card };
}

async function settleError(
  deps: Deps,
  step: EffectStep,
  { event, account }: { event: string; account: string },
  error: unknown,
): Promise<EffectResult> {
  const { db, log } = deps;
  const failed = (code: string, reason: string) =>
    finish(deps, db, event, { outcome: 'failed', step, code, reason });
  const judged = judge(account, error, step, 1);
  if (judged.kind === 'passed') throw judged.failure;
  const { code, reason } = judged;
  if (judged.kind === 'refused') {
    if (judged.reach === 'record') return await failed(code, reason + servedIn(error));
    if (code === 'UNEXPECTED_SHAPE') log.warn({ event, step, code }, `the response to ${step} can't be read`);
    else log.warn({ event, step, code }, `the account refuses the step ${step}`);
    throw code === 'FORBIDDEN'
      ? refusal(code, `${(error as Error).message}: the storage is full, or the plan lacks it`, {
          scope: 'step',
          step,
        })
      : judged.failure;
  }
  if (judged.isOwn) {
    log.error({ event, step, err: error }, 'a step of an event failed');
    throw judged.failure;
  }
  const failures = await countEventAttempt(db, event);
  if (failures >= MAX_INTERNAL_ERRORS && (judged.isInternal || error instanceof MediaError))
    return await failed(code, `${reason}, ${failures} times`);
  throw toFailure(error, step, failures);
}

/** The conversation in which a person is serving the contact. */
const servedIn = (error: unknown): string =>
  error instanceof ApiError && error.ticketId !== null
    ? `: a person is serving the contact in conversation ${error.ticketId}`
    : '';

/** Ends the event, and the intent whose effect is done. */
export async function finish(
  deps: Deps,
  tx: Queryable,
  event: string,
  end: EventEnd,
  effect?: EffectDone,
): Promise<EffectResult> {
  await endEvent(tx, event, end, effect);
  const { outcome, step, code } = end;
  if (outcome === 'failed' || outcome === 'unknown')
    deps.log.warn({ event, step, code }, outcome === 'failed' ? 'an event failed' : 'an outcome is unknown');
  return { next: null };
}

/** True if a call was sent, so its effect must be read back first. */
export function isSent({ intent }: AnyEffect): boolean {
  return intent !== null && intent.state !== 'open';
}

/**
 * The effect of an event as `writeOnce` and `readBack` take it.
 *
 * @param steps `readBack` is null if nothing shows the effect
 */
export function subjectOf(
  deps: Deps,
  { event, step, progress, account, run }: AnyEffect,
  kind: Exclude<IntentKey['kind'], 'card' | 'stage'>,
  steps: { readonly call: EffectStep; readonly readBack: EffectStep | null },
  says: Pick<NewIntent, 'mark' | 'trace'> = {},
): Subject<EffectResult> {
  const { id } = event;
  return {
    account,
    intent: { ...says, account: event.account, kind, subject: id, run },
    step,
    where: { event: id, step },
    failures: event.attempts,
    stopsForAll: false,
    done: () => finish(deps, deps.db, id, { outcome: 'done' }),
    callNext: async (_, waitMs) => ({ next: steps.call, ...(waitMs === 0 ? {} : { waitMs }) }),
    async readBackNext(db, waitMs, sentAt) {
      if (step === steps.call) await noteProgress(db, id, { since: progress.since ?? sentAt?.toISOString() });
      return { next: steps.readBack, waitMs };
    },
    unknown: (tx, code, reason) =>
      finish(deps, tx, id, { outcome: 'unknown', step: steps.call, code, reason }),
  };
}

/** Ends the event as failed for a reason that Sluice itself found. */
export async function failEvent(
  deps: Deps,
  c: AnyEffect,
  code: string,
  reason: string,
): Promise<EffectResult> {
  const { db } = deps;
  return await finish(deps, db, c.event.id, { outcome: 'failed', step: c.step, code, reason });
}

/** The person of a request, as the ledger knows them. */
export async function personOf(db: Queryable, account: string, key: string): Promise<KnownPerson | null> {
  return (await findPeople(db, account, [key], '')).get(key) ?? null;
}
