// The Express router under the base URL: fault → rate limit → token and scope → body → route, and the error handler.
import { randomUUID } from 'node:crypto';
import express, {
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
  type Router,
} from 'express';
import { z } from 'zod';
import type { Choices } from '../choices.ts';
import { admitting, receive } from '../hooks/receiver.ts';
import { receiveWebhook } from '../openapi/automation.ts';
import type { Described } from '../openapi/document.ts';
import type { Operation } from '../openapi/operation.ts';
import { openApiRouter } from '../openapi/serve.ts';
import type { SandboxParts } from '../parts.ts';
import { cardRoutes } from '../routes/cards.ts';
import { catalogueRoutes } from '../routes/catalogues.ts';
import { contactRoutes } from '../routes/contacts.ts';
import { conversationRoutes } from '../routes/conversations.ts';
import { flowRoutes } from '../routes/flows.ts';
import { messageRoutes } from '../routes/messages.ts';
import type { Query } from '../rules/query.ts';
import { authorize, identify } from './caller.ts';
import { INTERNAL_ERROR, Problem } from './errors.ts';
import { Exchange } from './exchange.ts';
import { isMultipart, readMultipart } from './multipart.ts';
import { type RateState, retryAfter } from './rate.ts';
import type { Route } from './route.ts';

const ROUTES: readonly Route[] = [
  ...contactRoutes,
  ...catalogueRoutes,
  ...cardRoutes,
  ...conversationRoutes,
  ...messageRoutes,
  ...flowRoutes,
];

const HOOK = '/hooks/:hash';

const describedRoutes = (choices: Choices): Described[] => [
  ...ROUTES.map((route) => ({ ...route, operation: route.operation(choices) })),
  { method: 'post', path: HOOK, scope: null, operation: receiveWebhook() },
];

const exchangeOf = (res: Response) => res.locals['exchange'] as Exchange;

/** Everything under `{baseUrl}`. */
export function wapiRouter(parts: SandboxParts): Router {
  const router = express.Router({ caseSensitive: true });
  router.use(openApiRouter(describedRoutes(parts.choices), parts.choices), opening(parts));
  // The inbound webhook receiver has no token and its own limit.
  const raw = express.raw({ type: () => true, limit: parts.choices.hookBodyLimit });
  router.post(HOOK, admitting(parts, counting(parts)), raw, (req, res) => {
    const body = receive(parts, req, res.locals['entrance']);
    exchangeOf(res).answer({ status: 202, body: { requestId: randomUUID(), ...body } });
  });
  router.use(limiting(parts));
  const json = express.json({ limit: parts.choices.bodyLimit });
  for (const route of ROUTES) {
    const operation = route.operation(parts.choices);
    const reader = route.form === undefined ? json : jsonOrForm(parts, json, route.form);
    const body = operation.body === undefined ? [] : [reader];
    router[route.method](route.path, allowing(route), ...body, serving(parts, route, operation));
  }
  router.use(() => {
    throw new Problem('ERR_ROUTE_NOT_FOUND');
  });
  router.use(refusing(parts));
  return router;
}

function opening(parts: SandboxParts) {
  return (req: Request, res: Response, next: NextFunction): void => {
    const at = parts.now();
    const fault = parts.faults.next(req.method, req.path);
    const caller = identify(req.headers.authorization, parts.store, at.getTime());
    const exchange = new Exchange(parts, req, res, caller, fault, at);
    res.locals['exchange'] = exchange;
    if (!exchange.intercept(next)) next();
  };
}

/** Only a valid token has a window. Windows are stored by hash, so no secret is a key. */
function limiting(parts: SandboxParts) {
  return (_req: Request, res: Response, next: NextFunction): void => {
    const exchange = exchangeOf(res);
    if (exchange.caller.state !== 'valid') return next();
    if (counting(parts)(res, parts.rate.take(exchange.caller.tokenHash))) next();
  };
}

