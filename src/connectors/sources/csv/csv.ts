// The CSV source. It finds encoding, delimiter, header and footers once, then reads pages from byte offsets.

import {
  isLikeData,
  type ReadOptions,
  type Source,
  type SourceCursor,
  SourceError,
  type SourceNote,
  type SourceRow,
} from '../../../core/source.ts';
import { codecFor } from '../codec.ts';
import type { CsvSource } from '../config.ts';
import { type CsvCursor, readCursor, writeCursor } from '../cursor.ts';
import { requireSame, type SourceFile, withBytes, withFile } from '../file.ts';
import { refuseMarkup } from '../format.ts';
import { type Framer, type ParsedRow, problemRow, readRows } from '../pages.ts';
import { type CellRow, type Dialect, splitCells } from './csv-rows.ts';
import { findFooter, findTable } from './csv-shape.ts';
import { findEncoding } from './encoding.ts';
import { describeEncoding } from './encoding-note.ts';
import { scanRows } from './scan.ts';

/** A byte order mark, as the text has it. */
const MARK = '\ufeff';
const DELIMITERS = [',', ';', '\t', '|'] as const;

/**
 * A CSV file with a header. Rows count from 1 below the header. Blank lines and lines of separators only are not rows.
 *
 * - A column without a name becomes `column N` (N counted from 1). A repeated name gets ` (2)`, ` (3)`, as in
 *   spreadsheets.
 * - `sep=;` in the first line, as Excel writes it, sets the delimiter. Otherwise the delimiter is the one that splits
 *   the header and the first 20 rows most evenly.
 * - Cells missing at the end of a row are empty. Empty cells after the last column are dropped.
 * - A row with too many cells, or with bytes outside the encoding, is a problem row, and reading continues. A broken
 *   quote stops reading if the end of its cell is uncertain.
 */
export function csvSource(config: CsvSource, baseDir: string): Source {
  return {
    read: (cursor, options) =>
      withFile(config.path, baseDir, async (file) => {
        const begun = cursor ? { at: resume(cursor, file), notes: [] } : await begin(file, config, options);
        const { at } = begun;
        const { rows, next, cut } = await readRows(file, at, csvFramer(at, at.header, file.name), options);
        const notes = [...begun.notes, ...(cut === undefined ? [] : [cut])];
        return {
          rows,
          next: next.offset < at.end ? writeCursor({ ...at, ...next }) : null,
          progress: at.end === 0 ? 1 : next.offset / at.end,
          columns: at.header,
          file: { ...file.fingerprint },
          ...(notes.length === 0 ? {} : { notes }),
          ...(at.scan === '' ? {} : { scan: at.scan }),
        };
      }),
  };
}

/** A table in memory, as a source of the same bytes would read it. */
export interface CsvTable {
  readonly encoding: string;
  /** 0 to 1; 1 unless a detector found the encoding. */
  readonly encodingSure: number;
  readonly delimiter: string;
  /** Names of the columns. */
  readonly header: readonly string[];
  /** False: the first line looks like a row. */
  readonly hasHeader: boolean;
  readonly rows: readonly SourceRow[];
  /** False: there are more rows than were read. */
  readonly whole: boolean;
  readonly notes: readonly SourceNote[];
}

/** How a table is written. `auto`: as it is recognized. */
export type TableForm = Pick<CsvSource, 'encoding' | 'delimiter'>;

/**
 * Reads up to `limit` rows of a CSV file in memory.
 * @throws SourceError when it is empty, binary or not a table
 */
export async function readCsvTable(
  bytes: Buffer,
  name: string,
  limit: number,
  { encoding, delimiter }: TableForm = { encoding: 'auto', delimiter: 'auto' },
): Promise<CsvTable> {
  const config: CsvSource = { type: 'csv', path: name, encoding, delimiter };
  return await withBytes(name, bytes, async (file) => {
    const { at, notes, sure } = await begin(file, config, { limit });
    const { rows, next, cut } = await readRows(file, at, csvFramer(at, at.header, file.name), { limit });
    return {
      encoding: at.encoding,
      encodingSure: sure,
      delimiter: at.delimiter,
      header: at.header,
      hasHeader: !at.header.some(isLikeData),
      rows,
      whole: next.offset >= at.end,
      notes: [...notes, ...(cut === undefined ? [] : [cut])],
    };
  });
}

function resume(cursor: SourceCursor, file: SourceFile): CsvCursor {
  const at = readCursor<CsvCursor>(cursor, 'csv-1', file.name);
  requireSame(file, at);
  return at;
}

