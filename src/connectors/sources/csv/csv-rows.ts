// Splits a block of CSV text into records with csv-parse. If a broken quote makes the end of a cell uncertain, reading
// stops: the text after it may be inside that cell, and no inner text may become a record.
import { isUtf8 } from 'node:buffer';
import { CsvError, type Options, parse } from 'csv-parse/sync';
import { badEncoding, type Framed, type FramerAt, type ParsedRow, problemRow, TOO_LONG } from '../pages.ts';
import { checkCells, hasQuotedCell, isMultiline, sideOf } from './csv-quotes.ts';

export interface Dialect {
  readonly delimiter: string;
  /** Encoding of the file, for messages. The text itself is UTF-8 here. */
  readonly encoding: string;
  /** Number of columns in the header. 0 while unknown. */
  readonly columns: number;
}

/** One record as an array of cells, or the reason why there is none. */
export type CellRow =
  | {
      readonly cells: string[];
      /** The quotes were read differently from RFC 4180. That is valid only if the cell count equals the header's. */
      readonly exact?: true;
    }
  | ParsedRow;

export interface Cells {
  readonly records: readonly CellRow[];
  readonly consumed: number;
  readonly then: Framed['then'];
}

/**
 * Returns up to `limit` records of a block that begins at a record boundary. A record that touches the end of a block
 * may continue in the next one, so it is left for that block unless the table ends there. The rows therefore never
 * depend on where blocks or pages end.
 */
export function splitCells(block: Buffer, at: FramerAt, dialect: Dialect): Cells {
  return splitPlain(block, at, dialect) ?? splitWithParser(block, at, dialect);
}

const [LINE_FEED, CARRIAGE_RETURN, QUOTE] = [0x0a, 0x0d, 0x22];

/**
 * The same for a block without quotes, as in most exports. It is ten times as fast as the parser. Null where only the
 * parser can decide: quotes, a lone carriage return, broken bytes, no whole row.
 */
