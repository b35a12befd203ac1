// The first step of a request. Cheap checks that refuse the most come first, then the body, then the signature over its
// bytes.
import type { Socket } from 'node:net';
import type { RequestHandler, Response } from 'express';
import { durationMs } from '../../../../core/config/base.ts';
import type { IngressHttp } from '../config.ts';
import { HttpError } from './answers.ts';
import type { Authenticator } from './auth/claim.ts';
import { claimOf } from './authenticate.ts';
import {
  BadCompressionError,
  type BodyCapacity,
  GoneError,
  isDeclaredTooLong,
  NoCapacityError,
  readBody,
  TooLongError,
  TooSlowError,
} from './body.ts';
import { decoderOf } from './media.ts';
import { peerOf } from './peer.ts';
import type { Shares } from './shares.ts';

/** The memory pool of a body. Only senders with a secret can fill the second and third. */
export interface BodyCapacities {
  /** The body is arriving, and only the body can show whether the sender has the secret. */
  readonly unproven: Shares;
  /** The body is arriving from an authenticated sender. */
  readonly proven: Shares;
  /** The body has arrived and is authenticated, until its event has an answer. */
  readonly taken: BodyCapacity;
}

export interface ProverOptions<T> {
  readonly http: Pick<IngressHttp, 'publicUrl' | 'bodyIdleTimeout' | 'minBytesPerSecond'>;
  readonly route: string;
  readonly authenticator: Authenticator;
  readonly capacities: BodyCapacities;
  /** A sender on this connection has authenticated. */
  readonly proved: (socket: Socket) => void;
  /** Maximum length of the body after decompression. */
  readonly maxBytes: number;
  /** When this process last looked for requests. */
  readonly readAfter: () => number;
  /** Reads the Content-Type. @throws HttpError for one that is not accepted */
  readonly typeOf: (contentType: string | undefined) => T;
}

export interface Proven<T> {
  readonly body: Buffer;
  readonly type: T;
  /** When the whole request had arrived, by `performance.now()`: the earliest time that is possible. */
  readonly arrivedAt: number;
}

export interface Prover<T> {
  readonly handler: RequestHandler;
  /** Returns what the handler found, for the handlers after it. */
  found(res: Response): Proven<T>;
}

export function createProver<T>(options: ProverOptions<T>): Prover<T> {
  const { http, route, authenticator, capacities, proved, maxBytes, typeOf } = options;
  const pace = { idleMs: durationMs(http.bodyIdleTimeout), minBytesPerSecond: http.minBytesPerSecond };
  const proven = new WeakMap<Response, Proven<T>>();
  return {
    async handler(req, res, next) {
      const claim = claimOf(req, http.publicUrl);
      if (!authenticator.plausible(claim)) throw unproven(authenticator);
      if (authenticator.byHeaders) proved(req.socket);
      const type = typeOf(claim.header('content-type') ?? undefined);
      const decode = decoderOf(req.headers['content-encoding']);
      if (decode === undefined) throw CONTENT_ENCODING();
      if (isDeclaredTooLong(req, decode !== null, maxBytes)) throw tooLong(maxBytes);
      // The sender asked whether to send the body (`Expect: 100-continue`). It gets the answer now.
      if (/100-continue/i.test(req.headers.expect ?? '')) res.writeContinue();
      const peer = peerOf(req.ip);
      const capacity = (authenticator.byHeaders ? capacities.proven : capacities.unproven).bodyOf(
        route,
        peer,
      );
      let body: Buffer;
      try {
        body = await readBody(req, decode?.() ?? null, { maxBytes, capacity, pace });
      } catch (error) {
        if (error instanceof GoneError) return;
        throw bodyProblem(error, maxBytes);
      }
      const arrivedAt = options.readAfter();
      capacity.release(body.length);
      if (!authenticator.proves(claim, body)) throw unproven(authenticator);
      proved(req.socket);
      if (!capacities.taken.take(body.length)) throw bodyProblem(new NoCapacityError(), maxBytes);
      const release = (): void => capacities.taken.release(body.length);
      if (res.closed) release();
      else res.once('close', release);
      proven.set(res, { body, type, arrivedAt });
      next();
    },
    found: (res) => proven.get(res) as Proven<T>,
  };
}

// The text is the same whichever part failed.
function unproven({ status, challenge }: Authenticator): HttpError {
  return status === 403
    ? new HttpError(403, 'LOOPBACK_ONLY', 'this route is open to senders on this machine only')
    : new HttpError(
        401,
        'UNAUTHENTICATED',
        'the request is not authenticated',
        challenge === undefined ? {} : { 'WWW-Authenticate': challenge },
      );
}

const CONTENT_ENCODING = (): HttpError =>
  new HttpError(
    415,
    'CONTENT_ENCODING',
    'send the body uncompressed, or compressed with gzip, deflate or br',
    {
      'Accept-Encoding': 'gzip, deflate, br',
    },
  );

function tooLong(maxBytes: number): HttpError {
  return new HttpError(413, 'TOO_LONG', `the body is longer than ${maxBytes} bytes after decompression`);
}

function bodyProblem(error: unknown, maxBytes: number): unknown {
  if (error instanceof TooLongError) return tooLong(maxBytes);
  if (error instanceof BadCompressionError) {
    return new HttpError(400, 'BAD_COMPRESSION', 'the body does not match its Content-Encoding');
  }
  if (error instanceof TooSlowError) return new HttpError(408, 'TOO_SLOW', 'the body arrives too slowly');
  if (error instanceof NoCapacityError) {
    return new HttpError(503, 'BUSY', 'too much data is arriving at once; send it again', {
      'Retry-After': '1',
    });
  }
  return error;
}
