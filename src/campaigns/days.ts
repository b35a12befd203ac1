// A forecast by the days of a time zone, for those who read it.
import { Temporal } from 'temporal-polyfill';
import type { Stretch } from './forecast.ts';

export interface ForecastDay {
  /** 2026-11-23 */
  readonly day: string;
  readonly members: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** Slots that fall on the end of a day may come out a hair too early. */
const HAIR = 1e-9;

/**
 * Members by the day on which they are triggered, for days on which anybody is.
 * @param stretches in order of time
 * @param gapMs from one trigger to the next in a stretch
 * @param timeZone of the IANA list
 */
export function daysOf(stretches: readonly Stretch[], gapMs: number, timeZone: string): ForecastDay[] {
  const days: ForecastDay[] = [];
  let now: { day: string; endsMs: number } | null = null;
  for (const { startsMs, members } of stretches) {
    for (let done = 0; done < members; ) {
      const firstMs = startsMs + done * gapMs;
      if (now === null || firstMs >= now.endsMs - HAIR) now = dayAt(firstMs, timeZone);
      const capacity = Math.max(1, Math.ceil((now.endsMs - firstMs) / gapMs - HAIR));
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
  // A hair before midnight is midnight.
  const at = Temporal.Instant.fromEpochMilliseconds(Math.floor(ms + HAIR)).toZonedDateTimeISO(timeZone);
  const date = at.toPlainDate();
  const end = date.add({ days: 1 }).toZonedDateTime({ timeZone });
  return { day: date.toString(), endsMs: end.epochMilliseconds };
}
