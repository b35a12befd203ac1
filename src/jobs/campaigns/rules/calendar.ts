// Calendar of a campaign's windows, in one time zone or in several at once. Temporal does all date arithmetic.
import type { SendingWindows } from '../config.ts';
import { compileDays, type Days, type Span, spansOfZone } from './local-windows.ts';
import { isZone } from './zones.ts';

/** `opensMs` is null if no window opens within 400 days. `closesMs` is at most 400 days away. Ends are exclusive. */
export type Opening =
  | { readonly open: true; readonly closesMs: number }
  | { readonly open: false; readonly opensMs: number | null };

export interface Calendar {
  /**
   * Returns whether the windows are open in all these zones and until when, or when they open next.
   *
   * @param zones names of the IANA list, at least one
   * @param nowMs milliseconds since 1970
   * @throws RangeError for an unknown zone, or for none
   */
  at(zones: readonly string[], nowMs: number): Opening;
}

/**
 * Compiles windows. A repeated query of a zone takes about a microsecond, because the object caches what it has
 * computed.
 *
 * Local time is read strictly: an instant is in a window only if the wall clock of every zone is. If clocks go back
 * and a range begins or ends within the repeated hour, it begins with the second occurrence and ends with the first.
 * A range within the repeated hour uses the second occurrence. If clocks go forward, the range loses the missing
 * hour.
 */
export function compileCalendar(windows: SendingWindows): Calendar {
  const days = compileDays(windows);
  const timelines = new Map<string, Timeline>();
  return {
    at(zones, nowMs) {
      if (zones.length === 0) throw new RangeError('a calendar needs at least one time zone');
      const key = zones.join(' ');
      let timeline = timelines.get(key);
      if (timeline === undefined || nowMs < timeline.fromMs) {
        const unknown = zones.find((zone) => !isZone(zone));
        if (unknown !== undefined) throw new RangeError(`${unknown} is not a time zone of the IANA list`);
        timeline = newTimeline(zones, Math.floor(nowMs) - DAY);
        timelines.set(key, timeline);
      }
      return openingAt(days, timeline, nowMs);
    },
  };
}

const DAY = 86_400_000;
const HORIZON = 400 * DAY;
/** Time span computed per step. The first step is short because most queries are about today. */
const FIRST_STEP = 4 * DAY;
const LAST_STEP = 64 * DAY;

/** Known spans of one set of zones in [fromMs, toMs), in order and not adjacent. */
interface Timeline {
  readonly zones: string[];
  readonly fromMs: number;
  toMs: number;
  readonly starts: number[];
  readonly ends: number[];
}

function newTimeline(zones: readonly string[], fromMs: number): Timeline {
  return { zones: [...zones], fromMs, toMs: fromMs, starts: [], ends: [] };
}

function openingAt(days: Days, timeline: Timeline, nowMs: number): Opening {
  const horizon = nowMs + HORIZON;
  while (timeline.toMs <= nowMs) extend(days, timeline);
  const index = firstEndingAfter(timeline.ends, nowMs);
  while (timeline.starts[index] === undefined && timeline.toMs < horizon) extend(days, timeline);
  const start = timeline.starts[index];
  if (start === undefined || start > horizon) return { open: false, opensMs: null };
  if (start > nowMs) return { open: false, opensMs: start };
  // If the window ends where the known part ends, it may continue after it.
  while (timeline.ends[index] === timeline.toMs && timeline.toMs < horizon) extend(days, timeline);
  return { open: true, closesMs: Math.min(timeline.ends[index] ?? nowMs, horizon) };
}

function extend(days: Days, timeline: Timeline): void {
  const known = timeline.toMs - timeline.fromMs;
  const toMs = timeline.toMs + Math.min(Math.max(known, FIRST_STEP), LAST_STEP);
  for (const { start, end } of commonSpans(days, timeline, toMs)) {
    const last = timeline.ends.length - 1;
    if (timeline.ends[last] === start) timeline.ends[last] = end;
    else {
      timeline.starts.push(start);
      timeline.ends.push(end);
    }
  }
  timeline.toMs = toMs;
}

/**
 * A zone that leaves no common span moves to the front: next time it rules the span out before the others are computed.
 */
function commonSpans(days: Days, { zones, toMs: fromMs }: Timeline, toMs: number): readonly Span[] {
  let spans: readonly Span[] = [{ start: fromMs, end: toMs }];
  for (const [index, zone] of zones.entries()) {
    spans = common(spans, spansOfZone(days, zone, fromMs, toMs));
    if (spans.length > 0) continue;
    zones.unshift(...zones.splice(index, 1));
    return [];
  }
  return spans;
}

function firstEndingAfter(ends: readonly number[], nowMs: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ends[middle] ?? 0) > nowMs) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Intersection of two lists of spans; each is in order and without overlaps. */
function common(left: readonly Span[], right: readonly Span[]): readonly Span[] {
  const both: Span[] = [];
  let l = 0;
  let r = 0;
  for (;;) {
    const a = left[l];
    const b = right[r];
    if (a === undefined || b === undefined) return both;
    const start = Math.max(a.start, b.start);
    const end = Math.min(a.end, b.end);
    if (start < end) both.push({ start, end });
    if (a.end < b.end) l += 1;
    else r += 1;
  }
}
