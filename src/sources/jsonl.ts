// The JSONL source: one JSON object a line.
import { isUtf8 } from 'node:buffer';
import type { JsonlSource } from '../contracts/config.ts';
import type { Source } from '../contracts/source.ts';
import { type FileCursor, readCursor, writeCursor } from './cursor.ts';
import { decode, detectEncoding, type Encoding } from './encoding.ts';
import { requireSame, type SourceFile, withFile } from './file.ts';
import { isShallow, MAX_DEPTH } from './nesting.ts';
import { BAD_ENCODING, type Framer, type ParsedRow, problemRow, readRows, TOO_LONG } from './pages.ts';

/** A JSONL file. Rows are numbered from 1; blank lines are no rows. A line that is not one JSON object is a problem row. */
export function jsonlSource(config: JsonlSource, baseDir: string): Source {
  return {
    read: (cursor, options) =>
      withFile(config.path, baseDir, async (file) => {
        const at = cursor
          ? readCursor<FileCursor>(cursor, 'jsonl-1', file.name)
          : await begin(file, config, options.signal);
        requireSame(file, at);
        const { rows, next } = await readRows(file, at, jsonlFramer(at.encoding), options);
        const { size } = file.fingerprint;
        return {
          rows,
          next: next.offset < size ? writeCursor({ ...at, ...next }) : null,
          progress: size === 0 ? 1 : next.offset / size,
        };
      }),
  };
}

async function begin(file: SourceFile, config: JsonlSource, signal?: AbortSignal): Promise<FileCursor> {
  const encoding = config.encoding === 'auto' ? await detectEncoding(file, signal) : config.encoding;
  return { format: 'jsonl-1', ...file.fingerprint, encoding, offset: file.bomBytes, row: 0 };
}

function jsonlFramer(encoding: Encoding): Framer {
  return (block, { limit, last, full }) => {
    const rows: ParsedRow[] = [];
    let consumed = 0;
    while (rows.length < limit && consumed < block.length) {
      const lineFeed = block.indexOf(0x0a, consumed);
      if (lineFeed < 0 && !last) break;
      const end = lineFeed < 0 ? block.length : lineFeed;
      const row = parseLine(block.subarray(consumed, end), encoding);
      if (row) rows.push(row);
      consumed = Math.min(end + 1, block.length);
    }
    if (consumed > 0) return { rows, consumed, then: 'go-on' };
    if (!full) return { rows, consumed: 0, then: 'grow' };
    const start = decode(block.subarray(0, 200), encoding);
    return { rows: [problemRow('malformed_row', TOO_LONG, start)], consumed: 0, then: 'skip-line' };
  };
}

function parseLine(bytes: Buffer, encoding: Encoding): ParsedRow | undefined {
  const line = decode(bytes, encoding).trim();
  if (line === '') return undefined;
  if (encoding === 'utf-8' && line.includes('\ufffd') && !isUtf8(bytes)) {
    return problemRow('bad_encoding', BAD_ENCODING, line);
  }
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof RangeError)) throw error;
    // A file with one JSON array over many lines is the usual mistake.
    const hint = /^[[\]]/.test(line) ? '; a JSON array is not JSONL, turn it into one object a line' : '';
    return problemRow(
      'malformed_row',
      `the line is not valid JSON; write one JSON object a line${hint}`,
      line,
    );
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return problemRow(
      'malformed_row',
      'the line is JSON but not an object; write {"column": value, …}',
      line,
    );
  }
  if (!isShallow(value, MAX_DEPTH)) {
    return problemRow(
      'malformed_row',
      `the object is nested deeper than ${MAX_DEPTH} levels; flatten it`,
      line,
    );
  }
  return { values: value as Record<string, unknown> };
}
