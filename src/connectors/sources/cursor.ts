// The cursor of a file: offset, dialect and fingerprint. It is validated when it returns.
import { type Fingerprint, type SourceCursor, SourceError } from '../../core/source.ts';
import type { Extent, Place } from './pages.ts';

export interface FileCursor extends Place, Extent, Fingerprint {
  readonly format: 'csv-1' | 'jsonl-1';
  /** Result of a scan of all rows. `''` without a scan. */
  readonly scan: string;
}

export interface CsvCursor extends FileCursor {
  readonly format: 'csv-1';
  readonly delimiter: string;
  readonly header: readonly string[];
}

/** Builds a JSON-safe cursor from its parts. */
export function writeCursor(cursor: FileCursor | CsvCursor): SourceCursor {
  return { ...cursor };
}

/** @throws SourceError `changed` when another kind of source made the cursor */
export function readCursor<T extends FileCursor>(cursor: SourceCursor, format: T['format'], path: string): T {
  if (cursor.format !== format || typeof cursor.offset !== 'number' || typeof cursor.row !== 'number') {
    const message = `the place to go on from in "${path}" was made for another kind of source; start a new run`;
    throw new SourceError('changed', message);
  }
  return cursor as unknown as T;
}
