// Listens for browsers and remote commands.
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { readRegularFile } from '../../core/files/regular-file.ts';
import { closeServer } from './close-server.ts';
import { boundConnections } from './connections.ts';

const HEADERS_MS = 10_000;
/** An upload of 64 MB over a slow line. */
const REQUEST_MS = 300_000;
const MAX_CONNECTIONS = 512;
/** An office behind one address: 20 browsers open 6 connections each. */
const MAX_OF_PEER = 128;

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Paths of PEM files. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
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
  { host, port: wanted, tls, trustProxy = [] }: ListenOptions,
): Promise<Listener> {
  const timeouts = {
    headersTimeout: HEADERS_MS,
    requestTimeout: REQUEST_MS,
    connectionsCheckingInterval: 1000,
  };
  const server: Server =
    tls === undefined
      ? createServer(timeouts, app)
      : createTlsServer(
          {
            ...timeouts,
            handshakeTimeout: HEADERS_MS,
            cert: await readRegularFile(tls.cert),
            key: await readRegularFile(tls.key),
          },
          app,
        );
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
  const { port } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    host,
    port,
    url: `${tls === undefined ? 'http' : 'https'}://${name}:${port}`,
    close: () => closeServer(server),
  };
}