export function splitPlain(block: Buffer, at: FramerAt, dialect: Dialect): Cells | null {
  if (block.includes(QUOTE)) return null;
  const whole = at.last ? block : block.subarray(0, block.lastIndexOf(LINE_FEED) + 1);
  if (!isUtf8(whole)) return null;
  const records: CellRow[] = [];
  let seen = 0;
  let consumed = 0;
  while (seen < at.limit && consumed < block.length) {
    // Decodes as many lines together as fit. The line after the last may be cut off.
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
    const lines = block.toString('utf8', consumed, end).split('\n');
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
export function splitWithParser(block: Buffer, at: FramerAt, dialect: Dialect): Cells {
  const records: CellRow[] = [];
  const strict = !isUtf8(block);
  let consumed = 0;
  let seen = 0;
  /** Set when nothing more of this block counts. */
  let stopped: 'stop' | 'grow' | undefined;
  const options: Options = {
    ...csvOptions(dialect),
    to: at.limit,
    on_record: (cells: string[], info) => {
      if (stopped !== undefined || (info.bytes >= block.length && !at.last)) return null;
      const bytes = block.subarray(consumed, info.bytes);
      if (bytes.includes(QUOTE)) {
        const multiline = spansLines(bytes) && isMultiline(cells);
        const broken = multiline ? checkCells(cells, dialect) : undefined;
        const side = sideOf(block, info.bytes, { last: at.last, delimiter: dialect.delimiter });
        if (side === 'unknown' && (consumed > 0 || !at.full)) {
          stopped = 'grow';
          return null;
        }
        const certain = side === 'outside' || (side === 'either' && broken === undefined);
        if (!certain) stopped = 'stop';
        if (!certain || broken !== undefined) {
          const why = broken ?? 'does not pair with the next quote of the file';
          const reason = cellReason(why, at.row + records.length + 1, certain);
          records.push(problemRow('malformed_row', reason, preview(bytes)));
          seen += 1;
          consumed = info.bytes;
          return null;
        }
      }
      seen += 1;
      consumed = info.bytes;
      // Spreadsheets leave rows of separators below the table. They are empty and skipped.
      if (isBlank(cells)) return null;
      if (strict && !isUtf8(bytes))
        records.push(problemRow('bad_encoding', badEncoding(dialect.encoding), preview(bytes)));
      else records.push({ cells });
      return null;
    },
  };
  try {
    parse(block, options);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    if (stopped === undefined) return goOnAfter(error.code, block, { ...at, consumed }, records, dialect);
  }
  if (stopped === 'stop') return { records, consumed, then: 'stop' };
  if (stopped === 'grow') return { records, consumed, then: consumed > 0 ? 'go-on' : 'grow' };
  if (seen >= at.limit) return { records, consumed, then: 'go-on' };
  if (at.last) return { records, consumed: block.length, then: 'go-on' };
  if (consumed > 0) return { records, consumed, then: 'go-on' };
  if (!at.full) return { records, consumed: 0, then: 'grow' };
  records.push(problemRow('malformed_row', TOO_LONG, preview(block)));
  return { records, consumed: 0, then: 'skip-line' };
}

/** Returns whether the record has a line break before its end. Blank lines above it count too. */
function spansLines(bytes: Buffer): boolean {
  const feed = bytes.indexOf(LINE_FEED);
  if (feed >= 0 && feed < bytes.length - 1) return true;
  const back = bytes.indexOf(CARRIAGE_RETURN);
  return back >= 0 && back < bytes.length - 2;
}

const REASONS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'is never closed',
  CSV_INVALID_CLOSING_QUOTE: 'has text after its closing quote',
  INVALID_OPENING_QUOTE: 'has spaces before its quote, or an inner quote that is not doubled',
};

/** The row at `consumed` stopped the parser. */
function goOnAfter(
  code: string,
  block: Buffer,
  at: FramerAt & { consumed: number },
  records: CellRow[],
  dialect: Dialect,
): Cells {
  const unfinished = code === 'CSV_QUOTE_NOT_CLOSED' && !at.last;
  // A quoted cell may continue in the next block. Only a row that fills a block of the maximum size is given up.
  if (unfinished && at.consumed > 0) return { records, consumed: at.consumed, then: 'go-on' };
  if (unfinished && !at.full) return { records, consumed: 0, then: 'grow' };
  let start = at.consumed;
  while (block[start] === LINE_FEED || block[start] === CARRIAGE_RETURN) start += 1;
  const end = lineEnd(block, start);
  if (end === undefined && !at.last && !unfinished) {
    if (at.consumed > 0) return { records, consumed: at.consumed, then: 'go-on' };
    if (!at.full) return { records, consumed: 0, then: 'grow' };
    records.push(problemRow('malformed_row', TOO_LONG, preview(block)));
    return { records, consumed: 0, then: 'skip-line' };
  }
  const line = block.subarray(start, end);
  const rescued = code === 'INVALID_OPENING_QUOTE' ? withinLine(line, dialect) : undefined;
  if (rescued !== undefined) {
    const behind = end ?? block.length;
    const literal = rescued.literal && !hasQuotedCell(block, behind, dialect.delimiter);
    const side = literal ? 'outside' : sideOf(block, behind, { last: at.last, delimiter: dialect.delimiter });
    if (side === 'unknown' && at.consumed > 0) return { records, consumed: at.consumed, then: 'go-on' };
    if (side === 'unknown' && !at.full) return { records, consumed: 0, then: 'grow' };
    if (side === 'outside') {
      records.push({ cells: rescued.cells, exact: true });
      return { records, consumed: behind, then: 'go-on' };
    }
  }
  const broken = REASONS[code] ?? 'is not valid CSV';
  const reason = cellReason(broken, at.row + records.length + 1, false);
  records.push(problemRow('malformed_row', reason, preview(line)));
  return { records, consumed: at.consumed, then: 'stop' };
}

function cellReason(broken: string, row: number, certain: boolean): string {
  const cell = `a quoted cell that begins in row ${row} ${broken}; close it, and double every quote inside it`;
  if (certain) return `${cell}. The lines inside it are not read as rows`;
  return `${cell}. Its end is uncertain, so Sluice reads nothing from row ${row} to the end of the file`;
}

/** Offset after the line that contains `start`. Undefined if the block ends first. */
function lineEnd(block: Buffer, start: number): number | undefined {
  const lineFeed = block.indexOf(LINE_FEED, start);
  const carriageReturn = block.subarray(start, lineFeed < 0 ? undefined : lineFeed).indexOf(CARRIAGE_RETURN);
  if (carriageReturn >= 0 && start + carriageReturn + 1 !== lineFeed) return start + carriageReturn + 1;
  return lineFeed < 0 ? undefined : lineFeed + 1;
}

const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Reads a row with a quote in an unquoted cell. Files without quoting (most tab-separated ones) contain quotes as plain
 * text, as in `5" pipe`. Others have spaces before quoted cells, or a byte order mark where two files were joined. Each
 * reading must end with the line; the cell count decides later whether it is valid. A cell that opens after spaces and
 * does not close on its line may continue below, so there is no row.
 */
function withinLine(line: Buffer, dialect: Dialect): { cells: string[]; literal: boolean } | undefined {
  if (!isUtf8(line)) return undefined;
  const bytes = line.subarray(0, 3).equals(MARK) ? line.subarray(3) : line;
  const opens = bytes
    .toString('utf8')
    .split(dialect.delimiter)
    .some((cell) => /^\s*"/.test(cell));
  const cells = parseLine(bytes, dialect, opens ? { ltrim: true, rtrim: true } : { relax_quotes: true });
  if (cells === undefined) return undefined;
  // The mark stays for the caller, who stops there.
  if (bytes !== line) cells[0] = `\ufeff${cells[0] ?? ''}`;
  return { cells, literal: !opens };
}

function parseLine(line: Buffer, dialect: Dialect, more: Options): string[] | undefined {
  try {
    const [cells, ...others] = parse(line, { ...csvOptions(dialect), ...more }) as string[][];
    return others.length > 0 ? undefined : cells;
  } catch (error) {
    if (error instanceof CsvError) return undefined;
    throw error;
  }
}

function csvOptions(dialect: Dialect): Options {
  return {
    delimiter: dialect.delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
  };
}

export function isBlank(cells: readonly string[]): boolean {
  for (const cell of cells) if (cell.trim() !== '') return false;
  return true;
}

function preview(bytes: Buffer): string {
  return bytes.toString('utf8', 0, 200).trimEnd();
}
