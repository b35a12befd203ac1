// The cursor of a file: place, dialect and fingerprint, checked when it comes back.
import { type SourceCursor, SourceError } from '../contracts/wire/source.ts';
import type { Fingerprint } from './file.ts';
import type { Extent, Place } from './pages.ts';

export interface FileCursor extends Place, Extent, Fingerprint {
  readonly format: 'csv-1' | 'jsonl-1';
  /** What a scan of all rows found; `''` when there was none. */
  readonly scan: string;
}

export interface CsvCursor extends FileCursor {
  readonly format: 'csv-1';
  readonly delimiter: string;
  readonly header: readonly string[];
}

/** Makes a JSON-safe cursor out of its parts. */
export function writeCursor(cursor: FileCursor | CsvCursor): SourceCursor {
  return { ...cursor };
}

/** @throws SourceError `changed` when the cursor was not made by this kind of source. */
export function readCursor<T extends FileCursor>(cursor: SourceCursor, format: T['format'], path: string): T {
  if (cursor.format !== format || typeof cursor.offset !== 'number' || typeof cursor.row !== 'number') {
    const message = `the place to go on from in "${path}" was made for another kind of source; start a new run`;
    throw new SourceError('changed', message);
  }
  return cursor as unknown as T;
}
