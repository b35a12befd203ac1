// Reads a body into memory within limits. What is beyond them is never held: a bomb costs one chunk.
import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { Transform } from 'node:stream';

export class TooLongError extends Error {
  override readonly name = 'TooLongError';
}

/** Gzip that is cut off, or none at all. */
export class BadCompressionError extends Error {
  override readonly name = 'BadCompressionError';
}

/** All bodies together are more than the server holds at once. */
export class NoCapacityError extends Error {
  override readonly name = 'NoCapacityError';
}

/** The sender went away, or was too slow: nobody waits for an answer. */
export class GoneError extends Error {
  override readonly name = 'GoneError';
}

/** Too few bytes came in too long a time. */
export class TooSlowError extends Error {
  override readonly name = 'TooSlowError';
}

/** Memory that the bytes of a body are taken from as they come. */
export interface BodyCapacity {
  /** @returns false, and takes nothing, when there is not that much left */
  take(bytes: number): boolean;
  release(bytes: number): void;
}

export interface MeasuredCapacity extends BodyCapacity {
  readonly capacity: number;
  /** Bytes that are taken now. */
  used(): number;
}

/** One pool, of which whoever comes first may take all. */
export function createBodyCapacity(capacity: number): MeasuredCapacity {
  let used = 0;
  return {
    capacity,
    used: () => used,
    take(bytes) {
      if (used + bytes > capacity) return false;
      used += bytes;
      return true;
    },
    release(bytes) {
      used -= bytes;
    },
  };
}

/** How fast a body has to come. */
export interface Pace {
  /** Longest time without a byte; the rate is measured over each span of this length. */
  readonly idleMs: number;
  /** As they come, before decompression. */
  readonly minBytesPerSecond: number;
}

export interface BodyLimits {
  /** After decompression. */
  readonly maxBytes: number;
  readonly capacity: BodyCapacity;
  /** Without it, as slowly as the server lets it. */
  readonly pace?: Pace;
}

/** What compression may add to bytes that don't compress: 5 a block and some for the frame, taken generously. */
function longestCompressed(maxBytes: number): number {
  return maxBytes + Math.ceil(maxBytes / 100) + 1024;
}

/** Does the declared length alone say that it is too long? */
export function isDeclaredTooLong(req: IncomingMessage, compressed: boolean, maxBytes: number): boolean {
  const declared = Number(req.headers['content-length'] ?? 0);
  return declared > (compressed ? longestCompressed(maxBytes) : maxBytes);
}

/**
 * The whole body, decompressed. Its bytes stay taken from `room` until the caller releases them; on an error none are,
 * and the request stands still where it was read to.
 * @throws TooLongError, BadCompressionError, NoCapacityError, TooSlowError, GoneError
 */
export function readBody(
  req: IncomingMessage,
  decoder: Transform | null,
  { maxBytes, capacity, pace }: BodyLimits,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const source = decoder ?? req;
    let length = 0;
    let compressed = 0;

    const stop = (): void => {
      watch.stop();
      req.off('data', watch.onData).off('data', onCompressed).off('close', onClose).off('error', onClose);
      source.off('data', onData).off('end', onEnd);
      if (decoder === null) return;
      req.unpipe(decoder);
      // What it says from now on is of no interest, and must not end the process.
      decoder.off('error', onBroken).on('error', () => undefined);
      decoder.destroy();
    };
    const fail = (error: Error): void => {
      stop();
      req.pause();
      capacity.release(length);
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      if (length + chunk.length > maxBytes) return fail(new TooLongError());
      if (!capacity.take(chunk.length)) return fail(new NoCapacityError());
      length += chunk.length;
      chunks.push(chunk);
    };
    const onCompressed = (chunk: Buffer): void => {
      compressed += chunk.length;
      // Empty blocks come without end and decompress to nothing.
      if (compressed > longestCompressed(maxBytes)) fail(new TooLongError());
    };
    const onEnd = (): void => {
      stop();
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length));
    };
    const onBroken = (error: Error): void => fail(new BadCompressionError(error.message, { cause: error }));
    const onClose = (): void => {
      if (!req.complete) fail(new GoneError());
    };

    const watch = pace === undefined ? UNWATCHED : watchPace(pace, () => fail(new TooSlowError()));
    req.on('data', watch.onData).on('close', onClose).on('error', onClose);
    source.on('data', onData).on('end', onEnd);
    if (decoder === null) return;
    req.on('data', onCompressed);
    decoder.on('error', onBroken);
    req.pipe(decoder);
  });
}

const UNWATCHED = { onData: (): void => undefined, stop: (): void => undefined };

/** Calls `tooSlow` once, when nothing has come for `idleMs`, or too little in a span of that length. */
function watchPace({ idleMs, minBytesPerSecond }: Pace, tooSlow: () => void) {
  const least = (minBytesPerSecond * idleMs) / 1000;
  let lastAt = performance.now();
  let begunAt = lastAt;
  let bytes = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    const spanIsOver = now - begunAt >= idleMs;
    if (now - lastAt >= idleMs || (spanIsOver && bytes < least)) {
      clearInterval(timer);
      tooSlow();
    } else if (spanIsOver) {
      begunAt = now;
      bytes = 0;
    }
  }, idleMs / 4);
  return {
    onData: (chunk: Buffer): void => {
      lastAt = performance.now();
      bytes += chunk.length;
    },
    stop: () => clearInterval(timer),
  };
}
