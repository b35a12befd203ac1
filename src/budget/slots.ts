// The budget: the calls that tokens allow, reserved slot by slot in the ledger and corrected by the API's own headers.
import { LANES } from '../contracts/wire/run.ts';
import type { Scope } from '../contracts/wire/scopes.ts';
import type { Database } from '../ledger/database.ts';
import { LedgerClock } from './ledger-clock.ts';
import { createLessons } from './lessons.ts';
import { Share } from './share.ts';
import { type Slot, SlotQueue, type WaitOptions, type Wanted } from './slot-queue.ts';
import {
  blockToken,
  marksAgainst,
  markToken,
  type Pace,
  type TokenPlan,
  type TokenState,
  takeSlots,
  tokenStates,
  unmarkToken,
} from './statements.ts';

export type { Slot } from './slot-queue.ts';
export type { Pace, TokenPlan, TokenState } from './statements.ts';

/**
 * Slots are 60 s / limit × 1.005 apart: limit + 1 of them span 60.3 s. A call that is at most this late in its slot
 * leaves 100 ms for the way to the service, so that no 60 s hold more calls than the limit.
 */
const TOLERANCE_MS = 200;

/** A limit is an int of the ledger; a service without one says some huge number. */
const MAX_LIMIT = 1_000_000;

/** The part of a token's limit that one user of it has in its own lane; what is beyond goes in lane backfill. */
export interface ShareOf {
  readonly key: string;
  /** From 0 to 1. */
  readonly part: number;
}

export interface ReserveOptions extends WaitOptions {
  /** What the call needs: with several tokens, those known to lack it come last. */
  readonly scope?: Scope;
  readonly pace?: Pace | undefined;
  readonly share?: ShareOf | undefined;
}

/** What an answer's headers say; `limit` and `remaining` in calls (API text, Limits). */
export interface Rate {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: Date;
}

export interface Budget {
  /**
   * Waits for the next slot of the tokens for a lane, for as long as it takes.
   * @param tokens hashes; the earliest slot of any is taken
   * @param lane 1 (reply) to 5 (backfill): a lower number sees farther ahead and wins
   * @throws the signal's reason; LedgerError
   */
  reserve(tokens: readonly string[], lane: number, options?: ReserveOptions): Promise<Slot>;
  /**
   * Learns from the rate headers of an answer.
   * @param slot the one that the call was made in
   * @param takenMs from sending to the answer
   */
  observe(slot: Pick<Slot, 'token' | 'number'>, rate: Rate, takenMs: number): Promise<void>;
  /** Nothing goes out on this token for this many milliseconds: the answer to a 429. */
  block(token: string, ms: number): Promise<void>;
  /**
   * Notes that the service refuses a token, wholly (scope null) or for a scope: for ten minutes the others come first.
   * @returns true when that is news
   */
  refused(token: string, scope: Scope | null, code: string): Promise<boolean>;
  /** A call in this slot was let in: what was noted against its token is over. */
  accepted(slot: Pick<Slot, 'token' | 'marked'>, scope: Scope): Promise<void>;
  /** Calls a minute that these tokens allow together, others' share taken off. */
  pace(tokens: readonly string[]): Promise<number>;
  /** How each token stands, in the order of `tokens`. */
  snapshot(tokens: readonly string[]): Promise<TokenState[]>;
}

/**
 * @param planOf what the configuration says of a token
 */
export function createBudget(db: Database, planOf: (token: string) => TokenPlan): Budget {
  const queues = new Map<string, PacedQueue>();
  const shares = new Map<string, Share>();
  const clock = new LedgerClock();
  const lessons = createLessons(db);
  /** Last slot of this process by token, and its quickest exchange in milliseconds. */
  const lastSlot = new Map<string, number>();
  const quickest = new Map<string, number>();

  const queueOf = (key: string, tokens: readonly string[], scopes: readonly string[] | null): PacedQueue => {
    const queue = queues.get(key);
    if (queue !== undefined) return queue;
    const plans = tokens.map(planOf);
    const ask = async (wanted: Wanted, slackMs: number) => {
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
            dueAt: clock.localTime(atMs + wait_s * 1000),
            toleranceMs: TOLERANCE_MS + slackMs,
          },
        })),
        againMs: Math.max(answer.slots.length > 0 ? 0 : 1, answer.next_s * 1000),
      };
    };
    const made: PacedQueue = { queue: new SlotQueue(ask), pace: null };
    // Each run with a pace has a key of its own, and a process lives for many of them.
    for (const [name, old] of queues) if (old.pace !== null && old.queue.idle) queues.delete(name);
    queues.set(key, made);
    return made;
  };

  /** Beyond its share a call goes behind all others. */
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
    async reserve(tokens, lane, { scope, pace, share, ...options } = {}) {
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
      return await paced.queue.wait(laneOf(lane, own, share), options);
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
    refused: (token, scope, code) => markToken(db, token, scope ?? '', code),
    async accepted({ token, marked }, scope) {
      if (marked) await unmarkToken(db, token, marksAgainst(scope));
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

/** A queue whose calls share one pace, as the newest of them was given it. */
interface PacedQueue {
  readonly queue: SlotQueue;
  pace: Pace | null;
}

/** A call without a lane, or with one that Sluice does not know, waits behind all others. */
function clampLane(lane: number): number {
  return Number.isInteger(lane) && lane >= LANES.reply && lane <= LANES.backfill ? lane : LANES.backfill;
}
