// One route over HTTP: a request in, an answer out. What costs little and refuses most comes first; the rate is counted
// last, so that nobody but proven senders can use it up.
import type { RequestHandler, Response } from 'express';
import { MemoryStore, rateLimit } from 'express-rate-limit';
import type { IngressHttp, RouteHttp } from '../../contracts/config.ts';
import type { Acceptance, Accepted, Route } from '../intake.ts';
import { answerJson, HttpError } from './answers.ts';
import type { Authenticator } from './auth/claim.ts';
import { claimOf, credentialHeaders, headersOf } from './authenticate.ts';
import {
  BadCompressionError,
  type BodyRoom,
  GoneError,
  isDeclaredTooLong,
  NoRoomError,
  readBody,
  TooLongError,
} from './body.ts';
import type { HttpLog } from './log.ts';
import { decoderOf, readMediaType } from './media.ts';
import type { HttpMetrics } from './metrics.ts';

export interface ReceiverOptions {
  readonly http: IngressHttp;
  readonly route: Route;
  readonly path: RouteHttp;
  readonly authenticator: Authenticator;
  readonly acceptance: Acceptance;
  readonly room: BodyRoom;
  readonly metrics: HttpMetrics;
  readonly log: HttpLog;
}

export interface Receiver {
  readonly handlers: readonly RequestHandler[];
  close(): void;
}

/** What the first step leaves to the last. */
interface Taken {
  readonly body: Buffer;
  readonly batch: boolean;
}

export function createReceiver(options: ReceiverOptions): Receiver {
  const { http, route, path, authenticator, acceptance, room, metrics, log } = options;
  const taken = new WeakMap<Response, Taken>();
  const store = new MemoryStore();
  const credentials = credentialHeaders(path.auth);

  const prove: RequestHandler = async (req, res, next) => {
    const claim = claimOf(req, http.publicUrl);
    if (!authenticator.plausible(claim)) throw unproven(authenticator);
    const media = readMediaType(claim.header('content-type') ?? undefined);
    if (media === null) throw MEDIA_TYPE();
    const decode = decoderOf(req.headers['content-encoding']);
    if (decode === undefined) throw CONTENT_ENCODING();
    if (isDeclaredTooLong(req, decode !== null, http.maxBodyBytes)) throw tooLong(http.maxBodyBytes);
    // The sender asked whether to send the body at all: only now it is told so.
    if (/100-continue/i.test(req.headers.expect ?? '')) res.writeContinue();
    let body: Buffer;
    try {
      body = await readBody(req, decode?.() ?? null, { maxBytes: http.maxBodyBytes, room });
    } catch (error) {
      if (error instanceof GoneError) return;
      throw bodyProblem(error, http.maxBodyBytes);
    }
    const release = (): void => room.release(body.length);
    if (res.closed) release();
    else res.once('close', release);
    if (!authenticator.proves(claim, body)) throw unproven(authenticator);
    taken.set(res, { body, batch: media === 'batch' });
    next();
  };

  const limit = rateLimit({
    windowMs: 60_000,
    limit: path.perMinute,
    keyGenerator: () => route.name,
    store,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    identifier: route.name,
    logger: {
      warn: (error) => log.warn({ route: route.name, error: String(error) }, 'rate limit'),
      error: (error) => log.error({ route: route.name, error: String(error) }, 'rate limit'),
    },
    handler: (_req, _res, next) =>
      next(new HttpError(429, 'RATE_LIMITED', `more than ${path.perMinute} requests a minute`)),
  });

  const take: RequestHandler = async (req, res) => {
    const { body, batch } = taken.get(res) as Taken;
    const { drafts, skipped } = await route.read({ via: 'http', headers: headersOf(req, credentials), body });
    if (drafts.length === 0 && !batch) {
      metrics.skipped(route.name);
      answerJson(res, 202, { received: true, skipped: skipped ?? 'nothing to act upon' });
      return;
    }
    const accepted = drafts.length === 0 ? [] : await acceptance.accept(route, drafts);
    const duplicates = accepted.filter(({ duplicate }) => duplicate).length;
    metrics.accepted(route.name, accepted.length - duplicates);
    metrics.duplicate(route.name, duplicates);
    const [first, ...others] = accepted.map(eventAnswer);
    if (!batch && first !== undefined && others.length === 0) {
      answerJson(res, 202, { received: true, ...first });
    } else {
      if (skipped !== undefined) metrics.skipped(route.name);
      const events = first === undefined ? [] : [first, ...others];
      answerJson(res, 202, { received: true, events, ...(skipped !== undefined && { skipped }) });
    }
  };

  return { handlers: [prove, limit, take], close: () => store.shutdown() };
}

function eventAnswer({ id, duplicate }: Accepted): { id: string; duplicate?: true } {
  return duplicate ? { id, duplicate } : { id };
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

const MEDIA_TYPE = (): HttpError =>
  new HttpError(
    415,
    'MEDIA_TYPE',
    'send JSON in UTF-8, with the header Content-Type: application/json (or application/cloudevents+json, or another +json)',
  );

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
