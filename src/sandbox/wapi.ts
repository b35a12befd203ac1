// The Express router under the base URL: fault → rate limit → token and scope → body → route, and what refuses.
import { randomUUID } from 'node:crypto';
import express, { type NextFunction, type Request, type Response, type Router } from 'express';
import { authorize, identify } from './caller.ts';
import { INTERNAL_ERROR, Problem } from './errors.ts';
import { Exchange } from './exchange.ts';
import type { House } from './house.ts';
import { retryAfter } from './rate.ts';
import type { Route } from './route.ts';
import { cardRoutes } from './routes/cards.ts';
import { catalogueRoutes } from './routes/catalogues.ts';
import { contactRoutes } from './routes/contacts.ts';
import { pendingRoutes } from './routes/pending.ts';

const ROUTES: readonly Route[] = [...contactRoutes, ...catalogueRoutes, ...cardRoutes, ...pendingRoutes];

const exchangeOf = (res: Response) => res.locals['exchange'] as Exchange;

/** Everything under `{baseUrl}`. */
export function wapiRouter(house: House): Router {
  const router = express.Router({ caseSensitive: true });
  router.use(opening(house));
  // The inbound webhook receiver has no token and a limit of its own.
  router.post('/hooks/:hash', () => {
    throw new Problem('ERR_NOT_IMPLEMENTED', { text: 'The sandbox does not serve the webhook receiver yet' });
  });
  router.use(limiting(house));
  const json = express.json({ limit: house.choices.bodyLimit });
  for (const route of ROUTES) router[route.method](route.path, allowing(route), json, serving(house, route));
  router.use(() => {
    throw new Problem('ERR_ROUTE_NOT_FOUND');
  });
  router.use(refusing(house));
  return router;
}

function opening(house: House) {
  return (req: Request, res: Response, next: NextFunction): void => {
    const at = house.now();
    const fault = house.faults.next(req.method, req.path);
    const caller = identify(req.headers.authorization, house.store, at.getTime());
    const exchange = new Exchange(house, req, res, caller, fault, at);
    res.locals['exchange'] = exchange;
    if (!exchange.intercept(next)) next();
  };
}

/** Only a valid token has a window to spend; the windows are kept by hash, so no secret is a key. */
function limiting(house: House) {
  return (_req: Request, res: Response, next: NextFunction): void => {
    const exchange = exchangeOf(res);
    if (exchange.caller.state !== 'valid') return next();
    const taken = house.rate.take(exchange.caller.tokenHash);
    exchange.rate = taken;
    if (taken.allowed) return next();
    const seconds = retryAfter(taken, house.now());
    exchange.answer({
      status: 429,
      body: new Problem('ERR_RATE_LIMITED', { extras: { retryAfter: seconds } }).body,
      headers: { 'Retry-After': String(seconds) },
    });
  };
}

function allowing(route: Route) {
  return (_req: Request, res: Response, next: NextFunction): void => {
    res.locals['account'] = authorize(exchangeOf(res).caller, route.scope);
    if (route.handle === null) {
      const text = `The sandbox does not serve ${route.method.toUpperCase()} ${route.path} yet`;
      throw new Problem('ERR_NOT_IMPLEMENTED', { text });
    }
    next();
  };
}

function serving(house: House, route: Route) {
  return (req: Request, res: Response): void => {
    const query = req.url.indexOf('?');
    const body: unknown = req.body;
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
    const { status, body: success } = (route.handle as NonNullable<Route['handle']>)({
      account: res.locals['account'],
      params: req.params as Record<string, string>,
      query: new URLSearchParams(query === -1 ? '' : req.url.slice(query + 1)),
      body: isObject ? (body as Record<string, unknown>) : {},
      at: house.now().getTime(),
      choices: house.choices,
      store: house.store,
    });
    exchangeOf(res).answer({ status, body: { requestId: randomUUID(), ...success } });
  };
}

/** The error handler: every refusal has the flat envelope, an internal error has no code. */
function refusing(house: House) {
  return (error: unknown, _req: Request, res: Response, _next: NextFunction): void => {
    const exchange = exchangeOf(res);
    const problem = error instanceof Problem ? error : problemOf(error);
    if (problem === null)
      house.warn(`internal error: ${error instanceof Error ? error.stack : String(error)}`);
    // A body over the limit was read to its end by now, so the connection stays good for the next request.
    exchange.answer(
      problem === null
        ? { status: 500, body: INTERNAL_ERROR }
        : { status: problem.status, body: problem.body },
    );
  };
}

/** Errors of the framework's own body and path readers; null for anything unforeseen. */
function problemOf(error: unknown): Problem | null {
  const { type, status } = error as { type?: unknown; status?: unknown };
  if (type === 'entity.parse.failed') return new Problem('ERR_INVALID_JSON');
  if (status === 413) return new Problem('ERR_BODY_TOO_LARGE');
  if (status === 415) return new Problem('ERR_UNSUPPORTED_ENCODING');
  return status === 400 ? new Problem('ERR_BAD_REQUEST') : null;
}
