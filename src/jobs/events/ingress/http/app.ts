// Builds the Express app of the HTTP ingress: the paths of the routes, the OpenAPI document, and the refusals.
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Response } from 'express';
import type { Tracing } from '../../../../core/tracing.ts';
import type { HttpMetrics } from '../../../../observe/metrics/http.ts';
import type { IngressHttp } from '../config.ts';
import { errorShape } from '../error-shape.ts';
import { type Acceptance, NotAcceptedError, RefusedError, type Route } from '../intake.ts';
import { type Refusals, reasonOf } from '../refusals.ts';
import type { RefusedRequests } from '../refused-requests.ts';
import { answerJson, HttpError, notAcceptedProblem, refusedProblem } from './answers.ts';
import { type Purpose, SecretError } from './auth/claim.ts';
import { authenticatorOf } from './authenticate.ts';
import { createBodyCapacity, type MeasuredCapacity } from './body.ts';
import { createRepeatingLog, type HttpLog } from './log.ts';
import { describeRoutes } from './openapi.ts';
import type { BodyCapacities } from './prove.ts';
import { checkReadiness, type IngressReadiness } from './readiness.ts';
import { createReceiver, type Receiver, uploadsOf } from './receive.ts';
import { createShares } from './shares.ts';
import { FILES_PATH, type StoreUpload } from './upload.ts';

/** Node drops further headers silently, and with them what a proxy added. */
export const MAX_HEADERS = 200;
/** Path of the OpenAPI document. */
const DESCRIPTION_PATH = '/openapi.json';
/** Label of requests whose path matches no route. */
const NOBODY = '-';
/** Memory for bodies in progress: this many bodies of maximum length, and never less than this many bytes. */
const CAPACITY_BODIES = 32;
const CAPACITY_BYTES = 67_108_864;
/** The same for files, which are longer and rarer. */
const CAPACITY_FILES = 4;

export interface HttpRoute {
  readonly route: Route;
  /** Resolved secrets of `http.auth.secrets`, in their order. Empty with `type: none`. */
  readonly secrets: readonly string[];
}

export interface AppOptions {
  readonly http: IngressHttp;
  /** Routes with `http` only. */
  readonly routes: readonly HttpRoute[];
  readonly acceptance: Acceptance;
  /** Stores files that arrive before the events that refer to them. */
  readonly storeUpload: StoreUpload;
  readonly log: HttpLog;
  readonly metrics: HttpMetrics;
  /** @default nothing is traced */
  readonly tracing?: Tracing | undefined;
  /** Hears of each refusal with a status of 4xx. */
  readonly refused?: Refusals['add'];
  /** Keeps the content of requests that a route refused. @default nothing is kept */
  readonly keepRefused?: RefusedRequests['keep'];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** When this process last looked for requests, by `performance.now()`. */
  readonly readAfter: () => number;
  /** A sender on this connection has authenticated. */
  proved(socket: Socket): void;
  isClosing(): boolean;
}

export interface HttpApp {
  readonly app: Express;
  /** Whether the peer is one of `trustProxy`. */
  isProxy(address: string): boolean;
  /** Whether it accepts events now. */
  readiness(): Promise<IngressReadiness>;
  /** From now on, metrics show the memory of this app. */
  watch(): void;
  close(): void;
}

/** @throws SecretError for an unusable secret, RangeError for a path in use; both name the route */
export function createApp(options: AppOptions): HttpApp {
  const { http, acceptance, storeUpload, log, metrics, isClosing } = options;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('trust proxy', http.trustProxy);
  app.use(refuseOddities);

  const longestFile = Math.max(0, ...options.routes.map(({ route }) => uploadsOf(route)?.maxBytes ?? 0));
  const taken = createBodyCapacity(Math.max(CAPACITY_BYTES, CAPACITY_BODIES * http.maxBodyBytes));
  const takenFiles = createBodyCapacity(Math.max(CAPACITY_BYTES, CAPACITY_FILES * longestFile));
  const capacities = capacitiesOf(http, http.maxBodyBytes, taken);
  const fileCapacities = capacitiesOf(http, longestFile, takenFiles);
  const description = describeRoutes(
    options.routes.map(({ route }) => route),
    http,
  );
  app.get(DESCRIPTION_PATH, (_req, res) => answerJson(res, 200, description));
  app.all(DESCRIPTION_PATH, only('GET, HEAD'));

  const receivers: Receiver[] = [];
  const paths = new Set([DESCRIPTION_PATH]);
  for (const { route, secrets } of options.routes) {
    const path = route.config.http;
    if (path === undefined) throw new RangeError(`routes.${route.name} has no http section`);
    const authenticator = authenticatorFor(route, secrets, options.now, 'event');
    const receiver = createReceiver({
      http,
      route,
      path,
      authenticator,
      fileAuthenticator: authenticatorFor(route, secrets, options.now, 'file'),
      acceptance,
      capacities,
      fileCapacities,
      storeUpload,
      keepRefused: options.keepRefused ?? (() => undefined),
      metrics,
      log,
      tracing: options.tracing,
      proved: options.proved,
      readAfter: options.readAfter,
    });
    receivers.push(receiver);
    const begin: RequestHandler = (_req, res, next) => {
      observe(res, route.name, metrics);
      next();
    };
    const serve = (at: string, handlers: readonly RequestHandler[]): void => {
      if (paths.has(at))
        throw new RangeError(`routes.${route.name}.http.path: ${at} is taken; choose another`);
      paths.add(at);
      app.all(at, begin);
      app.post(at, ...handlers);
      app.all(at, only('POST'));
    };
    serve(path.path, receiver.handlers);
    if (receiver.uploads !== null) serve(path.path + FILES_PATH, receiver.uploads);
  }

  app.use((_req, res) => {
    observe(res, NOBODY, metrics);
    throw new HttpError(404, 'NOT_FOUND', 'no route has this path');
  });
  app.use(refuse(options));
  const trusts = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  return {
    app,
    isProxy: (address) => trusts(address, 0),
    readiness: () =>
      checkReadiness({
        acceptance,
        isClosing,
        isFull: () => taken.capacity - taken.used() < http.maxBodyBytes,
      }),
    watch: () =>
      metrics.watchBodies(() => ({
        proven: capacities.proven.used() + fileCapacities.proven.used() + taken.used() + takenFiles.used(),
        unproven: capacities.unproven.used() + fileCapacities.unproven.used(),
      })),
    close: () => {
      for (const receiver of receivers) receiver.close();
    },
  };
}

