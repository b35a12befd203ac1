// Puts the cells of a record under their column names.

import { type Framer, type ParsedRow, problemRow } from '../pages.ts';
import { type CellRow, type Dialect, splitCells } from './csv-rows.ts';

/**
 * Builds rows from cells and column names. It adds or drops cells at the end of a row only, so no value moves to
 * another column.
 */
export function csvFramer(dialect: Omit<Dialect, 'columns'>, header: readonly string[]): Framer {
  const { delimiter, encoding } = dialect;
  const frame: Framer = (block, at) => {
    const { records, consumed, then } = splitCells(block, at, {
      delimiter,
      encoding,
      columns: header.length,
    });
    return { rows: records.map((record) => named(record, header, delimiter)), consumed, then };
  };
  return Object.assign(frame, { quotes: true });
}

function named(record: CellRow, header: readonly string[], delimiter: string): ParsedRow {
  if (!('cells' in record)) return record;
  const { cells, exact } = record;
  const count = cells.length;
  // Empty cells beyond the header come from separators at the end of the line. Dropping them loses nothing.
  const surplus = count > header.length && cells.slice(header.length).some((cell) => cell.trim() !== '');
  if (surplus || (exact && count !== header.length)) {
    const reason = `the row has ${count} cells and the header ${header.length}; quote cells that hold the separator or a quote`;
    return problemRow('malformed_row', reason, cells.join(delimiter));
  }
  const values: Record<string, string> = {};
  // Spreadsheets omit empty cells at the end of a row.
  for (let index = 0; index < header.length; index += 1) values[header[index] as string] = cells[index] ?? '';
  return { values };
}
