// Interface of a source: rows in pages, with a cursor that survives a restart.
import type { NoteParams } from './endpoint.ts';
import type { RowProblem } from './record.ts';

/** Position in a source. It is JSON-safe, and opaque to everyone but the source that made it. */
export type SourceCursor = { readonly [key: string]: string | number | boolean | null | readonly string[] };

export interface SourceRow {
  /** 1-based number of the data row (the header is not a row). */
  readonly row: number;
  /** Column or property → value. Null if the row itself could not be read (see `problem`). */
  readonly values: Readonly<Record<string, unknown>> | null;
  readonly problem?: RowProblem;
}

/** A finding of a source about itself, for the report of the run that reads it. */
export interface SourceNote {
  /** Stable code: `ENCODING`, `FOOTER`, `NOT_READ`, … */
  readonly code: string;
  /** Contains no value of a row. */
  readonly reason: string;
  /** Figures and names of the reason. */
  readonly params?: NoteParams;
}

/**
 * True if a column name looks like a phone number or an address: the file then has no header, and this is its first
 * row.
 */
export function isLikeData(name: string): boolean {
  return name.replace(/\D/g, '').length >= 6 || name.includes('@');
}

/** Collects over all rows of a source what a single row can't show. */
export interface RowScan {
  add(values: Readonly<Record<string, unknown>>, row: number): void;
  /** Never empty. */
  result(): string;
}

export interface ReadOptions {
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
  /** Watermark of the last finished run, the same for every page of a run. */
  readonly since?: SourceCursor | null;
  /** Files only: receives every row before the first page is returned. */
  readonly scan?: RowScan | undefined;
}

/** Identifies a state of a file. If size and head stay the same, only `mtimeMs` shows an edit. */
export interface Fingerprint {
  readonly size: number;
  readonly mtimeMs: number;
  /** Hash of the beginning. */
  readonly head: string;
}

export interface SourcePage {
  readonly rows: readonly SourceRow[];
  /** Start of the next page; null at the end of the source. */
  readonly next: SourceCursor | null;
  /** Share of the source before `next`, 0 to 1; null if the source does not know. */
  readonly progress: number | null;
  /**
   * Incremental sources only, on the last page (`next` is null): where the next run begins to read. It takes effect
   * only after the run has finished.
   */
  readonly watermark?: SourceCursor;
  /** Columns, if the source lists them separately from its rows. */
  readonly columns?: readonly string[];
  readonly notes?: readonly SourceNote[];
  /** CSV files only. */
  readonly file?: Fingerprint;
  /** Result of the scan, on every page, if there was one. */
  readonly scan?: string;
}

export interface Source {
  /**
   * Reads up to `limit` rows from `cursor`. Null reads from the beginning, or after `since` if the source is
   * incremental.
   * @throws SourceError if the source is missing, unreadable, or has changed since the cursor was made
   */
  read(cursor: SourceCursor | null, options: ReadOptions): Promise<SourcePage>;
}

/** Prefix of the failure type with which a source ends a run; the error's code follows in capitals. */
export const SOURCE_FAILURE = 'SOURCE_';

/**
 * - `not_found`: no such file, table or address; `unreadable`: it exists but can't be read; `changed`: it is not the
 *   one that the cursor was made from; `format`: not a text table; `encoding`; `no_header`; `no_column`: the column
 *   of the number is missing
 * - `unreachable`: no response, or a failure of the other side; `busy`: the other side, or the configured pace, asks
 *   to wait
 * - `denied`: login or permission; `secret`: a secret can't be resolved
 * - `bad_config`: the other side refuses what the configuration asks for; `bad_key`: the key does not order the rows
 * - `bad_answer`: an unexpected response; `too_large`; `endless`: the pages do not end
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

/** Thrown when a source can't be read at all. The message names the source, the problem and how to fix it. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  readonly code: SourceErrorCode;
  /** The same read may succeed later without a change. */
  readonly retryable: boolean;
  /** Milliseconds to wait before a retry, if the source names a delay. */
  readonly retryAfterMs: number | undefined;

  constructor(code: SourceErrorCode, message: string, options: SourceErrorOptions = {}) {
    const { retryable = false, retryAfterMs, ...rest } = options;
    super(message, rest);
    this.code = code;
    this.retryable = retryable;
    this.retryAfterMs = retryAfterMs;
  }

  /** `SOURCE_NOT_FOUND`, …: the code as failures of runs and errors of the operator API have it. */
  get failure(): string {
    return `${SOURCE_FAILURE}${this.code.toUpperCase()}`;
  }
}
