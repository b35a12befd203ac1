// The CSV source: finds header, delimiter and encoding once, then reads pages from byte offsets.
import type { CsvSource } from '../contracts/config.ts';
import { type Source, type SourceCursor, SourceError } from '../contracts/source.ts';
import { type CellRow, csvFramer, type Dialect, splitCells } from './csv-rows.ts';
import { type CsvCursor, readCursor, writeCursor } from './cursor.ts';
import { decode, detectEncoding, type Encoding } from './encoding.ts';
import { requireSame, type SourceFile, withFile } from './file.ts';
import { readRows } from './pages.ts';

const DELIMITERS = [',', ';', '\t', '|'] as const;

/**
 * A CSV file with a header. Rows are numbered from 1 below the header; blank lines and lines of separators only are no rows.
 *
 * - A column without a name becomes `column N` (N counted from 1); a repeated name gets ` (2)`, ` (3)`, as spreadsheets do.
 * - `sep=;` in the first line, as Excel writes it, names the delimiter. Otherwise the one that splits the header and the
 *   first 20 rows most evenly is taken.
 * - A row with too few or too many cells, a broken quote or bytes outside the encoding is a problem row, and reading goes on.
 */
export function csvSource(config: CsvSource, baseDir: string): Source {
  return {
    read: (cursor, options) =>
      withFile(config.path, baseDir, async (file) => {
        const at = cursor ? resume(cursor, file) : await begin(file, config, options.signal);
        const frame = csvFramer(at, at.header);
        const { rows, next } = await readRows(file, at, frame, options);
        const { size } = file.fingerprint;
        return {
          rows,
          next: next.offset < size ? writeCursor({ ...at, ...next }) : null,
          progress: size === 0 ? 1 : next.offset / size,
        };
      }),
  };
}

function resume(cursor: SourceCursor, file: SourceFile): CsvCursor {
  const at = readCursor<CsvCursor>(cursor, 'csv-1', file.name);
  requireSame(file, at);
  return at;
}

async function begin(file: SourceFile, config: CsvSource, signal?: AbortSignal): Promise<CsvCursor> {
  const encoding =
    config.encoding === 'auto'
      ? file.bomBytes > 0
        ? 'utf-8'
        : await detectEncoding(file, signal)
      : config.encoding;
  const separator = separatorLine(file, encoding);
  const body = file.head.subarray(separator.end);
  const last = file.head.length >= file.fingerprint.size;
  const delimiter =
    config.delimiter !== 'auto' ? config.delimiter : (separator.delimiter ?? sniff(body, last, encoding));
  const first = firstRecord(body, last, { delimiter, encoding });
  return {
    format: 'csv-1',
    ...file.fingerprint,
    encoding,
    delimiter,
    header: headerOf(first.record, file.name),
    offset: separator.end + first.end,
    row: 0,
  };
}

/** The first record that is not blank, and where it ends. */
function firstRecord(body: Buffer, last: boolean, dialect: Dialect): { record?: CellRow; end: number } {
  let end = 0;
  while (end < body.length) {
    const found = splitCells(body.subarray(end), { limit: 1, last, full: true }, dialect);
    end += found.consumed;
    if (found.records[0] || found.consumed === 0) return { record: found.records[0], end };
  }
  return { end };
}

/** Excel's own first line, `sep=;`, and where the table begins behind it (or behind the byte order mark). */
function separatorLine(file: SourceFile, encoding: Encoding): { end: number; delimiter?: string } {
  const start = file.bomBytes;
  const line = decode(file.head.subarray(start, start + 16), encoding);
  const found = /^"?sep=([^\r\n"])"?(?:\r\n|\n|\r)/i.exec(line);
  return found ? { end: start + Buffer.byteLength(found[0]), delimiter: found[1] } : { end: start };
}

/** The delimiter under which most of the first rows have the header's count of cells; more columns win a tie. */
function sniff(body: Buffer, last: boolean, encoding: Encoding): string {
  let best = { delimiter: ',', even: 0, columns: 1 };
  for (const delimiter of DELIMITERS) {
    const { records } = splitCells(body, { limit: 21, last, full: true }, { delimiter, encoding });
    const [columns = 0, ...counts] = records.map((record) => ('cells' in record ? record.cells.length : 0));
    if (columns < 2) continue;
    const even = counts.length === 0 ? 1 : counts.filter((count) => count === columns).length / counts.length;
    if (best.columns < 2 || even > best.even || (even === best.even && columns > best.columns)) {
      best = { delimiter, even, columns };
    }
  }
  return best.delimiter;
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
    // As an object key, this one name would not hold a value.
    const base = trimmed === '' || trimmed === '__proto__' ? `column ${index + 1}` : trimmed;
    let distinct = base;
    for (let copy = 2; taken.has(distinct); copy += 1) distinct = `${base} (${copy})`;
    taken.add(distinct);
    return distinct;
  });
}
