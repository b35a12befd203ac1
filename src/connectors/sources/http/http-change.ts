// The increment of an HTTP source: what to request, how far the rows reach, and where the next run begins.

import { durationMs } from '../../../core/config/base.ts';
import { SourceError } from '../../../core/source.ts';
import type { HttpSource } from './config.ts';
import { at } from './json-path.ts';

type Incremental = NonNullable<HttpSource['incremental']>;

/** The parameter's value for rows changed after `since` (epoch ms), with a margin before it. */
export function askSince({ format, overlap }: Incremental, since: number): string | number {
  const from = since - durationMs(overlap);
  switch (format) {
    case 'iso':
      return new Date(from).toISOString();
    case 'date':
      // A day begins 12 hours earlier than in UTC in some places, and 12 hours later in others.
      return new Date(from - 12 * 3_600_000).toISOString().slice(0, 10);
    case 'epoch':
      return Math.floor(from / 1000);
    case 'epoch-ms':
      return from;
  }
}

/**
 * Newest time of change so far (epoch ms).
 * @throws SourceError `bad_config` when no row has the column
 */
export function newestIn(
  values: readonly unknown[],
  column: string,
  before: number | null,
  place: string,
): number | null {
  const own = newestOf(values, column);
  if (
    own === null &&
    before === null &&
    values.length > 0 &&
    values.every((value) => at(value, column) === undefined)
  ) {
    const message = `source ${place}: \`incremental.column\` names ${JSON.stringify(column)}, which no row of the answer has`;
    throw new SourceError('bad_config', message);
  }
  return own === null || (before !== null && before > own) ? before : own;
}

/** Newest time of change (epoch ms) among the rows. Null if none is readable. */
function newestOf(rows: readonly unknown[], column: string): number | null {
  let newest: number | null = null;
  for (const row of rows) {
    const time = instantOf(at(row, column));
    if (time !== null && (newest === null || time > newest)) newest = time;
  }
  return newest;
}

// Seconds reach this number in the year 5138; milliseconds reached it in 1973.
const LEAST_MS = 1e11;
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?) ?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/** Epoch ms of a time as APIs write it: ISO 8601 (UTC without a zone), seconds or milliseconds. */
function instantOf(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{9,14}(?:\.\d+)?$/.test(value) ? Number(value) : value;
  if (typeof number === 'number') {
    if (!Number.isFinite(number) || number <= 0 || number > 8.64e15) return null;
    return Math.floor(number < LEAST_MS ? number * 1000 : number);
  }
  const [, date, time, zone] = (typeof value === 'string' && DATE_TIME.exec(value.trim())) || [];
  if (date === undefined) return null;
  const offset =
    zone === undefined || /z/i.test(zone)
      ? 'Z'
      : zone.length === 3
        ? `${zone}:00`
        : zone.replace(/^(.\d\d)(\d\d)$/, '$1:$2');
  const parsed = Date.parse(time === undefined ? date : `${date}T${time.replace(',', '.')}${offset}`);
  return Number.isNaN(parsed) ? null : parsed;
}

/**
 * Returns where the next run begins (epoch ms): after the newest row, but never after the time at which this run began.
 * A row changed later may have moved to a part of the list that was already read.
 */
export function nextSince(newest: number | null, begun: number, since: number | null): number | null {
  const reached = Math.max(newest ?? Number.NEGATIVE_INFINITY, since ?? Number.NEGATIVE_INFINITY);
  return Number.isFinite(reached) ? Math.min(reached, begun) : null;
}
