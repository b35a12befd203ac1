// How often a user may search for people by a value. Whoever may not see a number could find it by guesses.
import { OperatorError } from '../error.ts';
import { type Caller, isAllowed } from './caller.ts';

interface Window {
  readonly ms: number;
  readonly searches: number;
}

const MINUTE = 60_000;
const DAY = 86_400_000;
/** A masked number hides four digits. At 300 searches a day, half of the 10,000 guesses take 16 days. */
const VIEWER: readonly Window[] = [
  { ms: MINUTE, searches: 30 },
  { ms: DAY, searches: 300 },
];
/** May see the value anyway. */
const OPERATOR: readonly Window[] = [{ ms: MINUTE, searches: 120 }];

export interface SearchLimit {
  /** Counts a search. @throws OperatorError (tooMany) with the time of the next one */
  take(caller: Caller): void;
}

/** Of this process. @param now milliseconds since 1970 */
export function createSearchLimit(now: () => number = Date.now): SearchLimit {
  /** Times of searches of the last day by identity, oldest first. */
  const users = new Map<string, number[]>();
  return {
    take(caller) {
      const at = now();
      const windows = isAllowed(caller, 'operator') ? OPERATOR : VIEWER;
      const longest = Math.max(...windows.map(({ ms }) => ms));
      const times = (users.get(caller.identity) ?? []).filter((time) => time > at - longest);
      users.set(caller.identity, times);
      for (const { ms, searches } of windows) {
        const first = times.at(-searches);
        if (first !== undefined && first > at - ms) throw tooMany(first + ms - at);
      }
      times.push(at);
    },
  };
}

function tooMany(retryAfterMs: number): OperatorError {
  const seconds = Math.ceil(retryAfterMs / 1000);
  const message = `too many searches; try again in ${seconds} s, or ask somebody with the role operator`;
  return new OperatorError('tooMany', message, { code: 'SEARCHES_LIMITED', retryAfterMs });
}
