// Reads a body into memory within limits. It never keeps bytes beyond them: a compression bomb costs one chunk.
import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { Transform } from 'node:stream';

export class TooLongError extends Error {
  override readonly name = 'TooLongError';
}

/** Gzip that is truncated or invalid. */
export class BadCompressionError extends Error {
  override readonly name = 'BadCompressionError';
}

/** All bodies together exceed the memory that the server allows. */
export class NoCapacityError extends Error {
  override readonly name = 'NoCapacityError';
}

/** The sender disconnected or was too slow. Nobody waits for an answer. */
export class GoneError extends Error {
  override readonly name = 'GoneError';
}

/** Too few bytes arrived in the allowed time. */
export class TooSlowError extends Error {
  override readonly name = 'TooSlowError';
}

/** Memory budget for the bytes of a body as they arrive. */
export interface BodyCapacity {
  /** @returns false, taking nothing, if not enough is left */
  take(bytes: number): boolean;
  release(bytes: number): void;
}

export interface MeasuredCapacity extends BodyCapacity {
  readonly capacity: number;
  /** Bytes taken now. */
  used(): number;
}

/** One pool, first come, first served. */
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

/** Minimum speed of a body. */
export interface Pace {
  /** Longest time without a byte. The rate is measured over each span of this length. */
  readonly idleMs: number;
  /** Bytes as they arrive, before decompression. */
  readonly minBytesPerSecond: number;
}

export interface BodyLimits {
  /** After decompression. */
  readonly maxBytes: number;
  readonly capacity: BodyCapacity;
  /** Without it, the server's own timeouts apply. */
  readonly pace?: Pace;
}

/** Overhead of compression for incompressible bytes: 5 per block and some for the frame, rounded up. */
function longestCompressed(maxBytes: number): number {
  return maxBytes + Math.ceil(maxBytes / 100) + 1024;
}

/** Whether the declared length alone exceeds the limit. */
export function isDeclaredTooLong(req: IncomingMessage, compressed: boolean, maxBytes: number): boolean {
  const declared = Number(req.headers['content-length'] ?? 0);
  return declared > (compressed ? longestCompressed(maxBytes) : maxBytes);
}

/**
 * Returns the whole body, decompressed. Its bytes stay taken from `capacity` until the caller releases them. After an
 * error none are taken, and the request is paused where reading stopped.
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
      // Later errors of the request are irrelevant and must not end the process.
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
      // An endless series of empty blocks decompresses to nothing.
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

/** Calls `tooSlow` once, when nothing has arrived for `idleMs`, or too little in a span of that length. */
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
