// Splits a block of CSV bytes into rows with csv-parse, and goes on after a row that csv-parse can't read.
import { isUtf8 } from 'node:buffer';
import { CsvError, type Options, parse } from 'csv-parse/sync';
import { decode, type Encoding, fromWindows1252 } from './encoding.ts';
import { BAD_ENCODING, type Framed, type Framer, type ParsedRow, problemRow, TOO_LONG } from './pages.ts';

export interface Dialect {
  readonly delimiter: string;
  readonly encoding: Encoding;
}

/** One record as an array of cells, or the reason why there is none. */
export type CellRow = { readonly cells: string[] } | ParsedRow;

interface At {
  readonly limit: number;
  /** The file ends with the block. */
  readonly last: boolean;
  /** The block can't grow. */
  readonly full: boolean;
}

interface Cells {
  readonly records: readonly CellRow[];
  readonly consumed: number;
  readonly then: Framed['then'];
}

const REASONS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED:
    'a quote is opened and never closed; close it, or double a quote that belongs to the text',
  CSV_INVALID_CLOSING_QUOTE: 'text follows a closing quote; double every quote inside a quoted cell',
  INVALID_OPENING_QUOTE:
    'a quote stands inside a cell without quotes around it; quote the cell and double the quote',
};

/**
 * Up to `limit` records of a block that begins at a record boundary. A record that touches the end of a block which is not the
 * file's end may go on in the next block, so it is left for that one: the rows never depend on where blocks or pages end.
 */
export function splitCells(block: Buffer, at: At, dialect: Dialect): Cells {
  return splitPlain(block, at, dialect) ?? splitWithParser(block, at, dialect);
}

const [LINE_FEED, CARRIAGE_RETURN, QUOTE] = [0x0a, 0x0d, 0x22];

/**
 * The same for a block without a single quote, which most exports are made of: ten times as fast as the parser.
 * Null where only the parser knows: quotes, a carriage return alone, broken bytes, no whole row.
 */
export function splitPlain(block: Buffer, at: At, dialect: Dialect): Cells | null {
  if (block.includes(QUOTE)) return null;
  const whole = at.last ? block : block.subarray(0, block.lastIndexOf(LINE_FEED) + 1);
  if (dialect.encoding === 'utf-8' && !isUtf8(whole)) return null;
  const records: CellRow[] = [];
  let seen = 0;
  let consumed = 0;
  while (seen < at.limit && consumed < block.length) {
    // As many lines as there is room for are decoded together: the one behind the last may be cut off.
    let end = consumed;
    for (let lines = at.limit - seen; lines > 0 && end < block.length; lines--) {
      const lineFeed = block.indexOf(LINE_FEED, end);
      if (lineFeed < 0) {
        if (at.last) end = block.length;
        break;
      }
      end = lineFeed + 1;
    }
    if (end === consumed) break;
    const lines = decode(block.subarray(consumed, end), dialect.encoding).split('\n');
    if (block[end - 1] === LINE_FEED) lines.pop();
    for (const ended of lines) {
      const line = ended.endsWith('\r') ? ended.slice(0, -1) : ended;
      if (line.includes('\r')) return null;
      if (line === '') continue;
      seen += 1;
      const cells = line.split(dialect.delimiter);
      if (!isBlank(cells)) records.push({ cells });
    }
    consumed = end;
  }
  if (consumed === 0 && !at.last) return null;
  return { records, consumed, then: 'go-on' };
}

/** {@link splitCells} by csv-parse. */
export function splitWithParser(block: Buffer, at: At, dialect: Dialect): Cells {
  const records: CellRow[] = [];
  const strict = dialect.encoding === 'utf-8' && !isUtf8(block);
  let consumed = 0;
  let seen = 0;
  const options: Options = {
    ...csvOptions(dialect),
    to: at.limit,
    on_record: (cells: string[], info) => {
      if (info.bytes >= block.length && !at.last) return null;
      seen += 1;
      const bytes = strict ? block.subarray(consumed, info.bytes) : undefined;
      consumed = info.bytes;
      // A row of separators only is what spreadsheets leave below the table: it holds nothing and is passed over.
      if (isBlank(cells)) return null;
      if (bytes && !isUtf8(bytes))
        records.push(problemRow('bad_encoding', BAD_ENCODING, bytes.toString('latin1')));
      else records.push({ cells: dialect.encoding === 'latin1' ? cells.map(fromWindows1252) : cells });
      return null;
    },
  };
  try {
    parse(block, options);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return goOnAfter(error.code, block, { ...at, consumed }, records, dialect);
  }
  if (seen >= at.limit) return { records, consumed, then: 'go-on' };
  if (at.last) return { records, consumed: block.length, then: 'go-on' };
  if (consumed > 0) return { records, consumed, then: 'go-on' };
  if (!at.full) return { records, consumed: 0, then: 'grow' };
  return {
    records: [problemRow('malformed_row', TOO_LONG, preview(block, dialect))],
    consumed: 0,
    then: 'skip-line',
  };
}

