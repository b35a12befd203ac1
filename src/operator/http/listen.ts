// Listens for browsers and remote commands.
import { createHash } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createSecureContext } from 'node:tls';
import { followContents } from '../../core/files/follow-contents.ts';
import { readRegularFile } from '../../core/files/regular-file.ts';
import { closeServer } from './close-server.ts';
import { boundConnections } from './connections.ts';

const HEADERS_MS = 10_000;
/** An upload of 64 MB over a slow line. */
const REQUEST_MS = 300_000;
const MAX_CONNECTIONS = 512;
/** An office behind one address: 20 browsers open 6 connections each. */
const MAX_OF_PEER = 128;

interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

interface Log {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Paths of PEM files. Renewed ones are used for the connections from then on. */
  readonly tls?: TlsFiles | undefined;
  readonly log: Log;
  /** Not empty: connections come from reverse proxies, which bound those of each client. */
  readonly trustProxy?: readonly string[];
}

export interface Listener {
  readonly host: string;
  readonly port: number;
  /** `http://127.0.0.1:8088` */
  readonly url: string;
  close(): Promise<void>;
}

/** @throws with `syscall: 'listen'` for a used port or an address that this machine does not have */
export async function listen(
  app: RequestListener,
  { host, port: wanted, tls, log, trustProxy = [] }: ListenOptions,
): Promise<Listener> {
  const timeouts = {
    headersTimeout: HEADERS_MS,
    requestTimeout: REQUEST_MS,
    connectionsCheckingInterval: 1000,
  };
  const pair = tls === undefined ? null : await readPair(tls);
  const server =
    pair === null
      ? createServer(timeouts, app)
      : createTlsServer({ ...timeouts, handshakeTimeout: HEADERS_MS, ...pair }, app);
  boundConnections(server, {
    max: MAX_CONNECTIONS,
    maxOfPeer: trustProxy.length > 0 ? MAX_CONNECTIONS : MAX_OF_PEER,
  });
  await new Promise<void>((done, failed) => {
    server.once('error', failed);
    server.listen({ host, port: wanted, exclusive: true }, () => {
      server.off('error', failed);
      done();
    });
  });
  const closing = new AbortController();
  if (tls !== undefined && pair !== null)
    void followContents({
      first: pair,
      read: () => readPair(tls),
      printOf: ({ cert, key }) => createHash('sha256').update(cert).update(key).digest('hex'),
      use(renewed) {
        // The server would take a private key of another certificate, and then refuse every connection.
        createSecureContext(renewed);
        (server as TlsServer).setSecureContext(renewed);
        log.info({}, 'the console uses its renewed certificate');
      },
      failed: (error) =>
        log.error(
          { err: error },
          'the renewed certificate of the console cannot be used; the one before stays in use',
        ),
      signal: closing.signal,
    });
  const { port } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    host,
    port,
    url: `${tls === undefined ? 'http' : 'https'}://${name}:${port}`,
    async close() {
      closing.abort();
      await closeServer(server);
    },
  };
}

async function readPair({ cert, key }: TlsFiles) {
  return { cert: await readRegularFile(cert), key: await readRegularFile(key) };
}
