// The budget: the calls that tokens allow, reserved slot by slot in the ledger and corrected by the API's own headers.
import { LANES } from '../contracts/run.ts';
import type { Scope } from '../contracts/scopes.ts';
import type { Queryable } from '../ledger/database.ts';
import {
  blockToken,
  type Learned,
  marksAgainst,
  markToken,
  observeRate,
  type TokenPlan,
  type TokenState,
  takeSlot,
  tokenStates,
  unmarkToken,
} from './statements.ts';
import { type Granted, type Reservation, WaitingLine } from './waiting.ts';

export type { TokenPlan, TokenState } from './statements.ts';
export type { Granted, Reservation } from './waiting.ts';

/** A limit is an int of the ledger; a service without one says some huge number. */
const MAX_LIMIT = 1_000_000;

export interface ReserveOptions {
  /** What the call needs: with several tokens, those known to lack it come last. */
  readonly scope?: Scope;
  /** Leaves the line. */
  readonly signal?: AbortSignal;
}

/** What an answer's headers say; `limit` and `remaining` in calls (API text, Limits). */
export interface Rate {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: Date;
}

export interface Budget {
  /**
   * Takes the next slot of the tokens for a lane; waits for it two seconds at most, in line with others of this process.
   * @param tokens hashes; the earliest slot of any is taken
   * @param lane 1 (reply) to 5 (backfill): a lower number sees farther ahead and wins
   * @returns the slot with the milliseconds to wait before the call; or the milliseconds after which to ask again
   */
  reserve(tokens: readonly string[], lane: number, options?: ReserveOptions): Promise<Reservation>;
  /**
   * Learns from the rate headers of an answer.
   * @param slot the one that the call was made in
   * @param takenMs from sending to the answer
   */
  observe(slot: Pick<Granted, 'token' | 'number'>, rate: Rate, takenMs: number): Promise<void>;
  /** Nothing goes out on this token for so long: the answer to a 429. */
  block(token: string, ms: number): Promise<void>;
  /**
   * Notes that the service refuses a token, wholly (scope null) or for a scope: for ten minutes the others come first.
   * @returns true when that is news
   */
  refused(token: string, scope: Scope | null, code: string): Promise<boolean>;
  /** A call in this slot was let in: what was noted against its token is over. */
  accepted(slot: Pick<Granted, 'token' | 'marked'>, scope: Scope): Promise<void>;
  /** Calls a minute that these tokens allow together, others' share taken off. */
  pace(tokens: readonly string[]): Promise<number>;
  /** How each token stands, in the order of `tokens`. */
  snapshot(tokens: readonly string[]): Promise<TokenState[]>;
}

/** What a process knows of a token's window without asking the ledger. */
interface Known extends Learned {
  readonly resetMs: number;
}

/**
 * @param planOf what the configuration says of a token
 */
export function createBudget(db: Queryable, planOf: (token: string) => TokenPlan): Budget {
  const lines = new Map<string, WaitingLine>();
  const known = new Map<string, Known>();
  /** Last slot of this process by token, and its quickest exchange in milliseconds. */
  const lastSlot = new Map<string, number>();
  const quickest = new Map<string, number>();

  const lineOf = (tokens: readonly string[], scope: Scope | undefined): WaitingLine => {
    // With one token there is nothing to choose, so all scopes stand in one line.
    const scopes = tokens.length > 1 && scope !== undefined ? marksAgainst(scope) : null;
    const key = [...tokens, ...(scopes ?? [])].join(' ');
    const line = lines.get(key);
    if (line !== undefined) return line;
    const plans = tokens.map(planOf);
    const ask = async (lanes: readonly number[]) => {
      const answer = await takeSlot(db, { tokens, plans, lanes, scopes });
      return {
        lane: answer.lane,
        slot: answer.taken
          ? {
              granted: true as const,
              token: answer.chosen,
              number: answer.slot,
              marked: answer.marked,
              waitMs: Math.max(0, answer.wait_s * 1000),
            }
          : null,
        againMs: Math.max(answer.taken ? 0 : 1, answer.next_s * 1000),
        gapMs: (answer.gap_s * 1000) / tokens.length,
      };
    };
    const made = new WaitingLine(ask, 60_000 / plans.reduce((sum, { limit }) => sum + limit, 0));
    lines.set(key, made);
    return made;
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
    async reserve(tokens, lane, { scope, signal } = {}) {
      if (tokens.length === 0) throw new Error('a slot was asked for without any token');
      return await lineOf([...new Set(tokens)], scope).wait(clampLane(lane), signal);
    },
    async observe(slot, rate, takenMs) {
      if (!Number.isFinite(rate.limit) || rate.limit <= 0) return;
      const limit = Math.min(rate.limit, MAX_LIMIT);
      const used = rate.limit - rate.remaining;
      const resetMs = rate.resetAt.getTime();
      const last = lastSlot.get(slot.token) ?? 0;
      lastSlot.set(slot.token, Math.max(last, slot.number));
      const quickestMs = Math.min(takenMs, quickest.get(slot.token) ?? takenMs);
      quickest.set(slot.token, quickestMs);
      const before = known.get(slot.token);
      if (before !== undefined && rate.remaining > 0 && fits(before, limit, used - slot.number, resetMs))
        return;
      const learned = await observeRate(db, {
        ...{ token: slot.token, slot: slot.number, last, limit, used, left: rate.remaining },
        ...{ resetAt: rate.resetAt, quickestS: quickestMs / 1000 },
      });
      if (learned !== undefined) known.set(slot.token, { ...learned, resetMs });
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

/** An answer of the same window that counts our calls and no others has nothing to tell: no statement for it. */
function fits(known: Known, limit: number, drift: number, resetMs: number): boolean {
  const noise = Math.max(2, limit * 0.01);
  return (
    known.quiet &&
    known.call_limit === limit &&
    Math.abs(resetMs - known.resetMs) <= 2000 &&
    Math.abs(drift - known.base) <= noise
  );
}

/** A call without a lane, or with one that Sluice does not know, waits behind all others. */
function clampLane(lane: number): number {
  return Number.isInteger(lane) && lane >= LANES.reply && lane <= LANES.backfill ? lane : LANES.backfill;
}
