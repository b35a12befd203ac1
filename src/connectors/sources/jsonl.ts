// The JSONL source: one JSON object per line.

import { isUtf8 } from 'node:buffer';
import { parseRowJson } from '../../core/json/exact-json.ts';
import type { ReadOptions, Source, SourceNote } from '../../core/source.ts';
import { codecFor } from './codec.ts';
import type { JsonlSource } from './config.ts';
import { findEncoding } from './csv/encoding.ts';
import { describeEncoding } from './csv/encoding-note.ts';
import { scanRows } from './csv/scan.ts';
import { type FileCursor, readCursor, writeCursor } from './cursor.ts';
import { requireSame, type SourceFile, withFile } from './file.ts';
import { refuseMarkup } from './format.ts';
import { isShallow, MAX_DEPTH } from './nesting.ts';
import { badEncoding, type Framer, type ParsedRow, problemRow, readRows, TOO_LONG } from './pages.ts';

/** A JSONL file. Rows count from 1; blank lines are not rows. A line that is not one JSON object is a problem row. */
export function jsonlSource(config: JsonlSource, baseDir: string): Source {
  return {
    read: (cursor, options) =>
      withFile(config.path, baseDir, async (file) => {
        const begun = cursor
          ? { at: readCursor<FileCursor>(cursor, 'jsonl-1', file.name), notes: [] }
          : await begin(file, config, options);
        const { at, notes } = begun;
        requireSame(file, at);
        const { rows, next } = await readRows(file, at, jsonlFramer(at.encoding), options);
        return {
          rows,
          next: next.offset < at.end ? writeCursor({ ...at, ...next }) : null,
          progress: at.end === 0 ? 1 : next.offset / at.end,
          ...(notes.length === 0 ? {} : { notes }),
          ...(at.scan === '' ? {} : { scan: at.scan }),
        };
      }),
  };
}

async function begin(
  file: SourceFile,
  config: JsonlSource,
  options: ReadOptions,
): Promise<{ at: FileCursor; notes: readonly SourceNote[] }> {
  const found = await findEncoding(file, config.encoding, options.signal);
  const { encoding, start } = found;
  refuseMarkup(file.name, codecFor(encoding).read(file.head.subarray(start)).utf8.toString('utf8'));
  const at: FileCursor = {
    format: 'jsonl-1',
    ...file.fingerprint,
    encoding,
    scan: '',
    offset: start,
    end: file.fingerprint.size,
    row: 0,
  };
  const scan = await scanRows(file, at, jsonlFramer(encoding), options);
  return { at: { ...at, scan }, notes: describeEncoding(found) };
}

function jsonlFramer(encoding: string): Framer {
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
    const start = block.toString('utf8', 0, 200);
    return { rows: [problemRow('malformed_row', TOO_LONG, start)], consumed: 0, then: 'skip-line' };
  };
}

function parseLine(bytes: Buffer, encoding: string): ParsedRow | undefined {
  const line = bytes.toString('utf8').trim();
  if (line === '') return undefined;
  if (line.includes('\ufffd') && !isUtf8(bytes)) {
    return problemRow('bad_encoding', badEncoding(encoding), line);
  }
  let value: unknown;
  try {
    value = parseRowJson(line);
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof RangeError)) throw error;
    // The usual mistake is a file with one JSON array over many lines.
    const hint = /^[[\]]/.test(line) ? '; a JSON array is not JSONL, turn it into one object a line' : '';
    return problemRow(
      'malformed_row',
      `the line is not valid JSON; write one JSON object per line${hint}`,
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
