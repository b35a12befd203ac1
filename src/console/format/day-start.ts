// The begin of a day in a time zone.
import { instantOf } from './wall-time.ts';

const DAY_MS = 86_400_000;

/**
 * @param day `2026-11-23`, as a date field gives it
 * @param zone IANA name
 * @param after days later
 * @returns ISO 8601; undefined for anything that is not a day
 */
export function dayStart(day: string | undefined, zone: string, after: number): string | undefined {
  if (day === undefined || !/^\d{4}-\d\d-\d\d$/.test(day)) return undefined;
  const midnight = Date.parse(`${day}T00:00:00Z`) + after * DAY_MS;
  if (Number.isNaN(midnight)) return undefined;
  return new Date(instantOf(midnight, zone)).toISOString();
}
