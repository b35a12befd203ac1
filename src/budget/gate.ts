// How many activities one account may have inside a process: a service that hangs fills its own places only.
import { LANES } from '../contracts/run.ts';

/**
 * Places of one token, waiting and calling alike. A service that takes 12 s to answer still gets its whole 120 calls a
 * minute from one process.
 */
export const PLACES_A_TOKEN = 32;
/** Of these, so many are kept for replies and leads. */
const URGENT_PLACES = 8;

export interface Gate {
  /** Places of all accounts together: no fewer activities may run at once, or one account could take the others' turn. */
  readonly places: number;
  /**
   * Takes a place for an account's activity.
   * @returns what gives the place back; null when there is none left
   */
  enter(account: string, lane: number): (() => void) | null;
}

/** @param tokens how many tokens each account has, by the account's fairness key */
export function createGate(tokens: ReadonlyMap<string, number>): Gate {
  const inside = new Map<string, number>();
  const placesOf = (account: string) => PLACES_A_TOKEN * (tokens.get(account) ?? 1);
  return {
    places: [...tokens.keys()].reduce((sum, account) => sum + placesOf(account), 0),
    enter(account, lane) {
      const taken = inside.get(account) ?? 0;
      if (taken >= placesOf(account) - (lane > LANES.lead ? URGENT_PLACES : 0)) return null;
      inside.set(account, taken + 1);
      let left = false;
      return () => {
        if (left) return;
        left = true;
        inside.set(account, (inside.get(account) ?? 1) - 1);
      };
    },
  };
}
