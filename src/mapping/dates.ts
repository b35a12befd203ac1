// Calendar dates as exports write them → YYYY-MM-DD.
import { ValueError } from './errors.ts';

// Who writes the month first. Every other country with numeric dates begins with the day, or with the year.
const MONTH_FIRST = new Set(['US', 'PR', 'GU', 'AS', 'MP', 'VI', 'UM', 'FM', 'MH', 'PW', 'PH', 'BZ']);

const ISO = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T\s].*)?$/;
const ISO_WITH_OFFSET = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?\s?(?:Z|[+-]\d{2}:?\d{2})$/i;
const COMPACT = /^(\d{4})(\d{2})(\d{2})$/;
const TWO_FIRST = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})(?:,?\s+\d.*)?$/;
const SERIAL = /^\d{5}(?:[.,]\d+)?$/;

/**
 * Reads a date: ISO 8601 (with an offset, the day in UTC, as the API cuts it), `31/12/2026`, `12/31/2026`, `31.12.26`,
 * `20261231`, or a day number of Excel. Where day and month could be swapped the country decides; without a country that is a problem.
 * @throws ValueError `invalid_date` or `ambiguous_date`
 */
export function toDate(text: string, country: string | undefined): string {
  const compact = ISO.exec(text) ?? COMPACT.exec(text);
  if (ISO_WITH_OFFSET.test(text)) {
    const moment = new Date(text.replace(' ', 'T').replace(' ', '').replace(',', '.'));
    if (!Number.isNaN(moment.getTime())) return moment.toISOString().slice(0, 10);
  }
  if (compact) return day(Number(compact[1]), Number(compact[2]), Number(compact[3])) ?? refuse(text);
  if (SERIAL.test(text)) return fromSerial(Number.parseInt(text, 10)) ?? refuse(text);
  const parts = TWO_FIRST.exec(text);
  if (!parts) return refuse(text);
  const year = Number(parts[3]) + (parts[3]?.length === 2 ? 2000 : 0);
  const [first, second] = [Number(parts[1]), Number(parts[2])];
  const dayFirst = day(year, second, first);
  const monthFirst = day(year, first, second);
  if (dayFirst && monthFirst && dayFirst !== monthFirst) {
    if (country === undefined) {
      const reason =
        'day and month of the date could be swapped; set `defaultCountry` in the mapping, or write YYYY-MM-DD';
      throw new ValueError('ambiguous_date', reason, text);
    }
    return MONTH_FIRST.has(country) ? monthFirst : dayFirst;
  }
  return dayFirst ?? monthFirst ?? refuse(text);
}

function day(year: number, month: number, date: number): string | undefined {
  if (year < 1900 || year > 2199) return undefined;
  const moment = new Date(Date.UTC(year, month - 1, date));
  const real = moment.getUTCMonth() === month - 1 && moment.getUTCDate() === date;
  return real ? moment.toISOString().slice(0, 10) : undefined;
}

/** Excel counts days from 1899-12-30; 20000–99999 is 1954 to 2173, and no other date has five digits. */
function fromSerial(serial: number): string | undefined {
  if (serial < 20_000) return undefined;
  return new Date(Date.UTC(1899, 11, 30) + serial * 86_400_000).toISOString().slice(0, 10);
}

function refuse(text: string): never {
  throw new ValueError('invalid_date', 'this is no date that exists; write YYYY-MM-DD', text);
}
