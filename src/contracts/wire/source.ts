// What a source hands to a sync: rows in pages, with a cursor that survives a restart.
import type { RowProblem } from './record.ts';

/** A place in a source, JSON-safe and opaque to everyone but the source that made it. */
export type SourceCursor = { readonly [key: string]: string | number | boolean | null | readonly string[] };

export interface SourceRow {
  /** 1-based number of the data row (the header is not a row). */
  readonly row: number;
  /** Column or property → value. Null when the row itself could not be read: see `problem`. */
  readonly values: Readonly<Record<string, unknown>> | null;
  readonly problem?: RowProblem;
}

/** What a source found out about itself; goes into the report of whoever reads it. */
export interface SourceNote {
  /** Stable: `ENCODING`, `FOOTER`, `NOT_READ`, … */
  readonly code: string;
  /** Holds no value of a row. */
  readonly reason: string;
}

/** Numbers and addresses are in rows, never in names of columns: such a header is the first row of a file without one. */
export function isLikeData(name: string): boolean {
  return name.replace(/\D/g, '').length >= 6 || name.includes('@');
}

/** Collects over all rows of a source what one row can't tell. */
export interface RowScan {
  add(values: Readonly<Record<string, unknown>>, row: number): void;
  /** Never empty. */
  result(): string;
}

export interface ReadOptions {
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
  /** Watermark of the last finished run, the same at every page of a run. */
  readonly since?: SourceCursor | null;
  /** Files only: sees every row before the first page is handed out. */
  readonly scan?: RowScan | undefined;
}

export interface SourcePage {
  readonly rows: readonly SourceRow[];
  /** Where the next page begins; null at the end of the source. */
  readonly next: SourceCursor | null;
  /** How much of the source is behind `next`, 0..1; null when the source cannot tell. */
  readonly progress: number | null;
  /**
   * Incremental sources only, on the last page (`next` null): where the next run begins to read. It counts only
   * once the run has finished.
   */
  readonly watermark?: SourceCursor;
  /** Columns of a source that names them apart from its rows. */
  readonly columns?: readonly string[];
  readonly notes?: readonly SourceNote[];
  /** What the scan found, on every page, when there was one. */
  readonly scan?: string;
}

export interface Source {
  /**
   * Reads up to `limit` rows from `cursor` (null: the beginning, or behind `since` when the source is incremental).
   * @throws SourceError when the source is missing, unreadable, or changed since the cursor was made.
   */
  read(cursor: SourceCursor | null, options: ReadOptions): Promise<SourcePage>;
}

/** Begins the type of the failure with which a source ends a run; the code of its error follows, in capitals. */
export const SOURCE_FAILURE = 'SOURCE_';

/**
 * - `not_found` no such file, table or address; `unreadable` it is there and can't be read; `changed` it is not the
 *   one that the cursor was made from; `format` it is no table of text; `encoding`; `no_header`; `no_column` it has no
 *   column that the mapping reads the number from
 * - `unreachable` no answer, or a failure of the other side; `busy` the other side, or the pace set, asks to wait
 * - `denied` login or permission; `secret` a secret can't be resolved
 * - `bad_config` the other side refuses what the configuration asks for; `bad_key` the key does not order the rows
 * - `bad_answer` an answer that is not what was asked for; `too_large`; `endless` the pages do not come to an end
 */
export type SourceErrorCode =
  | 'not_found'
  | 'unreadable'
  | 'changed'
  | 'format'
  | 'encoding'
  | 'no_header'
  | 'no_column'
  | 'unreachable'
  | 'busy'
  | 'denied'
  | 'secret'
  | 'bad_config'
  | 'bad_key'
  | 'bad_answer'
  | 'too_large'
  | 'endless';

export interface SourceErrorOptions extends ErrorOptions {
  /** @default false */
  readonly retryable?: boolean;
  readonly retryAfterMs?: number;
}

/** A source that can't be read at all; the message names it, what is wrong and the way out. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  readonly code: SourceErrorCode;
  /** The same read may well succeed later, without anybody changing anything. */
  readonly retryable: boolean;
  /** Milliseconds to wait before that, where the source says so. */
  readonly retryAfterMs: number | undefined;

  constructor(code: SourceErrorCode, message: string, options: SourceErrorOptions = {}) {
    const { retryable = false, retryAfterMs, ...rest } = options;
    super(message, rest);
    this.code = code;
    this.retryable = retryable;
    this.retryAfterMs = retryAfterMs;
  }
}
