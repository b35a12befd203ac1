// The part `schedule` of a sync: when it runs by itself.
import { z } from 'zod';
import { durationMs } from './base.ts';

function duration(bounds: { min: string; max: string }) {
  return z.string().superRefine((text, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', message });
    if (!/^\d{1,9}[smhd]$/.test(text)) {
      refuse(`${quoted(text)} is no duration; write a whole number and a unit: 30s, 10m, 1h or 2d`);
    } else if (durationMs(text) < durationMs(bounds.min) || durationMs(text) > durationMs(bounds.max)) {
      refuse(`${quoted(text)} is out of bounds; write ${bounds.min} to ${bounds.max}`);
    }
  });
}

const Cron = z.string().superRefine((text, context) => {
  const message = cronProblem(text);
  if (message !== null) context.addIssue({ code: 'custom', message });
});

export const TimeZone = z.string().superRefine((text, context) => {
  const message = zoneProblem(text);
  if (message !== null) context.addIssue({ code: 'custom', message });
});

export const ScheduleConfig = z.strictObject({
  cron: z.union([Cron, z.array(Cron).min(1).max(20)]).meta({
    description:
      'Times in cron format, for example "0 6 * * 1-5": minute, hour, day of month, month and day of week. Or @hourly, @daily, @weekly, @monthly, @yearly. A list combines up to 20. Day of month and day of week must both match.',
  }),
  timeZone: TimeZone.optional().meta({
    description:
      'IANA time zone of `cron`, for example America/Sao_Paulo. Default: the `timeZone` of the account, otherwise UTC.',
  }),
  overlap: z.enum(['skip', 'buffer-one', 'cancel-other']).default('skip').meta({
    description:
      'What happens if a run is still active, scheduled or started by hand. skip: no new run. buffer-one: one run after it. cancel-other: cancels it and starts a new run. Default: skip.',
  }),
  catchUpWindow: duration({ min: '10s', max: '365d' }).default('1h').meta({
    description:
      'Maximum delay after which a time missed during an outage of the Temporal server still starts a run, 10s to 365d. Default: 1h.',
  }),
  jitter: duration({ min: '1s', max: '1d' }).optional().meta({
    description:
      'Maximum random delay of each start, 1s to 1d. It spreads schedules that share a time. Default: none.',
  }),
  paused: z
    .boolean()
    .default(false)
    .meta({ description: 'true keeps the schedule on the server but starts nothing. Default: false.' }),
});
export type ScheduleConfig = z.infer<typeof ScheduleConfig>;

export type OverlapPolicy = ScheduleConfig['overlap'];

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names that may stand for the numbers from `min` on. */
  readonly names: readonly string[];
}

const FIELDS: readonly Field[] = [
  { name: 'minute', min: 0, max: 59, names: [] },
  { name: 'hour', min: 0, max: 23, names: [] },
  { name: 'day of month', min: 1, max: 31, names: [] },
  { name: 'month', min: 1, max: 12, names: MONTHS },
  { name: 'day of week', min: 0, max: 7, names: DAYS },
];

const WAY_OUT = 'write "minute hour day-of-month month day-of-week", for example "0 6 * * 1-5"';

/**
 * What is wrong with a cron text, and the fix. Null if the server accepts it. Six and seven fields are refused: some
 * programs read the sixth as seconds, and Temporal reads it as the year.
 */
export function cronProblem(text: string): string | null {
  if (text.startsWith('@')) {
    return /^@(yearly|annually|monthly|weekly|daily|midnight|hourly)$/.test(text)
      ? null
      : `${quoted(text)} is not known; write @hourly, @daily, @weekly, @monthly or @yearly, or five fields`;
  }
  if (/^(CRON_)?TZ=/.test(text)) return `a time zone stands in the key timeZone, not in ${quoted(text)}`;
  const fields = text.trim().split(/\s+/);
  if (text.trim() === '' || fields.length !== FIELDS.length) {
    const found =
      text.trim() === '' ? 'nothing' : fields.length === 1 ? 'one field' : `${fields.length} fields`;
    return `${quoted(text)} has ${found} and needs five fields; ${WAY_OUT}`;
  }
  for (const [n, field] of FIELDS.entries()) {
    const problem = fieldProblem(fields[n] as string, field);
    if (problem !== null) return `in ${quoted(text)} the ${field.name} ${problem}`;
  }
  return neverProblem(text, fields[2] as string, fields[3] as string);
}

/** 30 February would be taken by the server, and would never come. */
function neverProblem(text: string, days: string, months: string): string | null {
  const [day, month] = [FIELDS[2], FIELDS[3]] as [Field, Field];
  const first = Math.min(...days.split(',').map((part) => firstOf(part, day)));
  const longest = Math.max(...valuesOf(months, month).map((one) => LONGEST[one - 1] as number));
  return first > longest
    ? `${quoted(text)} never comes: none of these months has a day ${first}; write another day or month`
    : null;
}

/** Days of each month in its longest year. */
const LONGEST = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function firstOf(part: string, field: Field): number {
  return valueOf(part.split(/[-/]/)[0] as string, field) ?? field.min;
}

/** All values of a field that was found readable. */
function valuesOf(text: string, field: Field): number[] {
  return text.split(',').flatMap((part) => {
    const [range = '', step] = part.split('/');
    const [from, to] = range === '*' ? [] : range.split('-').map((one) => valueOf(one, field) ?? field.min);
    // As the server reads it: "2/3" is from 2 to the end by threes, "2" alone is 2.
    const last = to ?? (from === undefined || step !== undefined ? field.max : from);
    const values: number[] = [];
    for (let value = from ?? field.min; value <= last; value += Number(step ?? 1)) values.push(value);
    return values;
  });
}

function fieldProblem(text: string, field: Field): string | null {
  const allowed = `${field.min} to ${field.max}${field.names.length === 0 ? '' : ` or ${field.names[0]} to ${field.names.at(-1)}`}`;
  for (const part of text.split(',')) {
    const match = /^(?:\*|([a-z\d]+)(?:-([a-z\d]+))?)(?:\/(\d+))?$/i.exec(part);
    if (match === null) return `${quoted(part)} can't be read; write ${allowed}, a range as 1-5, or *`;
    const [, first, last, step] = match;
    if (step !== undefined && Number(step) === 0) return `has the step 0 in ${quoted(part)}; write 1 or more`;
    const [from, to] = [first, last].map((one) => (one === undefined ? undefined : valueOf(one, field)));
    if (from === null || to === null) return `${quoted(part)} is out of bounds; write ${allowed}`;
    if (from !== undefined && to !== undefined && to < from)
      return `${quoted(part)} runs backwards; write two ranges`;
  }
  return null;
}

function valueOf(text: string, { min, max, names }: Field): number | null {
  const name = names.indexOf(text.toLowerCase());
  if (name >= 0) return min + name;
  const value = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : null;
}

/** The server looks zones up by their exact name, and knows no offsets. */
function zoneProblem(text: string): string | null {
  const known = /^[A-Za-z]/.test(text) ? canonicalZone(text) : null;
  if (known === null)
    return `${quoted(text)} is no time zone; write a name of the IANA list, for example America/Sao_Paulo or UTC`;
  return known !== text && known.toLowerCase() === text.toLowerCase()
    ? `${quoted(text)} is spelled ${quoted(known)}`
    : null;
}

function canonicalZone(text: string): string | null {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: text }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function quoted(text: string): string {
  return JSON.stringify(text.length <= 40 ? text : `${text.slice(0, 40)}…`);
}
