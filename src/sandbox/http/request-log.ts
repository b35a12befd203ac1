// Logs every call under the base URL, in the order of the answers, numbered without gaps across restarts. The rows
// are on disk; memory has one offset per 256 rows.
import path from 'node:path';
import { LineFile } from '../state/journal.ts';
import type { FaultKind } from './faults.ts';

const STRIDE = 256;
const PIECE = 1 << 20;

export interface LoggedCall {
  /** When the call came in, ISO 8601. */
  readonly at: string;
  /** SHA-256 of the bearer token, hex; null when none was sent. */
  readonly tokenHash: string | null;
  readonly method: string;
  /** Path below the base URL, without the query. */
  readonly path: string;
  /** Status that the client got; 0 if it got no status line. */
  readonly status: number;
  /** Error code that the client got. */
  readonly code: string | null;
  readonly durationMs: number;
  /** Present only if the client did not get the service's answer. */
  readonly fault?: FaultKind | 'client-gone';
  /** With `fault`: status of the answer whose effect was committed; null if the call reached no endpoint. */
  readonly served?: number | null;
}

export class RequestLog {
  readonly #file: LineFile;
  /** Byte offset of rows 1, 1 + STRIDE, 1 + 2 × STRIDE, … */
  readonly #offsets: number[] = [];
  #seq = 0;

  constructor(dataDir: string) {
    this.#file = new LineFile(path.join(dataDir, 'requests.jsonl'), (_line, offset) => this.#count(offset));
  }

  get lastSeq(): number {
    return this.#seq;
  }

  /** Numbers and writes the call before it returns. */
  append(call: LoggedCall): void {
    const offset = this.#file.length;
    this.#file.append(JSON.stringify({ seq: this.#seq + 1, ...call }));
    this.#count(offset);
  }

  /** `{"requests":[…]}` with all rows whose seq is greater than `since`, in pieces of about 1 MB. */
  *since(since: number): Generator<Buffer> {
    yield Buffer.from('{"requests":[');
    const first = Math.max(0, Math.floor(since)) + 1;
    if (first <= this.#seq) yield* this.#rows(first, this.#file.length);
    yield Buffer.from(']}');
  }

  close(): void {
    this.#file.close();
  }

  /** Lines become list elements by turning the newlines between them into commas. */
  *#rows(first: number, end: number): Generator<Buffer> {
    const slot = Math.floor((first - 1) / STRIDE);
    let skip = (first - 1) % STRIDE;
    let at = this.#offsets[slot] as number;
    while (at < end) {
      let piece = this.#file.read(at, Math.min(end, at + PIECE));
      at += piece.length;
      for (; skip > 0; skip -= 1) {
        const newline = piece.indexOf(10);
        if (newline === -1) break;
        piece = piece.subarray(newline + 1);
      }
      for (let i = piece.indexOf(10); i !== -1; i = piece.indexOf(10, i + 1)) piece[i] = 44;
      yield at === end ? piece.subarray(0, -1) : piece;
    }
  }

  #count(offset: number): void {
    if (this.#seq % STRIDE === 0) this.#offsets.push(offset);
    this.#seq += 1;
  }
}
