// Reads a page of rows out of a file: blocks in, rows and the offset of the next row out. CSV and JSONL differ in the framer only.
import type { RowProblem } from '../contracts/record.ts';
import type { SourceRow } from '../contracts/source.ts';
import { readAt, type SourceFile } from './file.ts';

/** The largest row that is read; a longer one is a problem row and passes by without being held in memory. */
export const MAX_ROW_BYTES = 1024 * 1024;

const BLOCK_BYTES = 256 * 1024;

// A page ends early after this many bytes, so that 500 rows of 1 MB each do not make one page of 500 MB.
const MAX_PAGE_BYTES = 8 * 1024 * 1024;

export type ParsedRow = Pick<SourceRow, 'values' | 'problem'>;

export interface Framed {
  readonly rows: readonly ParsedRow[];
  /** How many bytes of the block are behind these rows: always a row boundary, unless `then` is `skip-line`. */
  readonly consumed: number;
  /** `grow`: not one whole row is in the block. `skip-line`: the last row's line goes on behind the block; leave it out. */
  readonly then: 'go-on' | 'grow' | 'skip-line';
}

/** Finds up to `limit` rows in a block that begins at a row boundary. `last`: the file ends with the block. `full`: it can't grow. */
export type Framer = (block: Buffer, at: { limit: number; last: boolean; full: boolean }) => Framed;

export interface Place {
  readonly offset: number;
  /** Number of the row before `offset`. */
  readonly row: number;
}

export async function readRows(
  file: SourceFile,
  from: Place,
  frame: Framer,
  options: { limit: number; signal?: AbortSignal },
): Promise<{ rows: SourceRow[]; next: Place }> {
  const { size } = file.fingerprint;
  const rows: SourceRow[] = [];
  let { offset, row } = from;
  let blockBytes = BLOCK_BYTES;
  while (rows.length < options.limit && offset < size && offset - from.offset < MAX_PAGE_BYTES) {
    options.signal?.throwIfAborted();
    const block = await readAt(file.handle, offset, Math.min(blockBytes, size - offset));
    // A file cut short while it is read ends here; the fingerprint check on closing tells of it.
    if (block.length === 0) break;
    const framed = frame(block, {
      limit: options.limit - rows.length,
      last: offset + block.length >= size,
      full: block.length >= MAX_ROW_BYTES,
    });
    for (const parsed of framed.rows) {
      row += 1;
      rows.push({ row, ...parsed });
    }
    offset += framed.consumed;
    if (framed.then === 'skip-line') offset = await afterLineFeed(file, offset, options.signal);
    blockBytes = framed.then === 'grow' ? Math.min(blockBytes * 2, MAX_ROW_BYTES) : BLOCK_BYTES;
  }
  return { rows, next: { offset, row } };
}

/** The offset behind the next line feed, or the end of the file. */
async function afterLineFeed(file: SourceFile, from: number, signal?: AbortSignal): Promise<number> {
  const { size } = file.fingerprint;
  for (let offset = from; offset < size; ) {
    signal?.throwIfAborted();
    const block = await readAt(file.handle, offset, BLOCK_BYTES);
    if (block.length === 0) break;
    const at = block.indexOf(0x0a);
    if (at >= 0) return offset + at + 1;
    offset += block.length;
  }
  return size;
}

/** A row that can't be read. `raw` goes to the ledger for the operator: personal data, cut short. */
export function problemRow(code: string, reason: string, raw?: string): ParsedRow {
  const problem: RowProblem = { field: 'row', code, reason };
  if (raw !== undefined) problem.value = raw.replaceAll('\u0000', '').slice(0, 200);
  return { values: null, problem };
}

export const TOO_LONG = `the row is longer than ${MAX_ROW_BYTES / 1024 / 1024} MB; shorten it, or leave the long column out of the export`;
export const BAD_ENCODING =
  'the row holds bytes that are not UTF-8; export the file as UTF-8, or set `encoding: latin1` on the source';
