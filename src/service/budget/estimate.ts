// Learns from the API's answers: the limit, the service's window, and the calls that other programs make with the
// same token. Pure functions: a state and an observation give the next state. All times are epoch seconds of the
// ledger's clock.

import { SPACING } from '../../core/lanes.ts';

/** What the ledger knows about a token. */
export interface TokenBudget {
  /** Calls per minute. */
  readonly limit: number;
  /** The limit in the last answer. A higher limit applies once two answers in a row name it. */
  readonly limitSeen: number;
  /** Number of the next slot, and the earliest time it is due. */
  readonly slotNo: number;
  readonly nextAt: number;
  readonly blockedUntil: number;
  /** End of the service's window: as the header states it, and by the ledger's clock. */
  readonly windowReset: number | null;
  readonly windowEnds: number;
  /** Our first and last slot in the window, the last slot before it, and our number of slots in the window before. */
  readonly windowFirst: number;
  readonly windowLast: number;
  readonly windowBefore: number;
  readonly ownBefore: number;
  /** Answers in a row whose window does not follow from the previous one. The second one resets the window. */
  readonly outOfStep: number;
  /**
   * Calls that the service has counted, minus the number of the slot that showed the count, while nobody else calls.
   */
  readonly windowBase: number;
  /** Seconds by which the service's clock is ahead, as far as answers have proved it. */
  readonly skew: number;
  /** Other programs' calls in this window and the largest step among them; then the usual values of both. */
  readonly foreignNow: number;
  readonly burstNow: number;
  readonly foreignUsual: number;
  readonly burstUsual: number;
  /** Other programs' calls two to four seconds ago: a burst does not end within one answer. */
  readonly markAt: number;
  readonly markLast: number;
  readonly markBefore: number;
  /** Wider slot distance that leaves room for other programs in this window. */
  readonly stretch: number;
  readonly stretchUntil: number;
}

export interface Observation {
  readonly slot: number;
  /** The last slot that the caller took before this answer. */
  readonly last: number;
  readonly limit: number;
  /** Calls that the service has counted in its window, and calls that are left. */
  readonly used: number;
  readonly left: number;
  readonly resetAt: number;
  /** Seconds from sending to the answer in the quickest exchange. */
  readonly quickest: number;
  readonly now: number;
}

/** A window lasts one minute (API text, Limits). */
const WINDOW_S = 60;
/** The header has whole seconds, so resets this close are the same. */
const SAME_RESET_S = 2;
/** To detect bursts, other programs' calls are compared with those of this many seconds ago. */
const MARK_S = 2;
/** Other programs that call evenly are expected to go on for this many seconds. */
const EVEN_S = 8;
/** Slots are at most this many usual distances apart. */
const MOST_STRETCH = 10;

/** A smaller difference comes from calls that overtook each other. */
export const noiseOf = (limit: number): number => Math.max(2, limit * 0.01);

/** Seconds between two slots while nobody else calls: 0.5 % wider than the limit requires. */
export const gapOf = (limit: number): number => (WINDOW_S / limit) * SPACING;

/** Nobody else calls and nothing is blocked. A matching answer teaches nothing. */
export const isQuiet = (state: TokenBudget, now: number): boolean =>
  state.foreignNow === 0 &&
  state.foreignUsual === 0 &&
  state.blockedUntil <= now &&
  state.limitSeen <= state.limit;

type Draft = { -readonly [K in keyof TokenBudget]: TokenBudget[K] };

/** @returns the state after an answer; slots and their times do not change */
export function learn(state: TokenBudget, seen: Observation): TokenBudget {
  const s: Draft = { ...state, limitSeen: seen.limit };
  // If one garbled answer could raise the limit, a burst would go out.
  if (seen.limit > state.limit) s.limit = Math.max(state.limit, Math.min(seen.limit, state.limitSeen));
  else s.limit = seen.limit;
  // Such an answer counts with a limit that is not trusted yet. An answer with more calls left than the limit counts
  // nothing.
  if (seen.limit > s.limit || seen.used < 0) return s;
  // The latest time at which the service counted the call. An answer takes at least half of the quickest exchange.
  // The middle of this exchange would be too early if the request was slow to arrive, as a first one is.
  const counted = seen.now - seen.quickest / 2;
  s.outOfStep = isOutOfStep(s, seen, counted) ? s.outOfStep + 1 : 0;
  if (s.outOfStep === 1) return s;
  if (s.outOfStep > 1) {
    s.outOfStep = 0;
    s.windowReset = null;
    s.skew = 0;
  }
  const known = s.windowReset;
  if (known === null || isNewWindow(s, known, seen, counted)) beginWindow(s, known, seen, counted);
  else if (seen.resetAt < known - SAME_RESET_S) {
    // This answer belongs to the previous window. An answer of the current window overtook it.
    if (seen.slot > s.windowBefore) {
      s.windowBase += s.windowBefore - seen.slot;
      s.windowBefore = seen.slot;
    }
    return s;
  } else if (seen.resetAt > known + SAME_RESET_S) {
    s.windowReset = seen.resetAt;
    s.windowEnds = Math.min(seen.resetAt - s.skew, counted + WINDOW_S);
  }
  if (s.windowEnds < counted) {
    s.skew = Math.min(s.skew, (s.windowReset as number) - counted);
    s.windowEnds = counted;
  }
  s.windowLast = Math.max(s.windowLast, seen.slot);
  countOthers(s, seen);
  widenForOthers(s, seen);
  if (seen.left <= 0 && s.windowEnds > seen.now)
    s.blockedUntil = Math.max(s.blockedUntil, Math.min(s.windowEnds, seen.now + WINDOW_S));
  return s;
}

