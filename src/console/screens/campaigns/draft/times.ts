// Hours and holidays of the configuration, as fields of the browser take them. What is not complete yet stays as it is
// typed, and the server refuses it.

/** `24:00` ends a day; no field of the browser has it. */
export const MIDNIGHT = '24:00';

export interface Hours {
  /** `09:00`; empty: not chosen yet. */
  readonly from: string;
  readonly to: string;
}

const HOURS = /^((?:[01]\d|2[0-3]):[0-5]\d)?-((?:[01]\d|2[0-3]):[0-5]\d|24:00)?$/;

/** Null: text that the fields cannot show. */
export function readHours(text: unknown): Hours | null {
  const found = typeof text === 'string' ? HOURS.exec(text) : null;
  return found === null ? null : { from: found[1] ?? '', to: found[2] ?? '' };
}

export const hoursText = ({ from, to }: Hours) => `${from}-${to}`;

export interface Holiday {
  /** `2026-12-25`; empty: not chosen yet. */
  readonly date: string;
  readonly everyYear: boolean;
}

/**
 * @param year in which a day of every year is shown, or the next one that has it
 * @returns null: text that the fields cannot show
 */
export function readHoliday(text: unknown, year: number): Holiday | null {
  if (text === '') return { date: '', everyYear: false };
  if (typeof text !== 'string') return null;
  if (isDate(text)) return { date: text, everyYear: false };
  // 29 February is in one of eight years, around 2100.
  const date = Array.from({ length: 9 }, (_, n) => `${year + n}-${text}`).find(isDate);
  return date === undefined ? null : { date, everyYear: true };
}

export const holidayText = ({ date, everyYear }: Holiday) => (everyYear ? date.slice(-5) : date);

function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}
