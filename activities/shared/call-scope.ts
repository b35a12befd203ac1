// The call scope: the lane, limits and cancellation that an API call inherits from the work it belongs to.
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { LANES } from '../../src/core/lanes.ts';
import type { Pace, ShareOf } from '../../src/service/budget/slots.ts';

/** What calls are about, for the call log: keys and ids of the ledger, never names or texts. */
export interface CallSubject {
  /** The person, as `people.key`. */
  readonly person?: string | null | undefined;
  readonly event?: string | undefined;
  readonly conversation?: number | null | undefined;
  readonly card?: number | null | undefined;
}

export interface CallScope {
  /** 1 (reply) to 5 (backfill). */
  readonly lane: number;
  /** Aborts when the work is canceled. Its reason is Temporal's CancelledFailure. */
  readonly signal: AbortSignal;
  /**
   * A separate rate, such as a campaign's. Calls with this key keep even distances and also wait for the token's
   * slots. All processes share the rate. A new `perMinute` applies from the next slot on.
   */
  readonly pace?: Pace | undefined;
  /**
   * A share of the token's limit, such as a poller's. Calls within the share use the lane above; calls beyond it use
   * the `backfill` lane.
   */
  readonly share?: ShareOf | undefined;
  /** Runs when a call goes out. */
  readonly started?: () => void;
  /** Whether the next call goes before others of its lane, so that started work finishes before new work starts. */
  readonly first?: () => boolean;
  /** Whether the call must follow the one before at once, because what that one showed is soon too old. */
  readonly follows?: boolean | undefined;
  readonly about?: CallSubject | undefined;
}

const scopes = new AsyncLocalStorage<CallScope>();

/** Runs `work`. All calls made inside it belong to this scope. */
export function withCallScope<T>(scope: CallScope, work: () => Promise<T>): Promise<T> {
  return scopes.run(scope, work);
}

/** Runs `work` in the current scope. The call log shows what its calls are about, beside what is known already. */
export function withSubject<T>(subject: CallSubject, work: () => Promise<T>): Promise<T> {
  const scope = callScope();
  return scopes.run({ ...scope, about: { ...scope.about, ...subject } }, work);
}

/** The scope of the current work. Outside any scope, it is the activity's own: its priority and its cancellation. */
export function callScope(): CallScope {
  const scope = scopes.getStore();
  if (scope !== undefined) return scope;
  const { info, cancellationSignal } = Context.current();
  return { lane: info.priority?.priorityKey ?? LANES.backfill, signal: cancellationSignal };
}

/** Waits. Rejects with the reason of the scope's signal when the work is canceled. */
export async function delayInScope(ms: number): Promise<void> {
  const { signal } = callScope();
  await delay(ms, undefined, { signal }).catch(() => {
    throw signal.reason;
  });
}
