// The operator API on a Unix socket, for commands on the same machine. The kernel says who connects.
import { createServer, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import express from 'express';
import { OperatorError } from '../error.ts';
import { createApi, refuseWith } from '../http/api.ts';
import { closeServer } from '../http/close-server.ts';
import type { Caller } from '../service/caller.ts';
import type { OperatorLog } from '../service/deps.ts';
import type { Dispatch } from '../service/dispatch.ts';
import { peerUid } from './peer.ts';
import { listenPrivately } from './private-socket.ts';
import { listenShared } from './shared-socket.ts';

const HEADERS_MS = 10_000;
/** A file of 64 MB from the same machine takes less. */
const REQUEST_MS = 60_000;
const MAX_CONNECTIONS = 64;

export interface SocketOptions {
  /** A folder whose lock the caller owns, for a socket of this user alone; or the path of a socket for all users. */
  readonly place: { readonly folder: string } | { readonly path: string };
  readonly dispatch: Dispatch;
  readonly log: Pick<OperatorLog, 'error'>;
  /**
   * The caller that a Unix user is.
   * @throws OperatorError (forbidden) for a user who may not use Sluice
   */
  callerOf(uid: number): Promise<Caller>;
}

export interface OperatorSocket {
  readonly path: string;
  /** Lets active requests end, closes the socket and deletes it. */
  close(): Promise<void>;
}

export async function serveSocket(options: SocketOptions): Promise<OperatorSocket> {
  const app = express();
  app.disable('x-powered-by');
  app.use(async (req, res, next) => {
    res.locals.caller = await identify(req.socket, options);
    next();
  });
  app.use(createApi(options.dispatch));
  app.use(refuseWith(options.log));
  const server = createServer(
    { headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS, connectionsCheckingInterval: 1000 },
    app as RequestListener,
  );
  server.maxConnections = MAX_CONNECTIONS;
  const { place } = options;
  const socket =
    'path' in place
      ? await listenShared(server, place.path)
      : await listenPrivately(server, { folder: place.folder, name: 'operator' });
  return {
    path: socket.path,
    async close() {
      await closeServer(server);
      await socket.remove();
    },
  };
}

/** Reads the user at each request: it cannot change during a connection, but the role behind it can. */
async function identify(socket: Socket, { callerOf }: SocketOptions): Promise<Caller> {
  let uid: number;
  try {
    uid = process.platform === 'win32' ? 0 : peerUid(socket);
  } catch (error) {
    throw new OperatorError('forbidden', (error as Error).message, { code: 'PEER_UNKNOWN', cause: error });
  }
  return await callerOf(uid);
}
