// A real server on a free port, with a scripted route and a scripted acceptance, and a raw socket to knock on it.
import { createConnection } from 'node:net';
import { Registry } from 'prom-client';
import { onTestFinished } from 'vitest';
import { RouteConfig } from '../../../../../../src/jobs/events/config.ts';
import type { EventDraft } from '../../../../../../src/jobs/events/contract/intake.ts';
import { IngressHttp } from '../../../../../../src/jobs/events/ingress/config.ts';
import { createHttpIngress, type HttpIngress } from '../../../../../../src/jobs/events/ingress/http/index.ts';
import type {
  Acceptance,
  Delivery,
  Load,
  ReadDelivery,
  Route,
} from '../../../../../../src/jobs/events/ingress/intake.ts';
import type { NewRefusedRequest } from '../../../../../../src/jobs/events/store/refused-requests.ts';
import type { NewUpload, StoredUpload } from '../../../../../../src/jobs/events/store/uploads.ts';
import { createHttpMetrics } from '../../../../../../src/observe/metrics/http.ts';

export interface Line {
  readonly level: 'info' | 'warn' | 'error';
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

export interface Environment {
  readonly url: string;
  readonly port: number;
  readonly ingress: HttpIngress;
  readonly registry: Registry;
  readonly lines: Line[];
  /** What the routes were given to read. */
  readonly deliveries: Delivery[];
  /** What was given to be kept. */
  readonly uploads: NewUpload[];
  readonly refused: NewRefusedRequest[];
  post(body: string | Uint8Array, headers?: Record<string, string>, path?: string): Promise<Response>;
  figures(): Promise<string>;
}

export interface Script {
  readonly http?: Partial<IngressHttp>;
  /** Parts of the route `leads` at `/hooks/lead`. */
  readonly auth?: object;
  readonly secrets?: readonly string[];
  readonly perMinute?: number;
  /** @default one draft, whose id is the body's length */
  readonly read?: (delivery: Delivery) => Promise<ReadDelivery> | ReadDelivery;
  readonly accept?: Acceptance['accept'];
  /** Further routes with the same secrets, by path. */
  readonly also?: readonly string[];
  /** Instead of the scripted one. */
  readonly route?: Route;
  /** Part `uploads` of the route, which sends messages then. */
  readonly files?: object;
  readonly store?: (upload: NewUpload) => Promise<StoredUpload>;
  readonly ready?: () => Promise<void>;
  readonly loads?: Load[];
  readonly now?: () => number;
  readonly graceMs?: number;
}

export const JSON_TYPE = { 'content-type': 'application/json' };
export const TOKEN = 'tok_canary_91';
const BEARER = { authorization: `Bearer ${TOKEN}` };

export function draft(id: string): EventDraft {
  return {
    account: 'acme',
    route: 'leads',
    id,
    subject: 's',
    rank: null,
    request: { type: 'tags', number: '5511987654321', key: '5511987654321', add: ['x'], remove: [] },
  };
}

export function routeConfig(
  http: object | null,
  schema?: RouteConfig['schema'],
  uploads?: object,
): RouteConfig {
  return RouteConfig.parse({
    account: 'acme',
    ...(http !== null && { http }),
    ...(schema !== undefined && { schema }),
    action:
      uploads === undefined
        ? { type: 'lead', mapping: 'crm' }
        : { type: 'message', number: 'phone', uploads: { ids: 'files', ...uploads } },
  });
}

/** A route with a token, unless the script says otherwise; closed when the test ends. */
export async function openEnvironment(script: Script = {}): Promise<Environment> {
  const lines: Line[] = [];
  const deliveries: Delivery[] = [];
  const uploads: NewUpload[] = [];
  const refused: NewRefusedRequest[] = [];
  const say = (level: Line['level']) => (fields: object, message: string) =>
    void lines.push({ level, fields: fields as Line['fields'], message });
  const auth = script.auth ?? { type: 'token', secrets: ['env:TOKEN'] };
  const config = routeConfig(
    {
      path: '/hooks/lead',
      auth,
      ...(script.perMinute !== undefined && { perMinute: script.perMinute }),
    },
    undefined,
    script.files,
  );
  const route: Route = script.route ?? {
    name: 'leads',
    config,
    read: async (delivery) => {
      deliveries.push(delivery);
      return await (script.read?.(delivery) ?? { drafts: [draft(String(delivery.body.length))] });
    },
  };
  const acceptance: Acceptance = {
    accept: script.accept ?? (async (_route, drafts) => drafts.map(({ id }) => ({ id, duplicate: false }))),
    requireCapacity: async () => undefined,
    loads: async () => script.loads ?? [{ account: 'acme', open: 3, oldestSeconds: 1.5, busy: null }],
    ready: script.ready ?? (async () => undefined),
    close: async () => undefined,
  };
  const registry = new Registry();
  const secrets = script.secrets ?? (script.auth === undefined ? [TOKEN] : []);
  const ingress = createHttpIngress({
    http: IngressHttp.parse({ port: 0, ...script.http }),
    routes: [
      { route, secrets },
      ...(script.also ?? []).map((path) => ({
        route: { ...route, name: path.slice(1), config: routeConfig({ path, auth }) },
        secrets,
      })),
    ],
    acceptance,
    storeUpload: async (upload) => {
      uploads.push(upload);
      return (
        (await script.store?.(upload)) ?? {
          id: `up_${uploads.length}`,
          size: upload.data.length,
          expiresAt: new Date(0),
        }
      );
    },
    keepRefused: (request) => void refused.push(request),
    log: { info: say('info'), warn: say('warn'), error: say('error') },
    metrics: createHttpMetrics(registry),
    ...(script.now !== undefined && { now: script.now }),
    ...(script.graceMs !== undefined && { graceMs: script.graceMs }),
  });
  const { port } = await ingress.listen();
  onTestFinished(() => ingress.close());
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    port,
    ingress,
    registry,
    lines,
    deliveries,
    uploads,
    refused,
    post: (body, headers = {}, path = '/hooks/lead') =>
      fetch(url + path, {
        method: 'POST',
        body: body as Uint8Array<ArrayBuffer>,
        headers: { ...JSON_TYPE, ...(script.auth === undefined && BEARER), ...headers },
      }),
    figures: () => registry.metrics(),
  };
}

