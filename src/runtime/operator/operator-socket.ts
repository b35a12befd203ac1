// The socket of campaign queries: HTTP on a private socket of the process that owns the ledger, for commands of the same
// user.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { z } from 'zod';
import { UnknownNameError } from '../../config/errors.ts';
import { errorShape } from '../../ingress/error-shape.ts';
import {
  createBodyCapacity,
  GoneError,
  NoCapacityError,
  readBody,
  TooLongError,
} from '../../ingress/http/body.ts';
import { LedgerError } from '../../ledger/database.ts';
import { listenPrivately, type SocketPlace } from '../../operator/socket/private-socket.ts';

/** Maximum of all bodies in memory, in bytes. */
const CAPACITY_BYTES = 134_217_728;
const HEADERS_MS = 10_000;
const REQUEST_MS = 120_000;
const MAX_CONNECTIONS = 64;
/** Time that active requests get when the socket closes, in milliseconds. */
const GRACE_MS = 10_000;
const RETRY_MS = 1000;

/** Thrown for a request that can't be answered. The text names the field and the fix, and contains no value. */
export class BadMessageError extends Error {
  override readonly name = 'BadMessageError';
}

export interface SocketLog {
  error(fields: object, message: string): void;
}

export interface SocketOptions extends Omit<SocketPlace, 'name'> {
  /** Endpoints by path. */
  readonly endpoints: Endpoints;
  readonly log: SocketLog;
}

export interface OperatorSocket {
  /** Path for `connectSocket`; the owner writes it into the lock of the folder. */
  readonly path: string;
  /** Accepts no new requests; active ones get their answer. The caller closes the intake afterwards. */
  close(): Promise<void>;
}

/** Status and body. The body of an error has `error`, and may have `code` and `retryAfterMs`. */
export type Answer = readonly [status: number, body: Readonly<Record<string, unknown>>];
type Handler = (body: Uint8Array) => Promise<Answer>;
interface Endpoint {
  readonly maxBytes: number;
  readonly handle: Handler;
}
export type Endpoints = Readonly<Record<string, Endpoint>>;

/** An endpoint that accepts JSON of this schema. */
export function jsonEndpoint<T>(
  schema: z.ZodType<T>,
  maxBytes: number,
  handle: (input: T) => Promise<Answer>,
): Endpoint {
  return { maxBytes, handle: async (body) => await handle(parse(schema, readJson(body))) };
}

/**
 * Opens the socket of the process that owns a state folder.
 *
 * Errors are `{error}`: 400 for an invalid request, 404 for an unknown account or path, 413 for a body that is too
 * large, 503 with `code` and `retryAfterMs` when Sluice can't accept it now.
 * @throws as `listenPrivately`
 */
export async function openOperatorSocket(options: SocketOptions): Promise<OperatorSocket> {
  const { endpoints } = options;
  const capacity = createBodyCapacity(CAPACITY_BYTES);

  async function answer(req: IncomingMessage): Promise<Answer> {
    const [path = ''] = (req.url ?? '/').split('?', 2);
    const endpoint = Object.hasOwn(endpoints, path) ? endpoints[path] : undefined;
    if (endpoint === undefined)
      return [404, { error: 'this socket has no such path; the other process may be an older Sluice' }];
    if (req.method !== 'POST') return [405, { error: 'this path accepts POST only' }];
    const { maxBytes, handle } = endpoint;
    const body = await readBody(req, null, { maxBytes, capacity });
    try {
      return await handle(body);
    } finally {
      capacity.release(body.length);
    }
  }

  const respond = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const [status, body] = await answer(req).catch((error: unknown) => refusal(error, options.log));
    if (res.destroyed) return;
    // A client that still sends would not read the answer: read the rest and discard it.
    req.resume();
    // One request per connection: no connection idles when the socket closes.
    res.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', Connection: 'close' });
    res.end(JSON.stringify(body));
  };

  const server = createServer(
    { headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS, connectionsCheckingInterval: 1000 },
    (req, res) => void respond(req, res),
  );
  server.maxConnections = MAX_CONNECTIONS;
  // Node counts connections without a request as busy, and would wait for them.
  const silent = new Set<Socket>();
  server.on('connection', (socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  server.on('request', ({ socket }) => silent.delete(socket));
  const socket = await listenPrivately(server, { ...options, name: 'socket' });
  return {
    path: socket.path,
    async close() {
      const cut = setTimeout(() => server.closeAllConnections(), GRACE_MS);
      await new Promise<void>((done) => {
        server.close(() => done());
        for (const idle of silent) idle.destroy();
      });
      clearTimeout(cut);
      await socket.remove();
    },
  };
}

/** The answer names no value: what operators send is personal. */
function refusal(error: unknown, log: SocketLog): Answer {
  if (error instanceof BadMessageError) return [400, { error: error.message }];
  if (error instanceof UnknownNameError) return [404, { error: error.message }];
  if (error instanceof TooLongError) return [413, { error: 'the body is too large; send less at once' }];
  if (error instanceof NoCapacityError)
    return busy('BUSY', RETRY_MS, 'too many bytes are being sent at once');
  if (error instanceof LedgerError) return busy('LEDGER', RETRY_MS, error.message);
  if (error instanceof GoneError) return [400, { error: 'the request was interrupted' }];
  log.error({ error: errorShape(error) }, 'a request of an operator failed');
  return [500, { error: 'internal error: see the log of the process that owns the folder' }];
}

function busy(code: 'BUSY' | 'LEDGER', retryAfterMs: number, why: string): Answer {
  return [503, { error: why, code, retryAfterMs }];
}

function readJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    throw new BadMessageError('the body is not JSON in UTF-8', { cause: error });
  }
}

function parse<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new BadMessageError(z.prettifyError(parsed.error));
}