function capacitiesOf(http: IngressHttp, longest: number, taken: MeasuredCapacity): BodyCapacities {
  const { maxBytes, maxBytesPerRoute, maxBytesPerPeer } = http.unauthenticated;
  const { capacity } = taken;
  return {
    taken,
    proven: createShares({ total: capacity, perRoute: capacity, perPeer: capacity }),
    unproven: createShares({
      total: Math.max(maxBytes, longest),
      perRoute: Math.max(maxBytesPerRoute, longest),
      perPeer: Math.max(maxBytesPerPeer, longest),
    }),
  };
}

function authenticatorFor(route: Route, secrets: readonly string[], now: () => number, purpose: Purpose) {
  const auth = route.config.http?.auth ?? { type: 'none' };
  try {
    if (auth.type !== 'none' && secrets.length === 0) throw new SecretError('there is no secret');
    return authenticatorOf(auth, secrets, now, purpose);
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    throw new SecretError(`routes.${route.name}.http.auth: ${error.message}`, { cause: error });
  }
}

const refuseOddities: RequestHandler = (req, _res, next) => {
  if (req.rawHeaders.length > MAX_HEADERS * 2) {
    throw new HttpError(431, 'HEADERS_TOO_LONG', `more than ${MAX_HEADERS} headers`);
  }
  const hosts = req.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts.length > 1 || (hosts.length === 0 && req.httpVersion === '1.1')) {
    throw new HttpError(400, 'BAD_REQUEST', 'a request must have exactly one Host header');
  }
  next();
};

function only(allow: string): RequestHandler {
  return () => {
    throw new HttpError(405, 'METHOD', `this path accepts only ${allow}`, { Allow: allow });
  };
}

function observe(res: Response, route: string, metrics: HttpMetrics): void {
  const begun = performance.now();
  res.locals.route = route;
  res.locals.begun = begun;
  res.once('close', () =>
    metrics.request(route, res.headersSent ? res.statusCode : 'gone', (performance.now() - begun) / 1000),
  );
}

function refuse({ log, metrics, refused = () => undefined }: AppOptions): ErrorRequestHandler {
  const repeating = createRepeatingLog(log, () => performance.now());
  return (error: unknown, _req, res, _next) => {
    const route: string = res.locals.route ?? NOBODY;
    if (res.headersSent) {
      log.error({ route, err: errorShape(error) }, 'the connection closed during an answer');
      res.destroy();
      return;
    }
    if (error instanceof RefusedError) {
      const { status, code } = error;
      metrics.refused(route, code);
      refused({ via: 'http', route, code, status, reason: reasonOf(error) });
      repeating.warn(`${route} ${status} ${code}`, { route, status, code }, 'event refused');
      answerJson(res, status, refusedProblem(error));
      return;
    }
    const problem = error instanceof NotAcceptedError ? notAcceptedProblem(error) : error;
    if (problem instanceof HttpError) {
      const { status, code, message, headers } = problem;
      if (status === 503) metrics.notAccepted(route, code);
      else {
        metrics.refused(route, code);
        refused({ via: 'http', route, code, status, reason: message });
      }
      const why = error instanceof NotAcceptedError ? { why: error.message } : {};
      repeating.warn(`${route} ${status} ${code}`, { route, status, code, ...why }, 'request refused');
      answerJson(res, status, { error: message, code }, headers);
      return;
    }
    const id = randomUUID();
    metrics.refused(route, 'INTERNAL');
    log.error({ id, route, err: errorShape(error) }, 'request failed');
    answerJson(res, 500, {
      error: "internal error; the server's log has the cause",
      code: 'INTERNAL',
      id,
    });
  };
}