/** Puts the window into the headers, and answers 429 to a call over the limit. @returns true if the call continues */
function counting(parts: SandboxParts) {
  return (res: Response, taken: RateState & { readonly allowed: boolean }): boolean => {
    const exchange = exchangeOf(res);
    exchange.rate = taken;
    if (taken.allowed) return true;
    const seconds = retryAfter(taken, parts.now());
    exchange.answer({
      status: 429,
      body: new Problem('ERR_RATE_LIMITED', { extras: { retryAfter: seconds } }).body,
      headers: { 'Retry-After': String(seconds) },
    });
    return false;
  };
}

function allowing(route: Route) {
  return (_req: Request, res: Response, next: NextFunction): void => {
    res.locals['account'] = authorize(exchangeOf(res).caller, route.scope);
    next();
  };
}

/** Reads the body of a route that takes files: multipart, or JSON without files. */
function jsonOrForm(
  parts: SandboxParts,
  json: RequestHandler,
  form: NonNullable<Route['form']>,
): RequestHandler {
  return async (req, res, next) => {
    if (!isMultipart(req)) return json(req, res, next);
    const { fields, files } = await readMultipart(req, parts.choices);
    req.body = form(fields);
    res.locals['files'] = files;
    next();
  };
}

/** A rule sees only declared inputs, so an input that the document does not show has no effect. */
function serving(parts: SandboxParts, route: Route, { query, body, isBodyOptional = false }: Operation) {
  const queryNames = new Set(Object.keys(query?.shape ?? {}));
  const bodyNames = body instanceof z.ZodObject ? Object.keys(body.shape) : [];
  return (req: Request, res: Response): void => {
    // A required field has its own error code. Without one, a list would count as an empty body.
    if (isBodyOptional && Array.isArray(req.body)) {
      throw new Problem('ERR_INVALID_BODY', { text: 'the body: write a JSON object' });
    }
    const { status, body: success } = route.handle({
      account: res.locals['account'],
      params: req.params as Record<string, string>,
      query: declaredQuery(req.url, queryNames),
      body: declaredFields(req.body, bodyNames),
      files: res.locals['files'] ?? [],
      board: parts.board,
      at: parts.now().getTime(),
      choices: parts.choices,
      store: parts.store,
    });
    exchangeOf(res).answer({ status, body: { requestId: randomUUID(), ...success } });
  };
}

function declaredQuery(url: string, names: ReadonlySet<string>): Query {
  const at = url.indexOf('?');
  const all = [...new URLSearchParams(at === -1 ? '' : url.slice(at + 1))];
  return new URLSearchParams(all.filter(([name]) => names.has(name)));
}

function declaredFields(body: unknown, names: readonly string[]): Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return {};
  const sent = names.filter((name) => Object.hasOwn(body, name));
  return Object.fromEntries(sent.map((name) => [name, (body as Record<string, unknown>)[name]]));
}

/** The error handler. Every refusal has the flat envelope; an internal error has no code. */
function refusing(parts: SandboxParts) {
  return (error: unknown, _req: Request, res: Response, _next: NextFunction): void => {
    const exchange = res.locals['exchange'] as Exchange | undefined;
    const { status } = error as { readonly status?: number };
    // The documentation is not part of the API: a request for a range or a version that a file does not have.
    if (exchange === undefined && status !== undefined) {
      res.status(status).end();
      return;
    }
    const problem = error instanceof Problem ? error : problemOf(error);
    if (problem === null)
      parts.warn(`internal error: ${error instanceof Error ? error.stack : String(error)}`);
    if (exchange === undefined) {
      res.status(500).json(INTERNAL_ERROR);
      return;
    }
    // A body over the limit has been read to its end, so the connection stays usable for the next request.
    exchange.answer(
      problem === null
        ? { status: 500, body: INTERNAL_ERROR }
        : { status: problem.status, body: problem.body },
    );
  };
}

/** Maps errors of the framework's body and path readers. Null for any other error. */
function problemOf(error: unknown): Problem | null {
  const { type, status } = error as { type?: unknown; status?: unknown };
  if (type === 'entity.parse.failed') return new Problem('ERR_INVALID_JSON');
  if (status === 413) return new Problem('ERR_BODY_TOO_LARGE');
  if (status === 415) return new Problem('ERR_UNSUPPORTED_ENCODING');
  return status === 400 ? new Problem('ERR_BAD_REQUEST') : null;
}
