// Reads times in headers strictly: a lenient parser would accept "17e8" or "1700000000 x".

/**
 * @param header digits only, counted in `unitMs`
 * @param now milliseconds since 1970; compared in the header's unit, because senders truncate to it
 * @returns whether the time is at most `toleranceMs` away, in the past or in the future
 */
export function isFresh(header: string | null, unitMs: number, toleranceMs: number, now: number): boolean {
  if (header === null || !/^\d{1,15}$/.test(header)) return false;
  return Math.abs(Math.floor(now / unitMs) - Number(header)) * unitMs <= toleranceMs;
}
