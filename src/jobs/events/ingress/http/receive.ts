// One route over HTTP, from request to answer. Cheap checks that refuse the most come first. The rate counts last, so
// that only authenticated senders can use it up.
import type { Socket } from 'node:net';
import type { Request, RequestHandler, Response } from 'express';
import { MemoryStore, rateLimit } from 'express-rate-limit';
import {
  NO_TRACING,
  type OpenSpan,
  readTraceContext,
  type SpanDraft,
  type Tracing,
} from '../../../../core/tracing.ts';
import type { HttpMetrics } from '../../../../observe/metrics/http.ts';
import { headersCount, type RouteHttp } from '../../config.ts';
import { type MessageAction } from '../../config-actions.ts';
import { type IngressHttp } from '../config.ts';
import { type Acceptance, type Accepted, RefusedError, type Route } from '../intake.ts';
import { reasonOf } from '../refusals.ts';
import type { RefusedRequests } from '../refused-requests.ts';
import { traceDrafts } from '../traced-drafts.ts';
import { answerJson, HttpError, statusOf } from './answers.ts';
import type { Authenticator } from './auth/claim.ts';
import { credentialHeaders, headersOf, signatureOf } from './authenticate.ts';
import type { HttpLog } from './log.ts';
import { readMediaType } from './media.ts';
import { type BodyCapacities, createProver } from './prove.ts';
import { createUploader, type StoreUpload } from './upload.ts';

export interface ReceiverOptions {
  readonly http: IngressHttp;
  readonly route: Route;
  readonly path: RouteHttp;
  readonly authenticator: Authenticator;
  /** The same for files. */
  readonly fileAuthenticator: Authenticator;
  readonly acceptance: Acceptance;
  readonly capacities: BodyCapacities;
  /** The same for uploaded files. They are longer and must not keep events out. */
  readonly fileCapacities: BodyCapacities;
  readonly proved: (socket: Socket) => void;
  /** When this process last looked for requests. */
  readonly readAfter: () => number;
  readonly storeUpload: StoreUpload;
  /** Keeps a request that the route refused. */
  readonly keepRefused: RefusedRequests['keep'];
  readonly metrics: HttpMetrics;
  readonly log: HttpLog;
  /** @default nothing is traced */
  readonly tracing?: Tracing | undefined;
}

export interface Receiver {
  readonly handlers: readonly RequestHandler[];
  /** Handlers for files, under the route's path plus `/files`. Null if the route accepts no files. */
  readonly uploads: readonly RequestHandler[] | null;
  close(): void;
}

/** The `uploads` part of a route's action. Undefined if the route accepts no files. */
export function uploadsOf({ config: { action } }: Pick<Route, 'config'>): MessageAction['uploads'] {
  return action.type === 'message' ? action.uploads : undefined;
}

export function createReceiver(options: ReceiverOptions): Receiver {
  const { http, route, path, authenticator, acceptance, capacities, proved, readAfter, metrics, log } =
    options;
  const { tracing = NO_TRACING } = options;
  const store = new MemoryStore();
  const credentials = credentialHeaders(path.auth);
  const prover = createProver({
    http,
    route: route.name,
    authenticator,
    capacities,
    proved,
    readAfter,
    maxBytes: http.maxBodyBytes,
    typeOf(contentType) {
      const type = readMediaType(contentType);
      if (type === null) throw MEDIA_TYPE();
      return type;
    },
  });

  // One rate limit for the events and files of the route together.
  const limit = rateLimit({
    windowMs: 60_000,
    limit: path.perMinute,
    keyGenerator: () => route.name,
    store,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    identifier: route.name,
    logger: {
      warn: (error) => log.warn({ route: route.name, err: error }, 'rate limit'),
      error: (error) => log.error({ route: route.name, err: error }, 'rate limit'),
    },
    handler: (_req, _res, next) =>
      next(new HttpError(429, 'RATE_LIMITED', `more than ${path.perMinute} requests a minute`)),
  });

  /** Only authenticated requests get a span, so that nobody else can fill the tracing backend. */
  const take: RequestHandler = async (req, res) => {
    const headers = headersOf(req, credentials);
    const draft: SpanDraft = {
      name: `POST ${path.path}`,
      kind: 'server',
      parent: readTraceContext(headers),
      agoMs: performance.now() - (res.locals.begun as number),
      attributes: {
        'http.request.method': 'POST',
        'http.route': path.path,
        'sluice.account': route.config.account,
        'sluice.route': route.name,
      },
    };
    await tracing.within(draft, async (span) => {
      try {
        await receive(req, res, headers, span);
        span.set({ 'http.response.status_code': res.statusCode });
      } catch (error) {
        span.set({ 'http.response.status_code': statusOf(error) });
        throw error;
      }
    });
  };

  const receive = async (
    req: Request,
    res: Response,
    headers: Readonly<Record<string, string>>,
    span: OpenSpan,
  ) => {
    const { body, type, arrivedAt } = prover.found(res);
    const batch = type === 'batch';
    const signature = signatureOf(path, req);
    const delivery = { via: 'http', headers, body, ...(signature !== undefined && { signature }) } as const;
    const { drafts: read, skipped } = await route.read(delivery).catch((error: unknown) => {
      if (error instanceof RefusedError) {
        const content = { headers, body, signature: signature ?? null };
        const { account } = route.config;
        options.keepRefused({
          account,
          route: route.name,
          code: error.code,
          reason: reasonOf(error),
          content,
        });
      }
      throw error;
    });
    const context = span.context ?? readTraceContext(headers);
    const drafts = traceDrafts(tracing, read, { context, hasSpan: span.context !== null });
    if (drafts.length === 0 && !batch) {
      metrics.skipped(route.name);
      answerJson(res, 202, { received: true, skipped: skipped ?? 'nothing to process' });
      return;
    }
    const accepted = drafts.length === 0 ? [] : await acceptance.accept(route, drafts, { arrivedAt });
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

  const files = uploadsOf(route);
  return {
    handlers: [prover.handler, limit, take],
    uploads:
      files === undefined
        ? null
        : createUploader({
            http,
            route: route.name,
            authenticator: options.fileAuthenticator,
            proved,
            readAfter,
            limit,
            store: options.storeUpload,
            capacities: options.fileCapacities,
            account: route.config.account,
            maxBytes: files.maxBytes,
            names: namesOf(path),
          }),
    close: () => store.shutdown(),
  };
}

/**
 * Decides which names of a file count: customers see the name. HubSpot's signature covers the address with its query,
 * others cover the bytes alone.
 */
export function namesOf(path: RouteHttp): { header: boolean; query: boolean } {
  const header = headersCount(path);
  return { header, query: header || (path.auth.type === 'hmac' && path.auth.style === 'hubspot') };
}

function eventAnswer({ id, duplicate }: Accepted): { id: string; duplicate?: true } {
  return duplicate ? { id, duplicate } : { id };
}

const MEDIA_TYPE = (): HttpError =>
  new HttpError(
    415,
    'MEDIA_TYPE',
    'send JSON in UTF-8 with the header Content-Type: application/json (or application/cloudevents+json, or another +json)',
  );