/** The reset moved much farther than time did: one of the two answers was garbled, or a clock was set. */
function isOutOfStep({ windowReset, windowEnds }: Draft, seen: Observation, counted: number): boolean {
  if (windowReset === null) return false;
  const passed = counted - (windowEnds - WINDOW_S);
  return Math.abs(seen.resetAt - windowReset - passed) > 3 * WINDOW_S;
}

/** A reset that keeps moving while the window lasts means a sliding window. Then the count does not restart. */
function isNewWindow(s: Draft, known: number, seen: Observation, counted: number): boolean {
  if (seen.resetAt > known + SAME_RESET_S) {
    const isOver = counted >= s.windowEnds - SAME_RESET_S;
    return isOver || seen.used - seen.slot < s.windowBase - noiseOf(s.limit) - 2;
  }
  return seen.resetAt < known - SAME_RESET_S && counted > s.windowEnds;
}

function beginWindow(s: Draft, known: number | null, seen: Observation, counted: number): void {
  const windows =
    known === null ? 1 : Math.max(1, Math.min(50, Math.round((seen.resetAt - known) / WINDOW_S)));
  const faded = 0.5 ** (windows - 1);
  s.foreignUsual = Math.max(s.foreignNow, (s.foreignUsual + s.foreignNow) / 2) * faded;
  s.burstUsual = Math.max(s.burstNow, s.burstUsual / 2) * faded;
  if (s.foreignUsual <= noiseOf(s.limit)) {
    s.foreignUsual = 0;
    s.burstUsual = 0;
  }
  s.foreignNow = 0;
  s.burstNow = 0;
  s.markLast = 0;
  s.markBefore = 0;
  if (known === null) {
    // It is unknown by now who made the calls that are already used.
    s.windowBase = seen.used - seen.slot;
  } else {
    s.windowBefore = Math.min(seen.slot - 1, Math.max(s.windowLast, seen.last));
    s.windowBase = -s.windowBefore;
  }
  s.windowLast = seen.slot;
  s.ownBefore = windows === 1 ? Math.max(0, seen.slot - s.windowFirst) : 0;
  s.windowFirst = seen.slot;
  // Whatever the header says, the window ends at most one minute after the first answer that showed it. It ends then if
  // this call started it, or if others did just before, after the previous window had ended. While answers come, a
  // sliding window never moves by a whole window, unless our own calls are rare and nobody else calls. The header has whole seconds, so a larger difference comes from the
  // clocks.
  const startedByOthers =
    known !== null &&
    s.foreignUsual > 0 &&
    seen.resetAt >= known + WINDOW_S &&
    seen.used <= noiseOf(s.limit) + (s.foreignUsual / WINDOW_S) * SAME_RESET_S &&
    seen.now - s.markAt < WINDOW_S / 2;
  s.windowReset = seen.resetAt;
  s.skew = Math.max(s.skew, seen.resetAt - counted - WINDOW_S - 1);
  if (seen.used === 1 || startedByOthers) s.skew = Math.min(s.skew, seen.resetAt - counted - WINDOW_S);
  s.windowEnds = Math.min(seen.resetAt - s.skew, counted + WINDOW_S);
}

/** The service counts all calls and slots count only ours. The difference grows by other programs' calls. */
function countOthers(s: Draft, seen: Observation): void {
  s.windowBase = Math.min(s.windowBase, seen.used - seen.slot + 2);
  // Other programs cannot have made more calls than the limit, whatever one garbled answer says.
  const others = Math.min(s.limit, Math.max(0, seen.used - seen.slot - s.windowBase));
  s.foreignNow = Math.min(s.foreignNow, s.limit);
  s.foreignUsual = Math.min(s.foreignUsual, s.limit);
  s.burstNow = Math.min(s.burstNow, s.limit);
  s.burstUsual = Math.min(s.burstUsual, s.limit);
  if (seen.now > s.markAt + MARK_S) {
    s.markAt = seen.now;
    s.markBefore = s.markLast;
    s.markLast = s.foreignNow;
  }
  if (others > noiseOf(s.limit) && others > s.foreignNow) {
    s.foreignNow = others;
    s.burstNow = Math.max(s.burstNow, others - s.markBefore);
  }
}

/**
 * Expects other programs to make their usual calls, minus those they have made. Our slots share the rest evenly until
 * the window ends.
 */
function widenForOthers(s: Draft, seen: Observation): void {
  s.stretchUntil = Number.NEGATIVE_INFINITY;
  const rest = s.windowEnds - Math.max(s.nextAt, seen.now);
  if ((s.foreignNow === 0 && s.foreignUsual === 0) || rest <= 0) return;
  const isEven = s.burstNow < s.foreignNow / 2;
  const expected = Math.max(
    Math.min(s.foreignUsual - s.foreignNow, Math.max((s.foreignUsual / WINDOW_S) * rest, s.burstUsual)),
    (Math.max(0, s.foreignNow - s.foreignUsual - noiseOf(s.limit)) * rest) / (70 - Math.min(WINDOW_S, rest)),
    // A full window hides calls of others, so their usual number may be too low. Whoever calls evenly goes on.
    isEven ? (s.foreignNow * Math.min(rest, EVEN_S)) / Math.max(WINDOW_S - rest, EVEN_S) : 0,
  );
  // The service has not counted the slots taken since then. One call is reserved for what is unknown, and one because
  // even calls fill one window with one more than another.
  const freeSlots = seen.left - (s.slotNo - 1 - seen.slot) - expected - 2;
  const gap = gapOf(s.limit);
  s.stretch = Math.min(rest / Math.max(freeSlots, 0.01), gap * MOST_STRETCH);
  if (s.stretch > gap) s.stretchUntil = s.windowEnds;
}
