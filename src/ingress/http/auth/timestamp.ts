// Times in headers, read strictly: what a lenient parser makes of "17e8" or "1700000000 x" proves nothing.

/**
 * @param header digits only, counted in `unitMs`
 * @param now milliseconds since 1970; compared in the header's own unit, as senders cut it off there
 * @returns whether the time is at most `toleranceMs` away, in the past or in the future
 */
export function isFresh(header: string | null, unitMs: number, toleranceMs: number, now: number): boolean {
  if (header === null || !/^\d{1,15}$/.test(header)) return false;
  return Math.abs(Math.floor(now / unitMs) - Number(header)) * unitMs <= toleranceMs;
}
