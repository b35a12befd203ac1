// The HTTP ingress as a server: its limits against slow, greedy and broken senders, and its graceful shutdown.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { durationMs } from '../../../../core/config/base.ts';
import { type AppOptions, createApp, type HttpApp, type HttpRoute, MAX_HEADERS } from './app.ts';
import { createConnections } from './connections.ts';
import { createRepeatingLog } from './log.ts';
import { watchLoop } from './loop-lag.ts';
import type { IngressReadiness } from './readiness.ts';

const MAX_HEADER_BYTES = 16_384;
/** Interval of the check for slow requests. A slow request is closed at most this long after its deadline. */
const CHECK_MS = 500;
/** Length of the accept queue. If it is full, a sender waits a second before it retries. */
const BACKLOG = 4096;
/** Longer than in most proxies, so that the proxy closes first and no request meets a closing socket. */
const KEEP_ALIVE_MS = 65_000;

export type HttpIngressOptions = Omit<AppOptions, 'now' | 'readAfter' | 'proved' | 'isClosing'> & {
  /** Milliseconds since 1970, for the times of signatures. @default Date.now */
  readonly now?: () => number;
  /** How long requests in progress may take at shutdown before their sockets are cut. @default 10000 */
  readonly graceMs?: number;
};

export interface HttpIngress {
  /** @returns the port, which differs from the configured one if that is 0; rejects as `server.listen` does */
  listen(): Promise<{ port: number }>;
  /** Whether it accepts events now. */
  readiness(): Promise<IngressReadiness>;
  /**
   * Opens other routes on the same address. Requests that arrive after `commit` meet them; a request in progress ends
   * with the route that it began with.
   * @throws as `createHttpIngress`
   */
  prepare(routes: readonly HttpRoute[]): { commit(): void; discard(): void };
  /**
   * Accepts no new connections. Requests in progress get their answer, and each connection closes after it. Resolves
   * when all are closed, after `graceMs` at the latest. The owner of the acceptance closes it afterwards.
   */
  close(): Promise<void>;
}

/** @throws SecretError for an unusable secret, RangeError for a path in use; both name the route */
export function createHttpIngress(options: HttpIngressOptions): HttpIngress {
  const { http, log, metrics, now = Date.now, graceMs = 10_000 } = options;
  const connections = createConnections({
    max: http.maxConnections,
    maxPerPeer: http.unauthenticated.maxConnectionsPerPeer,
    isProxy: (address) => current.isProxy(address),
  });
  metrics.watchConnections(connections.count);
  const repeating = createRepeatingLog(log, () => performance.now());
  const lag = watchLoop();
  let closing: Promise<void> | null = null;
  const open = (routes: readonly HttpRoute[]): HttpApp =>
    createApp({
      ...options,
      routes,
      proved: connections.proved,
      readAfter: lag.readAfter,
      now,
      isClosing: () => closing !== null,
    });
  let current = open(options.routes);
  current.watch();

  const requestTimeout = durationMs(http.bodyTimeout);
  const server = createServer({
    requestTimeout,
    headersTimeout: Math.min(durationMs(http.headersTimeout), requestTimeout),
    connectionsCheckingInterval: CHECK_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    insecureHTTPParser: false,
    // The app enforces this limit. Node's own refusal would keep reading the rest of the body.
    requireHostHeader: false,
  });
  server.maxHeadersCount = MAX_HEADERS + 1;
  // Covers what the other limits do not: a sender that never reads its answers. Idle connections end here as well.
  server.setTimeout(requestTimeout + KEEP_ALIVE_MS, connections.stalled);
  server.on('connection', (socket) => {
    const closed = connections.opened(socket);
    if (closed === null) return;
    const { maxConnections } = http;
    metrics.notAccepted('-', 'BUSY');
    repeating.warn(closed, { maxConnections, closed }, 'too many connections; one was closed');
  });
  for (const event of ['request', 'checkContinue'] as const) {
    server.on(event, (req, res) => {
      if (connections.began(req, res)) current.app(req, res);
    });
  }
  server.on('clientError', (error, socket) => {
    const code = connections.failed(error, socket as never);
    if (code === null) return;
    metrics.refused('-', code);
    repeating.warn(code, { code }, 'connection refused');
  });

  const close = async (): Promise<void> => {
    const cut = setTimeout(() => {
      log.warn(
        { connections: connections.count() },
        'requests did not end in time; their connections are cut',
      );
      connections.cut();
    }, graceMs);
    try {
      await new Promise<void>((resolve) => {
        // The error says that it never listened.
        server.close(() => resolve());
        connections.wind();
      });
    } finally {
      clearTimeout(cut);
      lag.close();
      current.close();
    }
  };

  return {
    listen: () =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen({ port: http.port, host: http.host, backlog: BACKLOG }, () => {
          server.off('error', reject);
          server.on('error', (error: NodeJS.ErrnoException) =>
            log.error({ code: error.code }, 'server failed'),
          );
          resolve({ port: (server.address() as AddressInfo).port });
        });
      }),
    readiness: () => current.readiness(),
    prepare(routes) {
      const next = open(routes);
      return {
        commit() {
          const before = current;
          current = next;
          next.watch();
          before.close();
        },
        discard: () => next.close(),
      };
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
