// Writes CSV (RFC 4180) that is safe in spreadsheets.

/**
 * Matches where a spreadsheet could see a formula: at the start of a cell, and where a cell would start with another
 * separator or without quotes, as in Excel in countries that use `;`. Leading blanks, quotes and invisible characters
 * do not prevent a match; full-width and small forms count as the sign itself.
 */
const FORMULA =
  /(?<=^|[;\t\r\n])(?=['"\s\p{Cc}\p{Cf}]{0,64}[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b])/gu;
/** The apostrophe that stands before such a place. */
const SAFE_FORMULA = new RegExp(FORMULA.source.replace('(?=', "'(?="), 'gu');
const LEADING_BREAK = /^[\t\r\n]/;

type Cell = string | number | boolean | null;
/** Columns of a file: the title of each, and its cell in the line of a row. */
export type CsvColumns<T> = readonly (readonly [title: string, cell: (row: T) => Cell])[];

export interface CsvTable<T> {
  /** First line. */
  readonly titles: string;
  readonly line: (row: T) => string;
}

export function csvTable<T>(columns: CsvColumns<T>): CsvTable<T> {
  return {
    titles: csvLine(columns.map(([title]) => title)),
    line: (row) => csvLine(columns.map(([, cellOf]) => cellOf(row))),
  };
}

/**
 * One line with CRLF. A value that a spreadsheet would read as a formula gets a leading apostrophe; a number does not.
 * A phone number in international form is such a value: `+5511…` becomes `'+5511…`.
 * @param delimiter of the file that the lines are from
 */
export function csvLine(cells: readonly Cell[], delimiter = ','): string {
  return `${cells.map((value) => cell(value, delimiter)).join(delimiter)}\r\n`;
}

/**
 * One line with every cell as it is, for a file that only Sluice reads: a spreadsheet could see a formula in it. All cells
 * have quotes, so that no cell looks like another separator.
 */
export function exactCsvLine(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}\n`;
}

/**
 * A cell of a file that `csvLine` wrote, and that a spreadsheet saved again, as it was before. Only an apostrophe of its
 * own before a line break at the start is lost.
 */
export function readSafeCell(text: string): string {
  return text.replace(/^'(?=[\t\r\n])/, '').replace(SAFE_FORMULA, '');
}

function cell(value: Cell, delimiter: string): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const safe = harmless(value);
  return safe.includes(delimiter) || /["\r\n]/.test(safe) ? quoted(safe) : safe;
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

function harmless(value: string): string {
  const safe = value.replace(FORMULA, "'");
  return LEADING_BREAK.test(safe) ? `'${safe}` : safe;
}
