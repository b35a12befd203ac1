// Converts calendar dates in the forms of exports to YYYY-MM-DD. A column has one order: configured, or found from all
// its rows.
import { ValueError } from './errors.ts';

/** Which of day, month and year comes first. */
export type DateOrder = 'dmy' | 'mdy' | 'ymd';

/** What is known of a column: its order; `mixed`: rows contradict each other; `open`: no row decides. */
export type FoundOrder = DateOrder | 'mixed' | 'open';

const ISO = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T\s].*)?$/;
const ISO_WITH_OFFSET = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?\s?(?:Z|[+-]\d{2}:?\d{2})$/i;
const COMPACT = /^(\d{4})(\d{2})(\d{2})$/;
const THREE = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})(?:,?\s+\d.*)?$/;
const SERIAL = /^\d{5}(?:[.,]\d+)?$/;

/**
 * Reads a date: ISO 8601 (with an offset, the day in UTC, as the API truncates it), `20261231`, an Excel day number, or
 * `31/12/2026`, `12/31/2026`, `31.12.26` in the order of its column. Without a known order, a date is read only if
 * exactly one order gives an existing day. A two-digit year is the last part, unless the order is `ymd`.
 * @throws ValueError `invalid_date` or `ambiguous_date`
 */
export function toDate(text: string, order: FoundOrder): string {
  const plain = withYearFirst(text);
  if (plain !== undefined) return plain ?? refuse(text);
  const found = readings(text, order);
  if (found === undefined) return refuse(text);
  if (order === 'dmy' || order === 'mdy' || order === 'ymd') return found[order] ?? refuse(text, order);
  const { dmy, mdy } = found;
  if (dmy === undefined || mdy === undefined || dmy === mdy) return dmy ?? mdy ?? refuse(text);
  throw new ValueError('ambiguous_date', AMBIGUOUS[order], text);
}

const WAY_OUT = 'so it was left out; set `dateOrder` in the mapping, or write YYYY-MM-DD';
const AMBIGUOUS = {
  open: `this date could have the day or the month first, and no other row of the column decides, ${WAY_OUT}`,
  mixed: `this date could have the day or the month first, and rows of the column contradict each other, ${WAY_OUT}`,
};

/**
 * The orders that fit this text. Undefined if the text decides nothing: not such a date, or one with the year first.
 */
export function readings(text: string, order?: FoundOrder): Partial<Record<DateOrder, string>> | undefined {
  const parts = THREE.exec(text);
  if (!parts) return undefined;
  const [first, second, third] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const short = parts[3]?.length === 2;
  const year = third + (short ? 2000 : 0);
  const found: Partial<Record<DateOrder, string>> = {};
  const [dmy, mdy] = [day(year, second, first), day(year, first, second)];
  if (dmy !== undefined) found.dmy = dmy;
  if (mdy !== undefined) found.mdy = mdy;
  const ymd =
    order === 'ymd' && short && parts[1]?.length === 2 ? day(2000 + first, second, third) : undefined;
  if (ymd !== undefined) found.ymd = ymd;
  return found;
}

/** Undefined if the year is not first. Null if the day does not exist. */
function withYearFirst(text: string): string | null | undefined {
  if (ISO_WITH_OFFSET.test(text)) {
    const moment = new Date(text.replace(' ', 'T').replace(' ', '').replace(',', '.'));
    if (!Number.isNaN(moment.getTime())) return moment.toISOString().slice(0, 10);
  }
  const parts = ISO.exec(text) ?? COMPACT.exec(text);
  if (parts) return day(Number(parts[1]), Number(parts[2]), Number(parts[3])) ?? null;
  return SERIAL.test(text) ? (fromSerial(Number.parseInt(text, 10)) ?? null) : undefined;
}

function day(year: number, month: number, date: number): string | undefined {
  if (year < 1900 || year > 2199) return undefined;
  const moment = new Date(Date.UTC(year, month - 1, date));
  const real = moment.getUTCMonth() === month - 1 && moment.getUTCDate() === date;
  return real ? moment.toISOString().slice(0, 10) : undefined;
}

/** Excel counts days from 1899-12-30. The range 20000–99999 covers 1954 to 2173, and no other date has five digits. */
function fromSerial(serial: number): string | undefined {
  if (serial < 20_000) return undefined;
  return new Date(Date.UTC(1899, 11, 30) + serial * 86_400_000).toISOString().slice(0, 10);
}

const ORDERS: Readonly<Record<DateOrder, string>> = {
  dmy: 'dd/mm/yyyy',
  mdy: 'mm/dd/yyyy',
  ymd: 'yyyy/mm/dd',
};

function refuse(text: string, order?: DateOrder): never {
  const as = order === undefined ? '' : ` as ${ORDERS[order]}, the order of this column`;
  throw new ValueError(
    'invalid_date',
    `this is not a valid date${as}, so it was left out; write YYYY-MM-DD`,
    text,
  );
}
