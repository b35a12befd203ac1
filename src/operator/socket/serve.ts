// The operator API on a Unix socket, for commands on the same machine. Only the user of this process and root can open
// its folder, which is the proof of who connects.
import { createServer, type RequestListener } from 'node:http';
import express from 'express';
import { createApi, refuseWith } from '../http/api.ts';
import { closeServer } from '../http/close-server.ts';
import type { Caller } from '../service/caller.ts';
import type { OperatorLog } from '../service/deps.ts';
import type { Dispatch } from '../service/dispatch.ts';
import { listenPrivately } from './private-socket.ts';

const HEADERS_MS = 10_000;
/** A file of 64 MB from the same machine takes less. */
const REQUEST_MS = 60_000;
const MAX_CONNECTIONS = 64;

export interface SocketOptions {
  /** A folder whose lock the caller owns. */
  readonly folder: string;
  readonly dispatch: Dispatch;
  readonly log: Pick<OperatorLog, 'error'>;
  /** Whoever connects. */
  caller(): Promise<Caller>;
}

export interface OperatorSocket {
  readonly path: string;
  /** Lets active requests end, closes the socket and deletes it. */
  close(): Promise<void>;
}

export async function serveSocket(options: SocketOptions): Promise<OperatorSocket> {
  const app = express();
  app.disable('x-powered-by');
  app.use(async (_req, res, next) => {
    // At each request: the user who is linked to the Unix user can change during a connection.
    res.locals.caller = await options.caller();
    next();
  });
  app.use(createApi(options.dispatch));
  app.use(refuseWith(options.log));
  const server = createServer(
    { headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS, connectionsCheckingInterval: 1000 },
    app as RequestListener,
  );
  server.maxConnections = MAX_CONNECTIONS;
  const socket = await listenPrivately(server, { folder: options.folder, name: 'operator' });
  return {
    path: socket.path,
    async close() {
      await closeServer(server);
      await socket.remove();
    },
  };
}
