// The first step of a request: what costs little and refuses most comes first, then its body, then the proof over its
// bytes.
import type { RequestHandler, Response } from 'express';
import type { IngressHttp } from '../../contracts/config.ts';
import { HttpError } from './answers.ts';
import type { Authenticator } from './auth/claim.ts';
import { claimOf } from './authenticate.ts';
import {
  BadCompressionError,
  type BodyRoom,
  GoneError,
  isDeclaredTooLong,
  NoRoomError,
  readBody,
  TooLongError,
} from './body.ts';
import { decoderOf } from './media.ts';

export interface ProverOptions<T> {
  readonly http: Pick<IngressHttp, 'publicUrl'>;
  readonly authenticator: Authenticator;
  readonly room: BodyRoom;
  /** Of the body, after decompression. */
  readonly maxBytes: number;
  /** What a Content-Type stands for. @throws HttpError for one that is not taken */
  readonly typeOf: (contentType: string | undefined) => T;
}

export interface Proven<T> {
  readonly body: Buffer;
  readonly type: T;
}

export interface Prover<T> {
  readonly handler: RequestHandler;
  /** What the handler found, for those behind it. */
  found(res: Response): Proven<T>;
}

export function createProver<T>(options: ProverOptions<T>): Prover<T> {
  const { http, authenticator, room, maxBytes, typeOf } = options;
  const proven = new WeakMap<Response, Proven<T>>();
  return {
    async handler(req, res, next) {
      const claim = claimOf(req, http.publicUrl);
      if (!authenticator.plausible(claim)) throw unproven(authenticator);
      const type = typeOf(claim.header('content-type') ?? undefined);
      const decode = decoderOf(req.headers['content-encoding']);
      if (decode === undefined) throw CONTENT_ENCODING();
      if (isDeclaredTooLong(req, decode !== null, maxBytes)) throw tooLong(maxBytes);
      // The sender asked whether to send the body at all: only now it is told so.
      if (/100-continue/i.test(req.headers.expect ?? '')) res.writeContinue();
      let body: Buffer;
      try {
        body = await readBody(req, decode?.() ?? null, { maxBytes, room });
      } catch (error) {
        if (error instanceof GoneError) return;
        throw bodyProblem(error, maxBytes);
      }
      const release = (): void => room.release(body.length);
      if (res.closed) release();
      else res.once('close', release);
      if (!authenticator.proves(claim, body)) throw unproven(authenticator);
      proven.set(res, { body, type });
      next();
    },
    found: (res) => proven.get(res) as Proven<T>,
  };
}

// Whichever part failed, the words are the same.
function unproven({ status, challenge }: Authenticator): HttpError {
  return status === 403
    ? new HttpError(403, 'LOOPBACK_ONLY', 'this route is open to senders on this machine only')
    : new HttpError(
        401,
        'UNAUTHENTICATED',
        'the request does not prove where it comes from',
        challenge === undefined ? {} : { 'WWW-Authenticate': challenge },
      );
}

const CONTENT_ENCODING = (): HttpError =>
  new HttpError(
    415,
    'CONTENT_ENCODING',
    'send the body as it is, or compressed with one of gzip, deflate and br',
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
    return new HttpError(400, 'BAD_COMPRESSION', 'the body is not what its Content-Encoding says');
  }
  if (error instanceof NoRoomError) {
    return new HttpError(503, 'BUSY', 'too much is being received at once: send it again', {
      'Retry-After': '1',
    });
  }
  return error;
}