export interface RawSocket {
  write(text: string | Uint8Array): boolean;
  /** Resolves with all that has come once `isThere` says so, or once the server has closed. */
  until(isThere: (text: string) => boolean): Promise<string>;
  /** Resolves with all that came once the server has closed. */
  readonly closed: Promise<string>;
  /** Says that nothing more comes. */
  end(): void;
  destroy(): void;
}

/** A socket that writes what it is asked to, right or wrong. */
export function knock(port: number, localAddress = '127.0.0.1'): RawSocket {
  const socket = createConnection({ port, host: '127.0.0.1', localAddress });
  onTestFinished(() => void socket.destroy());
  let text = '';
  const watchers = new Set<() => void>();
  const report = (): void => {
    for (const watcher of watchers) watcher();
  };
  let isClosed = false;
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    report();
  });
  // A reset is one way of closing.
  socket.on('error', () => undefined);
  socket.on('close', () => {
    isClosed = true;
    report();
  });
  const until = (isThere: (text: string) => boolean): Promise<string> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (!isClosed && !isThere(text)) return;
        watchers.delete(check);
        resolve(text);
      };
      watchers.add(check);
      check();
    });
  return {
    write: (data) => socket.write(data),
    until,
    closed: until(() => false),
    end: () => void socket.end(),
    destroy: () => socket.destroy(),
  };
}

/** A request as text. */
export function raw(body: string, headers: Record<string, string> = {}, start = 'POST /hooks/lead HTTP/1.1') {
  const all = {
    host: '127.0.0.1',
    ...JSON_TYPE,
    ...BEARER,
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  };
  return `${[start, ...Object.entries(all).map(([name, value]) => `${name}: ${value}`)].join('\r\n')}\r\n\r\n${body}`;
}
