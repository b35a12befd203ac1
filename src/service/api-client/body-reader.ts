// Collects one answer body. It decodes gzip, deflate and br as the body streams, and stops at the cap on decoded bytes.
// So a compression bomb takes no more memory than a normal answer.
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

export type BodyProblem = 'too_large' | 'undecodable';

export interface BodyFlow {
  pause(): void;
  resume(): void;
  /** Called once, with the decoded body or the reason why there is none. */
  done(body: Buffer | BodyProblem): void;
}

export const ACCEPT_ENCODING = 'gzip, deflate, br';

function decoderFor(encoding: string, first: Buffer): Transform | null {
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip();
  if (encoding === 'br') return createBrotliDecompress();
  if (encoding !== 'deflate') return null;
  // Some servers send raw deflate under this name. A zlib stream always begins with method 8.
  return ((first[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw();
}

export class BodyReader {
  readonly #encoding: string;
  readonly #cap: number;
  readonly #flow: BodyFlow;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #rawSize = 0;
  #decoder: Transform | null = null;
  #done = false;

  constructor(contentEncoding: string | null, cap: number, flow: BodyFlow) {
    const encoding = (contentEncoding ?? '').toLowerCase();
    this.#encoding = encoding === 'identity' ? '' : encoding;
    this.#cap = cap;
    this.#flow = flow;
  }

  write(chunk: Buffer): void {
    if (this.#done) return;
    this.#rawSize += chunk.length;
    if (this.#rawSize > this.#cap) return this.#finish('too_large');
    if (this.#encoding === '') return this.#collect(chunk);
    const decoder = this.#decoder ?? this.#open(chunk);
    if (decoder === null) return this.#finish('undecodable');
    if (!decoder.write(chunk)) {
      this.#flow.pause();
      decoder.once('drain', () => this.#flow.resume());
    }
  }

  end(): void {
    if (this.#done) return;
    if (this.#decoder === null) return this.#finish(Buffer.concat(this.#chunks));
    this.#decoder.end();
  }

  /** Discards what was collected. `done` is not called afterwards. */
  destroy(): void {
    this.#done = true;
    this.#chunks.length = 0;
    this.#decoder?.destroy();
  }

  #open(first: Buffer): Transform | null {
    const decoder = decoderFor(this.#encoding, first);
    if (decoder === null) return null;
    decoder.on('data', (part: Buffer) => this.#collect(part));
    decoder.on('end', () => this.#finish(Buffer.concat(this.#chunks)));
    decoder.on('error', () => this.#finish('undecodable'));
    this.#decoder = decoder;
    return decoder;
  }

  #collect(part: Buffer): void {
    if (this.#done) return;
    this.#size += part.length;
    if (this.#size > this.#cap) return this.#finish('too_large');
    this.#chunks.push(part);
  }

  #finish(result: Buffer | BodyProblem): void {
    if (this.#done) return;
    this.destroy();
    this.#flow.done(result);
  }
}
