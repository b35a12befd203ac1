// The rate budget: reserves the calls that tokens allow, slot by slot in the ledger, and corrects it by the API's
// headers.

import { LANES } from '../../core/lanes.ts';
import type { Scope } from '../../core/scopes.ts';
import type { Database } from '../../core/sql/database.ts';
import { LedgerClock } from './ledger-clock.ts';
import { createLessons } from './lessons.ts';
import { type Slot, SlotQueue, type WaitOptions, type Wanted } from './slot-queue.ts';
import {
  blockToken,
  clearMarks,
  marksAgainst,
  markToken,
  type Pace,
  type TokenPlan,
  type TokenState,
  takeSlots,
  tokenStates,
} from './statements.ts';

export type { Slot } from './slot-queue.ts';
export type { Pace, TokenPlan, TokenState } from './statements.ts';

/**
 * Slots are 60 s / limit × 1.005 apart, so limit + 1 slots span 60.3 s. A call that uses its slot at most this late
 * leaves 100 ms for the way to the service, so that no 60 s contain more calls than the limit.
 */
const TOLERANCE_MS = 200;

/** The lane of calls that follow another at once (HORIZON in src/core/sql/schema/budget-functions.ts). */
const FOLLOWS = 0;

/** The ledger stores the limit as an int. A service without a limit may report a huge number. */
const MAX_LIMIT = 1_000_000;

/** The share of a token's limit that one user may spend in its own lane. Calls beyond it use the lane `backfill`. */
export interface ShareOf {
  readonly key: string;
  /** From 0 to 1. */
  readonly part: number;
}

export interface ReserveOptions extends WaitOptions {
  /** Permission that the call needs. With several tokens, those known to lack it come last. */
  readonly scope?: Scope;
  readonly pace?: Pace | undefined;
  readonly share?: ShareOf | undefined;
  /** The call must follow the one before at once: it gets the next slot, for which the lower lanes pay. */
  readonly follows?: boolean;
}

/** Content of an answer's rate headers; `limit` and `remaining` are in calls (API text, Limits). */
export interface Rate {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: Date;
}

export interface Budget {
  /**
   * Waits for the tokens' next slot for a lane, without a time limit.
   * @param tokens hashes; the call gets the earliest slot of any of them
   * @param lane 1 (reply) to 5 (backfill): a lower number sees farther ahead and wins
   * @throws the signal's reason; LedgerError
   */
  reserve(tokens: readonly string[], lane: number, options?: ReserveOptions): Promise<Slot>;
  /**
   * Learns from the rate headers of an answer.
   * @param slot the slot that the call used
   * @param takenMs milliseconds from sending to the answer
   */
  observe(slot: Pick<Slot, 'token' | 'number'>, rate: Rate, takenMs: number): Promise<void>;
  /** Blocks the token for this many milliseconds, after a 429. */
  block(token: string, ms: number): Promise<void>;
  /**
   * Records that the service refuses a token, completely (scope null) or for a scope. For a minute, or for ten minutes
   * when it lacks a scope, other tokens come first. The record stays until the service accepts the token.
   * @returns true when this is news
   */
  refused(token: string, scope: Scope | null, code: string): Promise<boolean>;
  /** The service accepted the token of a call in this slot. Clears the refusals that were recorded before the slot. */
  accepted(slot: Pick<Slot, 'token' | 'marked' | 'takenAt'>, scope: Scope): Promise<void>;
  /** Calls per minute that these tokens allow together, without other programs' share. */
  pace(tokens: readonly string[]): Promise<number>;
  /** The state of each token, in the order of `tokens`. */
  snapshot(tokens: readonly string[]): Promise<TokenState[]>;
}

/** How often accepted calls clear marks that other processes may have made. */
const CLEARING_MS = 15_000;