/** The row at `consumed` stopped the parser: that line is one problem, and reading goes on with the line below it. */
function goOnAfter(
  code: string,
  block: Buffer,
  at: { last: boolean; full: boolean; consumed: number },
  records: CellRow[],
  dialect: Dialect,
): Cells {
  const unfinished = code === 'CSV_QUOTE_NOT_CLOSED' && !at.last;
  // A quoted cell may go on in the next block. Only a row that fills a block of the largest size is given up.
  if (unfinished && at.consumed > 0) return { records, consumed: at.consumed, then: 'go-on' };
  if (unfinished && !at.full) return { records, consumed: 0, then: 'grow' };
  let start = at.consumed;
  while (block[start] === LINE_FEED || block[start] === CARRIAGE_RETURN) start += 1;
  const end = lineEnd(block, start);
  if (end === undefined && !at.last) {
    if (at.consumed > 0) return { records, consumed: at.consumed, then: 'go-on' };
    if (!at.full) return { records, consumed: 0, then: 'grow' };
    records.push(problemRow('malformed_row', TOO_LONG, preview(block, dialect)));
    return { records, consumed: 0, then: 'skip-line' };
  }
  const line = block.subarray(start, end);
  const rescued = code === 'INVALID_OPENING_QUOTE' ? withLiteralQuotes(line, dialect) : undefined;
  const reason = REASONS[code] ?? 'the row is not valid CSV; export the file again';
  records.push(rescued ?? problemRow('malformed_row', reason, preview(line, dialect)));
  return { records, consumed: end ?? block.length, then: 'go-on' };
}

/** The offset behind the line that holds `start`; undefined when the block ends first. */
function lineEnd(block: Buffer, start: number): number | undefined {
  const lineFeed = block.indexOf(0x0a, start);
  const carriageReturn = block.subarray(start, lineFeed < 0 ? undefined : lineFeed).indexOf(0x0d);
  if (carriageReturn >= 0 && start + carriageReturn + 1 !== lineFeed) return start + carriageReturn + 1;
  return lineFeed < 0 ? undefined : lineFeed + 1;
}

/**
 * Files without any quoting (most tab-separated ones) hold quotes as plain text, as in `5" pipe`. Such a line is read again with
 * quotes inside a cell taken literally; the count of cells decides later whether that reading holds.
 */
function withLiteralQuotes(line: Buffer, dialect: Dialect): CellRow | undefined {
  if (dialect.encoding === 'utf-8' && !isUtf8(line)) return undefined;
  try {
    const [cells, ...more] = parse(line, { ...csvOptions(dialect), relax_quotes: true }) as string[][];
    if (!cells || more.length > 0) return undefined;
    return { cells: dialect.encoding === 'latin1' ? cells.map(fromWindows1252) : cells };
  } catch (error) {
    if (error instanceof CsvError) return undefined;
    throw error;
  }
}

/** Rows with the cells under their column names; a row with too few or too many cells is a problem. */
export function csvFramer(dialect: Dialect, header: readonly string[]): Framer {
  return (block, at) => {
    const { records, consumed, then } = splitCells(block, at, dialect);
    return { rows: records.map((record) => named(record, header, dialect.delimiter)), consumed, then };
  };
}

function named(record: CellRow, header: readonly string[], delimiter: string): ParsedRow {
  if (!('cells' in record)) return record;
  const { cells } = record;
  // Empty cells beyond the header come from a separator at the end of the line; nothing is lost with them.
  const surplus = cells.length > header.length && cells.slice(header.length).some((cell) => cell !== '');
  if (cells.length < header.length || surplus) {
    const reason = `the row has ${cells.length} cells and the header ${header.length}; quote cells that hold the separator, and export empty cells too`;
    return problemRow('malformed_row', reason, cells.join(delimiter));
  }
  const values: Record<string, string> = {};
  for (let index = 0; index < header.length; index += 1) {
    values[header[index] as string] = cells[index] as string;
  }
  return { values };
}

function csvOptions(dialect: Dialect): Options {
  return {
    delimiter: dialect.delimiter,
    encoding: dialect.encoding === 'utf-8' ? 'utf8' : 'latin1',
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
  };
}

function isBlank(cells: readonly string[]): boolean {
  for (const cell of cells) if (cell.trim() !== '') return false;
  return true;
}

function preview(bytes: Buffer, dialect: Dialect): string {
  return decode(bytes.subarray(0, 200), dialect.encoding).trimEnd();
}
