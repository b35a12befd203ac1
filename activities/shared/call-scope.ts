// What a call of the API knows of the work that it belongs to: its lane, what it may spend, and what calls it off.
import { AsyncLocalStorage } from 'node:async_hooks';
import { Context } from '@temporalio/activity';
import type { Pace, ShareOf } from '../../src/budget/slots.ts';
import { LANES } from '../../src/contracts/wire/run.ts';

export interface CallScope {
  /** 1 (reply) to 5 (backfill). */
  readonly lane: number;
  /** Aborts when the work is called off. Its reason is Temporal's CancelledFailure. */
  readonly signal: AbortSignal;
  /**
   * A rate of its own, such as a campaign's: calls of this key keep even distances, besides waiting for the token's
   * slots. All processes share it. The newest `perMinute` counts from the next slot on.
   */
  readonly pace?: Pace | undefined;
  /**
   * A part of the token's limit, such as a poller's: calls within it have the lane above, those beyond it lane
   * `backfill`.
   */
  readonly share?: ShareOf | undefined;
  /** Told of each call that goes out. */
  readonly started?: () => void;
  /** Whether the next call goes before others of its lane: work that was begun comes to its end before more is begun. */
  readonly first?: () => boolean;
}

const scopes = new AsyncLocalStorage<CallScope>();

/** Runs `work`: calls made anywhere inside it belong to this scope. */
export function withCallScope<T>(scope: CallScope, work: () => Promise<T>): Promise<T> {
  return scopes.run(scope, work);
}

/** The scope of the work in hand; outside of any, that of the activity: its priority and its cancellation. */
export function callScope(): CallScope {
  const scope = scopes.getStore();
  if (scope !== undefined) return scope;
  const { info, cancellationSignal } = Context.current();
  return { lane: info.priority?.priorityKey ?? LANES.backfill, signal: cancellationSignal };
}
