// When a campaign's windows are open, in one time zone or in several at once. All date arithmetic is Temporal's.
import type { SendingWindows } from '../contracts/config/config-campaigns.ts';
import { compileDays, type Days, type Span, spansOfZone } from './local-windows.ts';
import { isZone } from './zones.ts';

/** `opensMs`: null when it never opens within 400 days. `closesMs`: 400 days from now at the latest. Exclusive ends. */
export type Opening =
  | { readonly open: true; readonly closesMs: number }
  | { readonly open: false; readonly opensMs: number | null };

export interface Calendar {
  /**
   * Whether the windows are open in all these zones, and until when; else from when on.
   *
   * @param zones names of the IANA list, at least one
   * @param nowMs milliseconds since 1970
   * @throws RangeError for a zone that there is not, or none at all
   */
  at(zones: readonly string[], nowMs: number): Opening;
}

/**
 * Windows that answer in about a microsecond once a zone was asked: what was worked out is kept in the object.
 *
 * Local time is read strictly: no instant is in a window whose wall clock, in every zone, is not. So where clocks go back and
 * a range begins or ends within the hour that comes twice, it begins with the second and ends with the first; only a range that
 * lies wholly within that hour has its second occurrence. Where clocks go forward, what the range has of the missing hour is
 * missing.
 */
export function compileCalendar(windows: SendingWindows): Calendar {
  const days = compileDays(windows);
  const lines = new Map<string, Line>();
  return {
    at(zones, nowMs) {
      if (zones.length === 0) throw new RangeError('windows are asked for no time zone; name at least one');
      const key = zones.join(' ');
      let line = lines.get(key);
      if (line === undefined || nowMs < line.fromMs) {
        const unknown = zones.find((zone) => !isZone(zone));
        if (unknown !== undefined) throw new RangeError(`${unknown} is no time zone of the IANA list`);
        line = newLine(zones, Math.floor(nowMs) - DAY);
        lines.set(key, line);
      }
      return openingAt(days, line, nowMs);
    },
  };
}

const DAY = 86_400_000;
const HORIZON = 400 * DAY;
/** Worked out at a time: little at first, as most questions are about today. */
const FIRST_STEP = 4 * DAY;
const LAST_STEP = 64 * DAY;

/** What is known of one set of zones: its spans in [fromMs, toMs), in order, none touching another. */
interface Line {
  readonly zones: string[];
  readonly fromMs: number;
  toMs: number;
  readonly starts: number[];
  readonly ends: number[];
}

function newLine(zones: readonly string[], fromMs: number): Line {
  return { zones: [...zones], fromMs, toMs: fromMs, starts: [], ends: [] };
}

function openingAt(days: Days, line: Line, nowMs: number): Opening {
  const horizon = nowMs + HORIZON;
  while (line.toMs <= nowMs) extend(days, line);
  const place = firstEndingAfter(line.ends, nowMs);
  while (line.starts[place] === undefined && line.toMs < horizon) extend(days, line);
  const start = line.starts[place];
  if (start === undefined || start > horizon) return { open: false, opensMs: null };
  if (start > nowMs) return { open: false, opensMs: start };
  // An end where the known part ends may be none: the window may go on behind it.
  while (line.ends[place] === line.toMs && line.toMs < horizon) extend(days, line);
  return { open: true, closesMs: Math.min(line.ends[place] ?? nowMs, horizon) };
}

function extend(days: Days, line: Line): void {
  const known = line.toMs - line.fromMs;
  const toMs = line.toMs + Math.min(Math.max(known, FIRST_STEP), LAST_STEP);
  for (const { start, end } of commonSpans(days, line, toMs)) {
    const last = line.ends.length - 1;
    if (line.ends[last] === start) line.ends[last] = end;
    else {
      line.starts.push(start);
      line.ends.push(end);
    }
  }
  line.toMs = toMs;
}

/** The zone that leaves nothing is asked first the next time: where there is no common window, the others need not be. */
function commonSpans(days: Days, { zones, toMs: fromMs }: Line, toMs: number): readonly Span[] {
  let spans: readonly Span[] = [{ start: fromMs, end: toMs }];
  for (const [place, zone] of zones.entries()) {
    spans = common(spans, spansOfZone(days, zone, fromMs, toMs));
    if (spans.length > 0) continue;
    zones.unshift(...zones.splice(place, 1));
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

/** What both have in common; each in order, none overlapping another. */
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
