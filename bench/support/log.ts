// Computes the use of a limit from the sandbox's request log. Pure functions; times are epoch milliseconds.

const MINUTE_MS = 60_000;

/** One row of `GET /panel/requests`, as far as benches need it. */
export interface LoggedCall {
  readonly seq: number;
  readonly at: string;
  readonly tokenHash: string | null;
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

export const timeOf = ({ at }: LoggedCall): number => Date.parse(at);

/** The service processed the call, so it counts against the limit. */
export const wasTaken = ({ status }: LoggedCall): boolean => status !== 429;

/**
 * Calls in each whole minute from `from` on that ended by `until`.
 * @param times in any order
 */
export function perMinute(times: readonly number[], from: number, until: number): number[] {
  const minutes = Array.from({ length: Math.max(0, Math.floor((until - from) / MINUTE_MS)) }, () => 0);
  for (const time of times) {
    const minute = Math.floor((time - from) / MINUTE_MS);
    if (minute >= 0 && minute < minutes.length) minutes[minute] = (minutes[minute] as number) + 1;
  }
  return minutes;
}

/**
 * The windows that the sandbox itself counted. Each lasts a minute and begins with the first call after the previous
 * window.
 * @param calls of one token, in the order of the log
 */
export function serviceWindows(
  calls: readonly LoggedCall[],
): { start: number; taken: number; refused: number }[] {
  const windows: { start: number; taken: number; refused: number }[] = [];
  for (const call of calls) {
    let window = windows.at(-1);
    if (window === undefined || timeOf(call) >= window.start + MINUTE_MS) {
      window = { start: timeOf(call), taken: 0, refused: 0 };
      windows.push(window);
    }
    if (wasTaken(call)) window.taken++;
    else window.refused++;
  }
  return windows;
}

/** The maximum number of calls in any 60 s. A call exactly 60 s after another is outside. */
export function mostInAnyMinute(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  let most = 0;
  let first = 0;
  sorted.forEach((time, last) => {
    while (time - (sorted[first] as number) >= MINUTE_MS) first++;
    most = Math.max(most, last - first + 1);
  });
  return most;
}

/** The smallest value that at least the share `q` of all values does not exceed. NaN for no values. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * q) - 1)] ?? Number.NaN;
}

/** The longest time between two consecutive calls in seconds. */
export function longestGap(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  return (
    sorted.reduce((most, time, i) => (i === 0 ? most : Math.max(most, time - (sorted[i - 1] as number))), 0) /
    1000
  );
}

export const sum = (values: readonly number[]): number => values.reduce((all, each) => all + each, 0);

/** Rounded to this number of decimals, for readable output. */
export function round(value: number, digits = 3): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}
