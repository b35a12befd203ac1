// A minute in a second: the budget's statements under a clock of their own, with a service that counts as the sandbox does.
import { randomBytes } from 'node:crypto';
import type { Database } from '../../../../src/core/sql/database.ts';
import { RateWindows } from '../../../../src/sandbox/http/rate.ts';
import {
  blockToken,
  observeRate,
  type TokenPlan,
  takeSlots,
} from '../../../../src/service/budget/statements.ts';

export interface Flood {
  readonly lane: number;
  /** Seconds from the start; always wants a slot in between. @default the whole time */
  readonly from?: number;
  readonly until?: number;
  /** Wants one slot at each of these seconds instead. */
  readonly at?: readonly number[];
  /** Each answered call wants another one that follows it at once. */
  readonly paired?: boolean;
  /** Which of the worker processes asks. @default 0 */
  readonly process?: number;
}

export interface World {
  readonly seconds: number;
  readonly plan: TokenPlan;
  readonly floods: readonly Flood[];
  /** What the service allows. @default the plan's limit */
  readonly limit?: number;
  /** Seconds at which another program calls with the same token. */
  readonly foreign?: readonly number[];
  /** Seconds from sending to the service, and the same back; a function of the call's number. @default 10 ms */
  readonly latency?: (n: number) => number;
  /** How far the service's clock is ahead, in seconds. @default 0 */
  readonly skew?: number;
  readonly tokens?: number;
}

export interface Call {
  readonly lane: number;
  /** Second at which it was wanted (floods with `at`), and at which it was sent. */
  readonly wanted: number;
  readonly sent: number;
  /** Second at which the service counted it. */
  readonly at: number;
  readonly allowed: boolean;
  readonly token: number;
  readonly slot: number;
}

export interface Outcome {
  readonly own: readonly Call[];
  readonly foreign: readonly { at: number; allowed: boolean }[];
  /** Calls that the service let through, by its windows; the last one is cut off. */
  readonly windows: readonly { start: number; own: number; foreign: number; refused: number }[];
  readonly statements: number;
}

const EPOCH = Date.parse('2030-01-01T00:00:00.250Z');
/** A statement takes so long, as seen with PostgreSQL under load. */
const STATEMENT_S = 0.003;
const TIMER_S = 0.001;
/** The lane of calls that follow another at once. */
export const FOLLOWS = 0;

export async function simulate(db: Database, world: World): Promise<Outcome> {
  const { plan, latency = () => 0.01, skew = 0 } = world;
  const keys = Array.from({ length: world.tokens ?? 1 }, () => randomBytes(8).toString('hex'));
  const plans = keys.map(() => plan);
  let clock = 0;
  const date = (second: number) => new Date(EPOCH + second * 1000);
  const service = new RateWindows(world.limit ?? plan.limit, () => date(clock));
  const events: { at: number; run: () => Promise<void> | void }[] = [];
  const later = (at: number, run: () => Promise<void> | void) => events.push({ at, run });
  const own: Call[] = [];
  const foreign: { at: number; allowed: boolean }[] = [];
  const windows: { start: number; own: number; foreign: number; refused: number }[] = [];
  const lastSlot = new Map<string, number>();
  let statements = 0;
  let quickest = Number.POSITIVE_INFINITY;

  const count = (key: string, who: 'own' | 'foreign') => {
    const state = service.take(key);
    const start = (state.resetAt - EPOCH) / 1000 - 60;
    if (key === keys[0]) {
      if (windows.at(-1)?.start !== start) windows.push({ start, own: 0, foreign: 0, refused: 0 });
      const window = windows.at(-1) as (typeof windows)[number];
      if (state.allowed) window[who] += 1;
      else window.refused += 1;
    }
    return state;
  };

  const send = (key: string, slot: number, lane: number, process: number, wanted: number) => {
    const sent = clock;
    const way = latency(slot);
    later(sent + way, () => {
      const state = count(key, 'own');
      quickest = Math.min(quickest, way);
      own.push({ lane, wanted, sent, at: clock, allowed: state.allowed, token: keys.indexOf(key), slot });
      later(clock + way, async () => {
        const last = lastSlot.get(`${process}${key}`) ?? 0;
        lastSlot.set(`${process}${key}`, Math.max(last, slot));
        const seen = {
          slot,
          last,
          limit: state.limit,
          used: state.limit - state.remaining,
          left: state.remaining,
          resetAt: Math.ceil(state.resetAt / 1000 + skew),
          quickest: 2 * quickest,
        };
        await observeRate(db, key, seen, date(clock).getTime() / 1000);
        const paired = world.floods.some((flood) => flood.paired === true && flood.lane === lane);
        if (paired && state.allowed) await follow.get(process)?.();
        if (state.allowed) return;
        await blockToken(db, key, state.resetAt - date(clock).getTime(), date(clock));
      });
    });
  };

  const follow = new Map<number, () => Promise<void>>();
  // Each process has one queue, which asks for all lanes that want a slot.
  for (const process of new Set(world.floods.map((flood) => flood.process ?? 0))) {
    const floods = world.floods.filter((flood) => (flood.process ?? 0) === process);
    const single: { lane: number; wanted: number }[] = [];
    let round = 0;
    const lanesNow = () => [
      ...floods
        .filter(
          ({ at, from = 0, until = world.seconds }) => at === undefined && from <= clock && clock < until,
        )
        .map(({ lane }) => lane),
      ...single.map(({ lane }) => lane),
    ];
    const ask = async (): Promise<void> => {
      // Whoever floods wants all that there is.
      const wanted = new Map(lanesNow().map((lane) => [lane, lane === FOLLOWS ? 1 : 20]));
      if (wanted.size === 0) return;
      const mine = ++round;
      statements++;
      clock += STATEMENT_S;
      const answer = await takeSlots(db, { tokens: keys, plans, wanted, scopes: null, now: date(clock) });
      for (const { token, slot, lane, wait_s } of answer.slots) {
        const at = single.findIndex((each) => each.lane === lane);
        const [one] = at < 0 ? [] : single.splice(at, 1);
        later(clock + Math.max(0, wait_s), () => send(token, slot, lane, process, one?.wanted ?? clock));
      }
      later(clock + Math.max(answer.next_s, 0) + TIMER_S, () => (mine === round ? ask() : undefined));
    };
    follow.set(process, () => {
      single.push({ lane: FOLLOWS, wanted: clock });
      return ask();
    });
    for (const { lane, from = 0, at } of floods) {
      if (at === undefined) later(from, ask);
      for (const wanted of at ?? []) {
        later(wanted, () => {
          single.push({ lane, wanted });
          return ask();
        });
      }
    }
  }
  for (const second of world.foreign ?? []) {
    later(second, () => {
      foreign.push({ at: second, allowed: count(keys[0] as string, 'foreign').allowed });
    });
  }

  while (events.length > 0) {
    let first = 0;
    for (let n = 1; n < events.length; n++) {
      if ((events[n] as { at: number }).at < (events[first] as { at: number }).at) first = n;
    }
    const [event] = events.splice(first, 1) as [(typeof events)[number]];
    clock = Math.max(clock, event.at);
    if (clock > world.seconds) break;
    await event.run();
  }
  return { own, foreign, windows, statements };
}

/** The most calls in any 60 seconds. */
export function mostInAMinute(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  let most = 0;
  let first = 0;
  for (const [n, time] of sorted.entries()) {
    while ((sorted[first] as number) <= time - 60) first++;
    most = Math.max(most, n - first + 1);
  }
  return most;
}
