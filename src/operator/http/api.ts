// Serves the endpoints of the contract over HTTP. The same router serves the Unix socket.
import express, { type Request, type Response, type Router } from 'express';
import { z } from 'zod';
import { API_PREFIX, type Endpoint } from '../../core/endpoint.ts';
import { FIELDS_HEADER } from '../client/client.ts';
import { ENDPOINTS, type Route } from '../contract/index.ts';
import { errorBody, OperatorError } from '../error.ts';
import { type Caller, refusalOf } from '../service/caller.ts';
import type { OperatorLog } from '../service/deps.ts';
import type { Dispatch } from '../service/dispatch.ts';
import type { Exchange } from '../service/exchange.ts';
import { asOperatorError } from '../service/known-error.ts';

/** Maximum JSON body, in bytes. */
const JSON_BYTES = 1_048_576;

const STATUS_OF = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  notFound: 404,
  conflict: 409,
  tooMany: 429,
  unavailable: 503,
  failed: 500,
} as const satisfies Record<OperatorError['kind'], number>;

/** Set by the middleware that establishes who calls. */
interface CallerLocals {
  caller: Caller | null;
  /** Missing on the Unix socket. */
  exchange?: Exchange;
}

export type ApiResponse = Response<unknown, CallerLocals & Record<string, unknown>>;

/** Routes of all endpoints. A middleware before it sets `res.locals.caller`. */
export function createApi(dispatch: Dispatch): Router {
  const api = express.Router({ caseSensitive: true, strict: true });
  for (const [route, endpoint] of Object.entries<Endpoint>(ENDPOINTS)) {
    const [method = '', path = ''] = route.split(' ');
    const { bytes, jsonBytes = JSON_BYTES } = endpoint;
    const body =
      bytes === undefined
        ? express.json({ limit: jsonBytes, strict: true })
        : express.raw({ limit: bytes.max, type: 'application/octet-stream' });
    const decode = method === 'GET' ? queryDecoder(endpoint) : null;
    const given = (req: Request) => {
      if (bytes !== undefined) return Object.assign(fieldsOf(req), { [bytes.field]: req.body as unknown });
      return decode === null ? bodyOf(req) : decode(req.query);
    };
    const call = async (req: Request, res: ApiResponse): Promise<void> => {
      const input: Record<string, unknown> = { ...given(req), ...req.params };
      const output = await dispatch(route as Route, input, res.locals.caller, res.locals.exchange);
      if (res.destroyed) return;
      res.set('Cache-Control', 'no-store');
      if (output === undefined) res.status(204).end();
      else res.json(output);
    };
    const verb = method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
    // Before the body is read: a stranger's 64 MB are not worth any memory. The dispatcher refuses and keeps the audit log.
    const enter = async (req: Request, res: ApiResponse, next: () => void): Promise<void> => {
      const { caller } = res.locals;
      if (refusalOf(caller, endpoint) !== null) await dispatch(route as Route, { ...req.params }, caller);
      next();
    };
    api[verb](
      API_PREFIX + path.replace(/\{(\w+)\}/g, ':$1'),
      (req, res, next) => enter(req, res as ApiResponse, next),
      body,
      (req, res) => call(req, res as ApiResponse),
    );
  }
  api.use(API_PREFIX, (req, _res, next) => {
    next(
      new OperatorError('notFound', `there is no ${req.method} ${req.path}; see ${API_PREFIX}/openapi.json`),
    );
  });
  return api;
}

/** The last middleware: turns errors into the body that every client of the API knows. */
export function refuseWith(log: Pick<OperatorLog, 'error'>) {
  // Express recognizes error handlers by their four parameters.
  return (error: unknown, req: Request, res: Response, next: (error: unknown) => void): void => {
    if (res.headersSent) return next(error);
    // Who calls is read from the ledger too, before the dispatcher.
    const known = asOperatorError(error) ?? requestError(error);
    // The dispatcher has logged its own.
    if (known.kind === 'failed' && known !== error)
      log.error({ err: error }, 'a request of an operator failed before it was handled');
    if (known.retryAfterMs !== undefined)
      res.set('Retry-After', String(Math.ceil(known.retryAfterMs / 1000)));
    // Node would read the rest of a refused body for minutes. Strangers must not occupy connections with that.
    if (!req.complete && res.locals.caller == null) res.set('Connection', 'close');
    res.set('Cache-Control', 'no-store');
    res.status(STATUS_OF[known.kind]).json(errorBody(known));
  };
}

function bodyOf(req: Request): Record<string, unknown> {
  const body: unknown = req.body ?? {};
  if (!isObject(body)) throw new OperatorError('invalid', 'the body must be a JSON object', { code: 'BODY' });
  return body;
}

/** The fields beside a body of bytes. */
function fieldsOf(req: Request): Record<string, unknown> {
  try {
    const fields: unknown = JSON.parse(decodeURIComponent(req.get(FIELDS_HEADER) ?? '{}'));
    if (isObject(fields)) return fields;
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof URIError)) throw error;
  }
  const problem = `the header ${FIELDS_HEADER} must be a JSON object, percent-encoded`;
  throw new OperatorError('invalid', problem, { code: 'BODY' });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Errors of Express and its body parser have a status, and the parser's also a `type`. */
function requestError(error: unknown): OperatorError {
  const { type, limit, status } = error as { type?: unknown; limit?: number; status?: unknown };
  if (type === 'entity.too.large')
    return new OperatorError('invalid', `the body is larger than ${limit} bytes; send less at once`, {
      code: 'BODY_TOO_LARGE',
      cause: error,
    });
  if (typeof type === 'string')
    return new OperatorError('invalid', 'the body is not JSON in UTF-8', { code: 'BODY', cause: error });
  if (typeof status === 'number' && status >= 400 && status < 500)
    return new OperatorError('invalid', 'the request cannot be read; check its path and headers', {
      code: 'REQUEST',
      cause: error,
    });
  return new OperatorError('failed', 'internal error; the log of the Sluice process has the details', {
    cause: error,
  });
}

type Decode = (query: Readonly<Record<string, unknown>>) => Record<string, unknown>;

interface PropertySchema {
  readonly type?: string;
  readonly anyOf?: readonly PropertySchema[];
}

/** Query strings have text only: numbers, booleans and lists are read as the schema says. */
function queryDecoder({ input }: Endpoint): Decode {
  const { properties = {} } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as {
    properties?: Record<string, PropertySchema>;
  };
  return (query) =>
    Object.fromEntries(
      Object.entries(query).map(([name, value]) => [name, decodeValue(value, properties[name])]),
    );
}

function decodeValue(value: unknown, schema: PropertySchema | undefined): unknown {
  const types = new Set([schema?.type, ...(schema?.anyOf ?? []).map(({ type }) => type)]);
  if (types.has('array')) return Array.isArray(value) ? value : [value];
  if (typeof value !== 'string') return value;
  if ((types.has('integer') || types.has('number')) && /^-?\d+(\.\d+)?$/.test(value)) return Number(value);
  if (types.has('boolean') && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}