/** Finds the table in a file. */
export async function begin(
  file: SourceFile,
  config: CsvSource,
  options: ReadOptions,
): Promise<{ at: CsvCursor; notes: readonly SourceNote[]; sure: number }> {
  const found = await findEncoding(file, config.encoding, options.signal);
  const { encoding, start } = found;
  const { utf8, rawLength } = codecFor(encoding).read(file.head.subarray(start));
  refuseMarkup(file.name, utf8.toString('utf8', 0, 64 * 1024));
  const separator = separatorLine(utf8);
  const body = utf8.subarray(separator.end);
  const last = file.head.length >= file.fingerprint.size;
  const named = config.delimiter === 'auto' ? separator.delimiter : config.delimiter;
  const table = findTable(body, last, named === undefined ? DELIMITERS : [named], encoding);
  const { delimiter } = table;
  const header = headerOf(table.header, file.name);
  const offset = start + rawLength(separator.end + table.end);
  const footer = await findFooter(file, offset, { delimiter, encoding, columns: header.length });
  const at: CsvCursor = {
    format: 'csv-1',
    ...file.fingerprint,
    encoding,
    delimiter,
    header,
    scan: '',
    offset,
    end: footer.end,
    row: 0,
  };
  const titles: SourceNote[] =
    table.titles === 0
      ? []
      : [
          {
            code: 'TITLE',
            reason: `${table.titles} ${table.titles === 1 ? 'line' : 'lines'} above the header ${table.titles === 1 ? 'is a title, not a row' : 'are titles, not rows'}`,
          },
        ];
  const headless: SourceNote[] = header.some(isLikeData)
    ? [
        {
          code: 'HEADER',
          reason: 'the first line looks like a row, not a header; add a line with the column names above it',
        },
      ]
    : [];
  return {
    at: { ...at, scan: await scanRows(file, at, csvFramer(at, header, file.name), options) },
    notes: [...describeEncoding(found), ...titles, ...headless, ...footer.notes],
    sure: found.sure,
  };
}

/** Reads Excel's own first line, `sep=;`, and where the table begins after it. */
function separatorLine(utf8: Buffer): { end: number; delimiter?: string } {
  const found = /^"?sep=([^\r\n"])"?(?:\r\n|\n|\r)/i.exec(utf8.toString('utf8', 0, 16));
  return found ? { end: Buffer.byteLength(found[0]), delimiter: found[1] } : { end: 0 };
}

function headerOf(first: CellRow | undefined, path: string): string[] {
  if (!first) {
    const message = `source file "${path}" has no header: it is empty; export it again with the column names in the first line`;
    throw new SourceError('no_header', message);
  }
  if (!('cells' in first)) {
    const message = `the header of source file "${path}" can't be read: ${first.problem?.reason ?? 'it is not valid CSV'}`;
    throw new SourceError('no_header', message);
  }
  const taken = new Set<string>();
  return first.cells.map((cell, index) => {
    const trimmed = cell.trim();
    // As an object key, this name would not store a value.
    const base = trimmed === '' || trimmed === '__proto__' ? `column ${index + 1}` : trimmed;
    let distinct = base;
    for (let copy = 2; taken.has(distinct); copy += 1) distinct = `${base} (${copy})`;
    taken.add(distinct);
    return distinct;
  });
}

/**
 * Builds rows from cells and column names. It adds or drops cells at the end of a row only, so no value moves to
 * another column.
 */
export function csvFramer(
  dialect: Omit<Dialect, 'columns'>,
  header: readonly string[],
  path: string,
): Framer {
  const { delimiter, encoding } = dialect;
  const frame: Framer = (block, at) => {
    const { records, consumed, then } = splitCells(block, at, {
      delimiter,
      encoding,
      columns: header.length,
    });
    const marked = records.findIndex((record) => 'cells' in record && record.cells[0]?.startsWith(MARK));
    if (marked >= 0) throw joined(path, at.row + marked + 1);
    return { rows: records.map((record) => named(record, header, delimiter)), consumed, then };
  };
  return Object.assign(frame, { quotes: true });
}

/** Its line may be another header, with other columns or the same in another order. */
function joined(path: string, row: number): SourceError {
  const message = `source file "${path}" has a byte order mark at the beginning of row ${row}, where another file may begin; split the file there, or remove the mark if the columns are the same`;
  return new SourceError('format', message);
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
