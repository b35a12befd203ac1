// The admin listener of a process: /metrics for Prometheus, /healthz and /readyz for whoever runs the process.
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostOfRequest } from '../core/net/authority.ts';
import { isLoopbackHost } from '../core/net/loopback.ts';

/** Result of the check of one part of the process. */
export type PartHealth =
  | { readonly ready: true; readonly [detail: string]: unknown }
  | {
      readonly ready: false;
      readonly code: string;
      /** Contains no address, secret or personal data. */
      readonly error: string;
    };

export interface AdminOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** The page of metrics. Scrapes at the same time share one. */
  metrics(): Promise<string>;
  /**
   * Parts that must be ready, by name; null while the process starts. A check that throws, or takes longer than 5 s, is
   * not ready.
   */
  health(): Readonly<Record<string, () => Promise<PartHealth>>> | null;
  /** True once the process has begun to shut down: it takes no new work. */
  isClosing(): boolean;
  /** Hears why a page or a check failed unexpectedly. */
  onError(error: unknown): void;
}

export interface AdminListener {
  readonly port: number;
  /** `http://127.0.0.1:9464` */
  readonly url: string;
  close(): Promise<void>;
}

/** Time limit of a check. */
const CHECK_MS = 5000;
const REQUEST_MS = 10_000;
const MAX_CONNECTIONS = 64;
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** @throws with `syscall: 'listen'` for a used port or an address that this machine does not have */
export async function listenForAdmin(options: AdminOptions): Promise<AdminListener> {
  const { host, isClosing, onError } = options;
  const readMetrics = shared(options.metrics);
  // Frequent requests cost one check at a time.
  const readiness = shared(async () => {
    if (isClosing()) return { ready: false, code: 'CLOSING', error: 'the process is shutting down' };
    const checks = options.health();
    if (checks === null) return { ready: false, code: 'STARTING', error: 'the process is starting' };
    const found = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await checked(check, onError)] as const),
    );
    const parts = Object.fromEntries(found);
    const failed = found.find(([, part]) => !part.ready);
    if (failed === undefined) return { ready: true, parts };
    return { ready: false, code: failed[1].code, error: failed[1].error, parts };
  });
  const pages: Readonly<Record<string, (response: ServerResponse) => Promise<void>>> = {
    '/healthz': async (response) => answer(response, 200, json({ live: true })),
    '/readyz': async (response) => {
      const state = await readiness();
      answer(response, state.ready ? 200 : 503, json(state));
    },
    '/metrics': async (response) => answer(response, 200, await readMetrics(), METRICS_TYPE),
  };
  const server = createServer(
    { headersTimeout: REQUEST_MS, requestTimeout: REQUEST_MS, connectionsCheckingInterval: 1000 },
    (request, response) => {
      const named = hostOfRequest(request);
      if (typeof named === 'string') {
        answer(response, 400, json({ error: 'the request names no host, or two', code: named }));
        return;
      }
      // A web page whose name resolves to this machine (DNS rebinding) must not read the pages. In a container, the names
      // by which others reach the process are not known.
      if (isLoopbackHost(host) && !isLoopbackHost(named.hostname)) {
        answer(response, 403, json({ error: 'use the address of this machine', code: 'FORBIDDEN' }));
        return;
      }
      const pathname = (request.url ?? '/').split('?', 1)[0] as string;
      const page = Object.hasOwn(pages, pathname) ? pages[pathname] : undefined;
      if (page === undefined) {
        answer(response, 404, json({ error: 'there are /metrics, /healthz and /readyz', code: 'NOT_FOUND' }));
        return;
      }
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        response.setHeader('Allow', 'GET, HEAD');
        answer(response, 405, json({ error: 'use GET', code: 'METHOD_NOT_ALLOWED' }));
        return;
      }
      page(response).catch((error: unknown) => {
        onError(error);
        answer(response, 500, json({ error: 'the page failed; the log says why', code: 'INTERNAL' }));
      });
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((done, failed) => {
    server.once('error', failed);
    server.listen({ host, port: options.port, exclusive: true }, () => {
      server.off('error', failed);
      server.on('error', onError);
      done();
    });
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    close: () => closed(server),
  };
}

function answer(response: ServerResponse, status: number, body: string, type = 'application/json'): void {
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(body);
}

const json = (value: object): string => `${JSON.stringify(value)}\n`;

async function closed(server: Server): Promise<void> {
  await new Promise<void>((done) => {
    server.close(() => done());
    server.closeAllConnections();
  });
}

async function checked(
  check: () => Promise<PartHealth>,
  onError: (error: unknown) => void,
): Promise<PartHealth> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<PartHealth>((resolve) => {
    timer = setTimeout(
      () => resolve({ ready: false, code: 'TIMEOUT', error: `no answer within ${CHECK_MS / 1000} s` }),
      CHECK_MS,
    );
  });
  const result = check().catch((error: unknown): PartHealth => {
    onError(error);
    return { ready: false, code: 'INTERNAL', error: 'the check failed; the log says why' };
  });
  try {
    return await Promise.race([result, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Callers at the same time share one call. */
function shared<T>(call: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  return () => {
    running ??= call().finally(() => {
      running = null;
    });
    return running;
  };
}
