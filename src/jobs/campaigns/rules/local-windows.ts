// Windows of one time zone: converts weekdays and wall clock times to instants, with holidays, midnight and clock
// changes.
import { Temporal } from 'temporal-polyfill';
import { type SendingWindows } from '../config.ts';
import { WEEKDAYS } from '../constants.ts';

/** From `start` to `end` (exclusive), in milliseconds since 1970. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

interface Range {
  readonly from: Temporal.PlainTime;
  readonly until: Temporal.PlainTime;
  /** True if it ends on the day after the one on which it begins. */
  readonly overMidnight: boolean;
}

export interface Days {
  /** By weekday, from 0 for Monday. */
  readonly ranges: readonly (readonly Range[])[];
  isHoliday(date: Temporal.PlainDate): boolean;
}

export function compileDays(windows: SendingWindows): Days {
  const holidays = new Set(windows.holidays);
  return {
    ranges: WEEKDAYS.map((day) => (windows.days[day] ?? []).flatMap(parseRange)),
    isHoliday: (date) => {
      const text = date.toString();
      return holidays.has(text) || holidays.has(text.slice(-'12-25'.length));
    },
  };
}

/** A range that ends when it begins (`09:00-09:00`) is empty. */
function parseRange(text: string): Range[] {
  const [from = '', until = ''] = text.split('-');
  if (from === until) return [];
  const overMidnight = until === '24:00' || until < from;
  const end = until === '24:00' ? '00:00' : until;
  return [{ from: Temporal.PlainTime.from(from), until: Temporal.PlainTime.from(end), overMidnight }];
}

/**
 * Returns the parts of [fromMs, toMs) that are in a window, in order and without overlaps.
 * @throws RangeError for an unknown zone
 */
export function spansOfZone(days: Days, zone: string, fromMs: number, toMs: number): readonly Span[] {
  // Two extra days on both sides: windows cross midnight, and a zone that crosses the date line skips a day.
  const first = dateIn(zone, fromMs).subtract({ days: 2 });
  const last = dateIn(zone, toMs).add({ days: 2 });
  const spans: Span[] = [];
  for (const range of localRanges(days, first, last)) {
    const span = instantsOf(range, zone);
    const start = Math.max(span.start, fromMs);
    const end = Math.min(span.end, toMs);
    if (start < end) spans.push({ start, end });
  }
  return spans;
}

function dateIn(zone: string, ms: number): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).toPlainDate();
}

interface LocalRange {
  readonly from: Temporal.PlainDateTime;
  readonly until: Temporal.PlainDateTime;
}

/**
 * Ranges that begin on these dates, by the wall clock. Overlapping and adjacent ranges are merged, also across
 * midnight.
 */
function localRanges(days: Days, first: Temporal.PlainDate, last: Temporal.PlainDate): LocalRange[] {
  const all: LocalRange[] = [];
  let holiday = days.isHoliday(first);
  for (let date = first; Temporal.PlainDate.compare(date, last) <= 0; ) {
    const next = date.add({ days: 1 });
    const nextIsHoliday = days.isHoliday(next);
    for (const range of holiday ? [] : (days.ranges[date.dayOfWeek - 1] ?? [])) {
      const midnight = next.toPlainDateTime();
      const end = range.overMidnight ? next.toPlainDateTime(range.until) : date.toPlainDateTime(range.until);
      all.push({
        from: date.toPlainDateTime(range.from),
        until: nextIsHoliday && range.overMidnight ? midnight : end,
      });
    }
    date = next;
    holiday = nextIsHoliday;
  }
  return merged(all);
}

function merged(ranges: readonly LocalRange[]): LocalRange[] {
  const { compare } = Temporal.PlainDateTime;
  const result: LocalRange[] = [];
  for (const range of [...ranges].sort((a, b) => compare(a.from, b.from))) {
    const last = result.at(-1);
    if (last === undefined || compare(range.from, last.until) > 0) result.push(range);
    else if (compare(range.until, last.until) > 0) result.splice(-1, 1, { ...last, until: range.until });
  }
  return result;
}

function instantsOf({ from, until }: LocalRange, zone: string): Span {
  const start = occurrences(from, zone);
  const end = occurrences(until, zone);
  // Both times are within the repeated hour: use its second occurrence.
  if (start.last > end.first && start.last < end.last) return { start: start.last, end: end.last };
  return { start: start.last, end: end.first };
}

/**
 * First and last instant at which a zone's clocks show this time. If they skip it, both are the instant of the clock
 * change.
 */
function occurrences(
  local: Temporal.PlainDateTime,
  zone: string,
): { readonly first: number; readonly last: number } {
  const earlier = local.toZonedDateTime(zone, { disambiguation: 'earlier' });
  const later = local.toZonedDateTime(zone, { disambiguation: 'later' });
  const first = earlier.epochMilliseconds;
  const last = later.epochMilliseconds;
  if (first === last || earlier.toPlainDateTime().equals(local)) return { first, last };
  const skip = earlier.getTimeZoneTransition('next');
  if (skip === null) throw new RangeError(`${zone} skips ${local.toString()}, but has no transition there`);
  return { first: skip.epochMilliseconds, last: skip.epochMilliseconds };
}
