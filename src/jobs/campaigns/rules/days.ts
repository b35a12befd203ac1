// Groups a forecast by the days of a time zone.
import { Temporal } from 'temporal-polyfill';
import type { Stretch } from './forecast.ts';

export interface ForecastDay {
  /** 2026-11-23 */
  readonly day: string;
  readonly members: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** A quotient may be slightly above the number of slots that are left in a day. */
const EPSILON = 1e-9;

/**
 * Counts members by the day on which they are triggered. Days without a trigger are left out.
 * @param stretches in chronological order
 * @param gapMs time between two triggers in a stretch
 * @param timeZone name of the IANA list
 */
export function daysOf(stretches: readonly Stretch[], gapMs: number, timeZone: string): ForecastDay[] {
  const days: ForecastDay[] = [];
  let now: { day: string; endsMs: number } | null = null;
  for (const { startsMs, members } of stretches) {
    for (let done = 0; done < members; ) {
      const firstMs = startsMs + done * gapMs;
      if (now === null || firstMs >= now.endsMs) now = dayAt(firstMs, timeZone);
      const capacity = Math.max(1, Math.ceil((now.endsMs - firstMs) / gapMs - EPSILON));
      const count = Math.min(members - done, capacity);
      const lastMs = firstMs + (count - 1) * gapMs;
      const last = days.at(-1);
      if (last?.day === now.day)
        days[days.length - 1] = { ...last, members: last.members + count, lastMs: Math.round(lastMs) };
      else
        days.push({
          day: now.day,
          members: count,
          firstMs: Math.round(firstMs),
          lastMs: Math.round(lastMs),
        });
      done += count;
    }
  }
  return days;
}

function dayAt(ms: number, timeZone: string): { day: string; endsMs: number } {
  const at = Temporal.Instant.fromEpochMilliseconds(Math.floor(ms)).toZonedDateTimeISO(timeZone);
  const date = at.toPlainDate();
  const end = date.add({ days: 1 }).toZonedDateTime({ timeZone });
  return { day: date.toString(), endsMs: end.epochMilliseconds };
}
