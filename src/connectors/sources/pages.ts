// Reads a page of rows from a file: it turns blocks into rows and the offset of the next row. CSV and JSONL differ in
// the framer only.
import type { RowProblem } from '../../core/record.ts';
import type { SourceNote, SourceRow } from '../../core/source.ts';
import { type Codec, codecFor } from './codec.ts';
import { readAt, type SourceFile } from './file.ts';

/** Maximum size of a row. A longer one is a problem row and is skipped without being kept in memory. */
const MAX_ROW_BYTES = 1024 * 1024;

const BLOCK_BYTES = 256 * 1024;

// A page ends early after this many bytes: 500 rows of 1 MB each must not make one page of 500 MB.
const MAX_PAGE_BYTES = 8 * 1024 * 1024;

export type ParsedRow = Pick<SourceRow, 'values' | 'problem'>;

export interface Framed {
  readonly rows: readonly ParsedRow[];
  /** Number of bytes of the block up to the end of these rows. It is a row boundary unless `then` is `skip-line`. */
  readonly consumed: number;
  /**
   * `grow`: the block contains no whole row. `skip-line`: the line of the last row continues after the block and is
   * skipped. `stop`: the beginning of the next row is uncertain, so reading ends after the last row.
   */
  readonly then: 'go-on' | 'grow' | 'skip-line' | 'stop';
}

/**
 * Finds up to `limit` rows in a block of UTF-8 that begins at a row boundary, after row `row`. `last`: the table ends
 * with the block. `full`: the block cannot grow.
 */
export interface Framer {
  (block: Buffer, at: FramerAt): Framed;
  /** Rows may continue after a line break inside quotes. */
  readonly quotes?: boolean;
}

export interface FramerAt {
  readonly limit: number;
  readonly last: boolean;
  readonly full: boolean;
  readonly row: number;
}

export interface Place {
  /** Offset in bytes of the file. */
  readonly offset: number;
  /** Number of the row before `offset`. */
  readonly row: number;
}

/** The part of a file to read: up to `end`, in an encoding. */
export interface Extent {
  readonly encoding: string;
  readonly end: number;
}

export async function readRows(
  file: SourceFile,
  from: Place & Extent,
  frame: Framer,
  options: { limit: number; signal?: AbortSignal | undefined },
): Promise<{ rows: SourceRow[]; next: Place; cut?: SourceNote }> {
  const size = Math.min(from.end, file.fingerprint.size);
  const codec = codecFor(from.encoding);
  const rows: SourceRow[] = [];
  let { offset, row } = from;
  let blockBytes = BLOCK_BYTES;
  const stopped = async (at: number) => {
    const lines = await countLines(file, { offset: at, size, codec, signal: options.signal });
    const reason = `nothing is read from row ${row} to the end of the file, ${lines} ${lines === 1 ? 'line' : 'lines'}: correct that row and start again`;
    return { rows, next: { offset: size, row }, cut: { code: 'NOT_READ', reason } };
  };
  while (rows.length < options.limit && offset < size && offset - from.offset < MAX_PAGE_BYTES) {
    options.signal?.throwIfAborted();
    const block = await readAt(file.handle, offset, Math.min(blockBytes, size - offset));
    // A file truncated while it is read ends here. The fingerprint check on closing detects that.
    if (block.length === 0) break;
    const { utf8, rawLength } = codec.read(block);
    const framed = frame(utf8, {
      limit: options.limit - rows.length,
      last: offset + block.length >= size,
      full: block.length >= MAX_ROW_BYTES,
      row,
    });
    for (const parsed of framed.rows) {
      row += 1;
      rows.push({ row, ...parsed });
    }
    offset += rawLength(framed.consumed);
    if (framed.then === 'stop') return await stopped(offset);
    if (framed.then === 'skip-line') {
      const skipped = await afterLineFeed(file, { offset, size, codec, signal: options.signal });
      if (frame.quotes && skipped.quotes) return await stopped(offset);
      offset = skipped.offset;
    }
    blockBytes = framed.then === 'grow' ? Math.min(blockBytes * 2, MAX_ROW_BYTES) : BLOCK_BYTES;
  }
  return { rows, next: { offset, row } };
}

interface Rest {
  readonly offset: number;
  readonly size: number;
  readonly codec: Codec;
  readonly signal: AbortSignal | undefined;
}

/** The offset after the next line feed or the end of the table, and whether a quote came before it. */
async function afterLineFeed(file: SourceFile, rest: Rest): Promise<{ offset: number; quotes: boolean }> {
  let quotes = false;
  for await (const { offset, block } of blocks(file, rest)) {
    const behind = rest.codec.afterLineFeed(block);
    quotes ||= block.subarray(0, behind < 0 ? undefined : behind).includes('"');
    if (behind >= 0) return { offset: offset + behind, quotes };
  }
  return { offset: rest.size, quotes };
}

async function countLines(file: SourceFile, rest: Rest): Promise<number> {
  let count = 0;
  let open = false;
  for await (const { block } of blocks(file, rest)) {
    const text = rest.codec.read(block).utf8;
    for (let at = text.indexOf(0x0a); at >= 0; at = text.indexOf(0x0a, at + 1)) count += 1;
    open = text.at(-1) !== 0x0a;
  }
  return count + (open ? 1 : 0);
}

async function* blocks(file: SourceFile, { offset, size, signal }: Rest) {
  for (let at = offset; at < size; ) {
    signal?.throwIfAborted();
    const block = await readAt(file.handle, at, Math.min(BLOCK_BYTES, size - at));
    if (block.length === 0) return;
    yield { offset: at, block };
    at += block.length;
  }
}

/**
 * Builds the row for an unreadable line. `raw` goes to the ledger for the operator; it is personal data and truncated.
 */
export function problemRow(code: string, reason: string, raw?: string): ParsedRow {
  const problem: RowProblem = { field: 'row', code, reason };
  if (raw !== undefined) problem.value = raw.replaceAll('\u0000', '').slice(0, 200);
  return { values: null, problem };
}

export const TOO_LONG = `the row is longer than ${MAX_ROW_BYTES / 1024 / 1024} MB; shorten it, or remove the long column from the export`;

/** Why a row outside its file's encoding is rejected, and the fix. */
export function badEncoding(encoding: string): string {
  return encoding === 'utf-8'
    ? 'the row contains bytes that are not UTF-8, unlike the rest of the file; export the file as UTF-8, or set `encoding` on the source'
    : `the row is not ${encoding}, unlike the rest of the file (parts of several files?); export the file as UTF-8, or set \`encoding\` on the source`;
}
