// Quiet hours: whether a time is within hours of the day in a time zone, over midnight and over a change of the clocks.
import { Temporal } from 'temporal-polyfill';
import type { QuietHours } from './config.ts';

/**
 * A time of day that a change of the clocks skips moves on by what was skipped; of one that comes twice, the first counts.
 * So quiet hours begin and end once a day.
 * @param now milliseconds since 1970
 */
export function isQuiet({ from, to, timeZone }: QuietHours, now: number): boolean {
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone).toPlainDate();
  const at = (date: Temporal.PlainDate, time: string) =>
    date.toZonedDateTime({ timeZone, plainTime: Temporal.PlainTime.from(time) }).epochMilliseconds;
  // Those that began yesterday may last into today.
  return [today.subtract({ days: 1 }), today].some(
    (day) => at(day, from) <= now && now < at(to < from ? day.add({ days: 1 }) : day, to),
  );
}
