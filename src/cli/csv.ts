// CSV as RFC 4180 has it, harmless to spreadsheets.

/**
 * One line, CRLF included. A cell that a spreadsheet would take for a formula gets an apostrophe before it;
 * numbers that are numbers stay as they are.
 */
export function csvLine(cells: readonly (string | number | boolean | null)[]): string {
  return `${cells.map(cell).join(',')}\r\n`;
}

function cell(value: string | number | boolean | null): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
