// Date filters and calendar dates of the API text. The OpenAPI document shows these patterns. They match only days
// that the calendar has, so a match is never refused later.
import { Problem } from '../http/errors.ts';

const YEAR = '[0-9]{4}';
const LEAP_YEAR = '(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)';
const LONG = '(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])';
const SHORT = '(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)';
const FEBRUARY = '02-(?:0[1-9]|1[0-9]|2[0-8])';
const DATE = `(?:${YEAR}-(?:${LONG}|${SHORT}|${FEBRUARY})|${LEAP_YEAR}-02-29)`;
const HOUR = '(?:[01][0-9]|2[0-3])';
const TIME = `${HOUR}:[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]{1,9})?)?`;
const OFFSET = `(?:Z|[+-]${HOUR}:?[0-5][0-9])`;

/** YYYY-MM-DD. */
export const DAY = new RegExp(`^${DATE}$`);
/** An ISO 8601 date-time with an offset. */
export const INSTANT = new RegExp(`^${DATE}T${TIME}${OFFSET}$`);

/** Epoch milliseconds of an ISO 8601 date-time with an offset; null for anything else. */
export function parseInstant(text: string): number | null {
  if (!INSTANT.test(text)) return null;
  return Date.parse(text.replace(',', '.').replace(/([+-]\d{2})(\d{2})$/, '$1:$2'));
}

/**
 * Returns a limit of a date filter, or undefined if it is absent.
 * @throws Problem ERR_INVALID_DATE_FILTER with `param`: no offset, date only, or no date at all
 */
export function dateFilter(param: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const at = parseInstant(text);
  if (at === null) throw new Problem('ERR_INVALID_DATE_FILTER', { extras: { param } });
  return at;
}

/**
 * Returns YYYY-MM-DD unchanged, a full ISO value as its day in UTC, and null for anything else (POST /v1/cards, rule
 * 8). If the offset moves the value out of the four-digit years, it returns the day as written.
 */
export function calendarDay(text: string): string | null {
  if (DAY.test(text)) return text;
  const at = parseInstant(text);
  if (at === null) return null;
  const day = new Date(at).toISOString().slice(0, 10);
  return DAY.test(day) ? day : text.slice(0, 10);
}
