// A service and one process that floods it, on a clock of their own and without a database: thousands of worlds a minute.
// The slots are taken by the same rules as sluice_take_slots does, which test/unit/service/budget/shares.test.ts runs.
import { gapOf, learn, type TokenBudget } from '../../../../src/service/budget/estimate.ts';

export interface World {
  readonly seconds: number;
  readonly limit: number;
  readonly windows: 'fixed' | 'sliding';
  /** How far the service's clock is ahead, in seconds. */
  readonly skew: number;
  /** Seconds to the service and the same back, by the call's number. */
  readonly latency: (n: number) => number;
  /** Seconds at which another program calls. */
  readonly foreign: readonly number[];
  /** What the headers of the n-th answer say instead; null: the truth. */
  readonly garbled?: (n: number) => Partial<Headers> | null;
}

interface Headers {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: number;
}

export interface Outcome {
  /** Second at which each call of ours was sent, and those that the service refused. */
  readonly sent: readonly number[];
  readonly refused: readonly number[];
  /** For each refusal: the second at which its answer arrived, and the second at which the block that it names ends. */
  readonly blocks: readonly { readonly from: number; readonly to: number }[];
}

const EPOCH = 1_900_000_000.25;
const NEVER = Number.NEGATIVE_INFINITY;

export function freshState(limit: number): TokenBudget {
  return {
    limit,
    limitSeen: limit,
    slotNo: 1,
    nextAt: NEVER,
    blockedUntil: NEVER,
    windowReset: null,
    windowEnds: NEVER,
    windowFirst: 1,
    windowLast: 0,
    windowBefore: 0,
    ownBefore: 0,
    windowBase: 0,
    outOfStep: 0,
    skew: 0,
    foreignNow: 0,
    burstNow: 0,
    foreignUsual: 0,
    burstUsual: 0,
    markAt: NEVER,
    markLast: 0,
    markBefore: 0,
    stretch: 0,
    stretchUntil: NEVER,
  };
}

export function live(world: World): Outcome {
  const service = openService(world);
  const events: { at: number; run: () => void }[] = [];
  const later = (at: number, run: () => void) => void events.push({ at, run });
  const sent: number[] = [];
  const refused: number[] = [];
  const blocks: { from: number; to: number }[] = [];
  let state = freshState(world.limit);
  let last = 0;
  let quickest = Number.POSITIVE_INFINITY;
  let answers = 0;

  const ask = (now: number): void => {
    const due = dueOf(state);
    const opens = due - gapOf(state.limit) * 0.25;
    // Slots are never asked for later than every second: a limit may have been learned meanwhile.
    if (opens > now)
      return later(Math.min(opens + 0.002, now + 1), () => ask(Math.min(opens + 0.002, now + 1)));
    const at = Math.max(due, now);
    const slot = state.slotNo;
    state = { ...state, slotNo: slot + 1, nextAt: at + gapBehind(state, at) };
    later(at, () => send(at, slot));
    later(now + 0.003, () => ask(now + 0.003));
  };
  const send = (at: number, slot: number): void => {
    sent.push(at - EPOCH);
    const way = world.latency(slot);
    later(at + way, () => {
      const answer = service(at + way);
      if (!answer.allowed) refused.push(at + way - EPOCH);
      later(at + 2 * way, () => teach(at + 2 * way, slot, way, answer));
    });
  };
  const teach = (now: number, slot: number, way: number, answer: Headers & { allowed: boolean }): void => {
    const { limit, remaining, resetAt } = { ...answer, ...world.garbled?.(answers++) };
    quickest = Math.min(quickest, 2 * way);
    const seen = { slot, last, limit, used: limit - remaining, left: remaining, resetAt, quickest, now };
    last = Math.max(last, slot);
    if (limit > 0) state = learn(state, seen);
    if (answer.allowed) return;
    blocks.push({ from: now - EPOCH, to: answer.resetAt - world.skew - EPOCH });
    const { foreignNow, burstNow } = state;
    state = {
      ...state,
      blockedUntil: Math.max(state.blockedUntil, answer.resetAt - world.skew),
      foreignNow: foreignNow > 0 ? Math.min(state.limit, foreignNow + burstNow / 2) : 0,
    };
  };

  later(EPOCH, () => ask(EPOCH));
  for (const at of world.foreign) later(EPOCH + at, () => void service(EPOCH + at));
  while (events.length > 0) {
    let first = 0;
    for (let n = 1; n < events.length; n++)
      if ((events[n] as { at: number }).at < (events[first] as { at: number }).at) first = n;
    const [event] = events.splice(first, 1) as [{ at: number; run: () => void }];
    if (event.at > EPOCH + world.seconds) break;
    event.run();
  }
  return { sent, refused, blocks };
}

function dueOf(s: TokenBudget): number {
  const isFull = s.slotNo + s.windowBase + s.foreignNow > s.limit;
  return Math.max(s.nextAt, s.blockedUntil, isFull ? s.windowEnds : NEVER);
}

function gapBehind(s: TokenBudget, at: number): number {
  const gap = gapOf(s.limit);
  return at < s.stretchUntil ? Math.max(gap, Math.min(s.stretch, gap + s.stretchUntil - at)) : gap;
}

/** Counts calls as the API text says: windows that begin with a call, or the last 60 s. */
function openService({ limit, windows, skew }: World) {
  let counted: number[] = [];
  let ends = NEVER;
  return (now: number) => {
    if (windows === 'sliding') counted = counted.filter((at) => at > now - 60);
    else if (now >= ends) {
      counted = [];
      ends = now + 60;
    }
    const allowed = counted.length < limit;
    if (allowed) counted.push(now);
    const resets = windows === 'fixed' ? ends : (counted[0] as number) + 60;
    return { allowed, limit, remaining: limit - counted.length, resetAt: Math.ceil(resets + skew) };
  };
}