/** @param planOf the configuration of a token */
export function createBudget(db: Database, planOf: (token: string) => TokenPlan): Budget {
  const queues = new Map<string, PacedQueue>();
  const shares = new Map<string, Share>();
  const clock = new LedgerClock();
  const lessons = createLessons(db);
  /** This process's last slot by token, and its quickest exchange in milliseconds. */
  const lastSlot = new Map<string, number>();
  const quickest = new Map<string, number>();
  /** When this process last found a token without marks, by token and scope. */
  const lastClearing = new Map<string, Map<string, number>>();

  const queueOf = (key: string, tokens: readonly string[], scopes: readonly string[] | null): PacedQueue => {
    const queue = queues.get(key);
    if (queue !== undefined) return queue;
    const ask = async (wanted: Wanted, slackMs: number) => {
      const plans = tokens.map(planOf);
      const askedAt = performance.now();
      const { pace } = made;
      const answer = await takeSlots(db, { tokens, plans, wanted, scopes, pace, slackS: slackMs / 1000 });
      const atMs = answer.at_s * 1000;
      clock.learn(askedAt, performance.now(), atMs);
      return {
        slots: answer.slots.map(({ token, lane, slot, marked, wait_s }) => ({
          lane,
          slot: {
            token,
            number: slot,
            marked,
            takenAt: answer.at_s,
            dueAt: clock.localTime(atMs + wait_s * 1000),
            toleranceMs: TOLERANCE_MS + slackMs,
          },
        })),
        againMs: Math.max(answer.slots.length > 0 ? 0 : 1, answer.next_s * 1000),
      };
    };
    const made: PacedQueue = { queue: new SlotQueue(ask), pace: null };
    // Each run with a pace has its own key, and a process outlives many runs.
    for (const [name, old] of queues) if (old.pace !== null && old.queue.idle) queues.delete(name);
    queues.set(key, made);
    return made;
  };

  /** Beyond its share, a call goes behind all others. */
  const laneOf = (lane: number, tokens: readonly string[], share: ShareOf | undefined): number => {
    if (share === undefined) return clampLane(lane);
    const limit = tokens.reduce((sum, token) => sum + (lessons.limitOf(token) ?? planOf(token).limit), 0);
    const bucket = shares.get(share.key) ?? new Share();
    shares.set(share.key, bucket);
    return bucket.take((limit * share.part) / 60_000, performance.now()) ? clampLane(lane) : LANES.backfill;
  };

  const states = async (tokens: readonly string[]): Promise<TokenState[]> => {
    const rows = new Map((await tokenStates(db, tokens)).map((row) => [row.token, row]));
    return tokens.map((token) => {
      const { limit } = planOf(token);
      const fresh = { token, limit, nextFreeMs: 0, blockedMs: 0, foreign: 0, ownBefore: 0, marks: {} };
      return rows.get(token) ?? fresh;
    });
  };

  return {
    async reserve(tokens, lane, { scope, pace, share, follows = false, ...options } = {}) {
      if (tokens.length === 0) throw new Error('a slot was asked for without any token');
      const own = [...new Set(tokens)];
      // With one token there is nothing to choose, so all scopes wait in one queue.
      const scopes = own.length > 1 && scope !== undefined ? marksAgainst(scope) : null;
      const key = JSON.stringify([own, scopes, pace?.key]);
      const paced = queueOf(key, own, scopes);
      if (pace !== undefined && paced.pace?.perMinute !== pace.perMinute) {
        paced.pace = pace;
        paced.queue.wake();
      }
      return await paced.queue.wait(follows ? FOLLOWS : laneOf(lane, own, share), options);
    },
    async observe(slot, rate, takenMs) {
      if (!Number.isFinite(rate.limit) || rate.limit <= 0) return;
      const last = lastSlot.get(slot.token) ?? 0;
      lastSlot.set(slot.token, Math.max(last, slot.number));
      const quickestMs = Math.min(takenMs, quickest.get(slot.token) ?? takenMs);
      quickest.set(slot.token, quickestMs);
      await lessons.teach(slot.token, {
        slot: slot.number,
        last,
        limit: Math.min(Math.ceil(rate.limit), MAX_LIMIT),
        used: rate.limit - rate.remaining,
        left: rate.remaining,
        resetAt: rate.resetAt.getTime() / 1000,
        quickest: quickestMs / 1000,
      });
    },
    block: (token, ms) => blockToken(db, token, ms),
    async refused(token, scope, code) {
      const fresh = await markToken(db, token, scope ?? '', code);
      lastClearing.delete(token);
      return fresh;
    },
    async accepted({ token, marked, takenAt }, scope) {
      const scopes = lastClearing.get(token) ?? new Map<string, number>();
      lastClearing.set(token, scopes);
      const now = performance.now();
      if (!marked && now - (scopes.get(scope) ?? -Infinity) < CLEARING_MS) return;
      scopes.set(scope, now);
      if (await clearMarks(db, token, marksAgainst(scope), takenAt)) scopes.delete(scope);
    },
    async pace(tokens) {
      const all = await states(tokens);
      const usable = all.filter(({ marks }) => !('' in marks));
      return (usable.length === 0 ? all : usable).reduce(
        (sum, { limit, foreign }) => sum + Math.max(1, limit - foreign),
        0,
      );
    },
    snapshot: states,
  };
}

/** Maximum saved calls, in milliseconds of refilling. A burst may use what a quiet period left. */
const SAVED_MS = 30_000;

/** A share of the calls that a budget allows: a bucket that starts full and refills evenly. */
class Share {
  #calls = Number.POSITIVE_INFINITY;
  #at: number | null = null;

  /**
   * Takes one call out if there is one.
   * @param perMs calls per millisecond
   * @param now milliseconds of a clock that never goes back
   */
  take(perMs: number, now: number): boolean {
    const passed = this.#at === null ? 0 : now - this.#at;
    this.#at = now;
    this.#calls = Math.min(Math.max(1, perMs * SAVED_MS), this.#calls + passed * perMs);
    if (this.#calls < 1) return false;
    this.#calls -= 1;
    return true;
  }
}

/** A queue whose calls share one pace: the one that the newest call passed. */
interface PacedQueue {
  readonly queue: SlotQueue;
  pace: Pace | null;
}

/** A call without a lane, or with an unknown one, waits behind all others. */
function clampLane(lane: number): number {
  return Number.isInteger(lane) && lane >= LANES.reply && lane <= LANES.backfill ? lane : LANES.backfill;
}
