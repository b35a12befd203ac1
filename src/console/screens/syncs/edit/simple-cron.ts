// A schedule at one time of the day, every day or on weekdays: what a form can show of cron.

export interface SimpleCron {
  /** `06:00`; empty: not chosen yet. */
  readonly time: string;
  /** From 0, which is Sunday, to 6. All seven: every day. None: not chosen yet. */
  readonly days: readonly number[];
}

export const EVERY_DAY: readonly number[] = [0, 1, 2, 3, 4, 5, 6];

/** In cron, and in the texts of the console. */
export const DAY_NAMES = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
/** `-` stands for what is not chosen yet. No schedule has it, so the server refuses it. */
const OPEN = '-';

/** Null: a schedule that only cron can express. */
export function readCron(text: unknown): SimpleCron | null {
  const found = typeof text === 'string' ? /^(\d{1,2}|-) (\d{1,2}|-) \* \* (\S+)$/.exec(text) : null;
  if (found === null) return null;
  const [, minute = '', hour = '', week = ''] = found;
  const days = daysOf(week);
  if (days === null || Number(hour) > 23 || Number(minute) > 59) return null;
  const isOpen = minute === OPEN || hour === OPEN;
  return { time: isOpen ? '' : `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`, days };
}

export function cronText({ time, days }: SimpleCron): string {
  const [hour, minute] = time === '' ? [OPEN, OPEN] : time.split(':').map((part) => String(Number(part)));
  const week = days.length === 7 ? '*' : days.length === 0 ? OPEN : days.toSorted((a, b) => a - b).join(',');
  return `${minute} ${hour} * * ${week}`;
}

function daysOf(week: string): number[] | null {
  if (week === '*') return [...EVERY_DAY];
  if (week === OPEN) return [];
  const parts = week.split(',').map((part) => {
    const ends = part.split('-');
    const [first, last = first] = ends.map(dayOf);
    if (ends.length > 2 || ends.some((end) => dayOf(end) === undefined)) return null;
    if (first === undefined || last === undefined || first > last) return null;
    return Array.from({ length: last - first + 1 }, (_, n) => (first + n) % 7);
  });
  return parts.includes(null) ? null : [...new Set(parts.flatMap((part) => part ?? []))];
}

/** Undefined: no day. 7 is Sunday too, at the end of a range. */
function dayOf(text: string): number | undefined {
  if (/^[0-7]$/.test(text)) return Number(text);
  const named = DAY_NAMES.findIndex((name) => name === text.toLowerCase());
  return named === -1 ? undefined : named;
}
