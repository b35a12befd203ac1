// Date filters and calendar dates of the API text.
import { Problem } from '../errors.ts';

const INSTANT =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?(Z|[+-](\d{2}):?(\d{2}))$/;
const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Whether the calendar has this day; Date.parse would turn 30 February into 2 March. */
function isDay(year: string, month: string, day: string): boolean {
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.getUTCDate() === Number(day);
}

/** Epoch milliseconds of an ISO 8601 date-time with an offset; null for anything else. */
export function parseInstant(text: string): number | null {
  const parts = INSTANT.exec(text);
  if (parts === null || !isDay(parts[1] as string, parts[2] as string, parts[3] as string)) return null;
  const at = Date.parse(text.replace(',', '.').replace(/([+-]\d{2})(\d{2})$/, '$1:$2'));
  return Number.isNaN(at) ? null : at;
}

/**
 * A limit of a date filter; undefined when it was not sent.
 * @throws Problem ERR_INVALID_DATE_FILTER with `param`: no offset, date only, or no date at all
 */
export function dateFilter(param: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const at = parseInstant(text);
  if (at === null) throw new Problem('ERR_INVALID_DATE_FILTER', { extras: { param } });
  return at;
}

/** YYYY-MM-DD as it is; a full ISO value cut to its day in UTC; null for anything else (POST /v1/cards, rule 8). */
export function calendarDay(text: string): string | null {
  const parts = DAY.exec(text);
  if (parts !== null) return isDay(parts[1] as string, parts[2] as string, parts[3] as string) ? text : null;
  const at = parseInstant(text);
  return at === null ? null : new Date(at).toISOString().slice(0, 10);
}
