// CSV as RFC 4180 has it, harmless to spreadsheets.

/**
 * Where a spreadsheet would see a formula: at the start of a cell, and where a cell would start if another separator
 * or no quotes were read, as Excel does in countries that write `;`. Blanks, quotes and invisible characters before
 * it do not help; full-width and small forms count as the sign itself.
 */
const FORMULA =
  /(?<=^|[;\t\r\n])(?=['"\s\p{Cc}\p{Cf}]{0,64}[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b])/gu;
const LEADING_BREAK = /^[\t\r\n]/;

/**
 * One line, CRLF included. What a spreadsheet would take for a formula gets an apostrophe before it; a number stays as
 * it is. A phone number in international form is such a formula, too: `+5511…` is written `'+5511…`.
 */
export function csvLine(cells: readonly (string | number | boolean | null)[]): string {
  return `${cells.map(cell).join(',')}\r\n`;
}

function cell(value: string | number | boolean | null): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const safe = harmless(value);
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function harmless(value: string): string {
  const safe = value.replace(FORMULA, "'");
  return LEADING_BREAK.test(safe) ? `'${safe}` : safe;
}
