// An API on a port of its own, scripted by a function, and an HTTP source that reads it.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { HttpSource } from '../../../../src/connectors/sources/http/config.ts';
import { type Clock, httpSource } from '../../../../src/connectors/sources/http/http.ts';
import { type Source, SourceError } from '../../../../src/core/source.ts';
import { readAll } from './support.ts';

export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface ApiAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Anything but text and bytes goes out as JSON. */
  readonly body?: unknown;
  /** Cuts the connection: before an answer, or behind the body. */
  readonly cut?: 'before' | 'after';
  /** No answer ever comes. */
  readonly hang?: boolean;
}

export interface Api {
  readonly url: string;
  readonly requests: ApiRequest[];
  script: (request: ApiRequest, count: number) => ApiAnswer;
  close(): Promise<void>;
}

export async function startApi(): Promise<Api> {
  const requests: ApiRequest[] = [];
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const url = new URL(req.url ?? '/', api.url);
    const request: ApiRequest = {
      method: req.method ?? '',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: req.headers,
      body: Buffer.concat(chunks).toString(),
    };
    requests.push(request);
    const { status = 200, headers = {}, body = '', cut, hang } = api.script(request, requests.length);
    if (hang === true) return;
    if (cut === 'before') return void req.socket.destroy();
    const bytes =
      typeof body === 'string' || Buffer.isBuffer(body)
        ? Buffer.from(body)
        : Buffer.from(JSON.stringify(body));
    const length = cut === 'after' ? { 'content-length': String(bytes.length + 10) } : {};
    res.writeHead(status, { 'content-type': 'application/json', ...length, ...headers });
    if (cut === 'after') return void res.write(bytes, () => req.socket.destroy());
    res.end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const api: Api = {
    url: `http://127.0.0.1:${port}/leads`,
    requests,
    script: () => ({ body: [] }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return api;
}

/** A clock that stands still but for sleeping. */
export function stillClock(start = Date.parse('2026-11-20T10:00:00Z')): Clock & { slept: number[] } {
  let now = start;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    sleep: async (ms) => {
      slept.push(ms);
      now += ms;
    },
  };
}

const SECRETS: Readonly<Record<string, string>> = {
  'env:TOKEN': 'canary-token-value',
  'env:USER': 'canary-user',
  'env:ODD': 'ünï\u2028',
};

export function sourceOf(api: Api, config: Record<string, unknown> = {}, clock?: Clock): Source {
  const parsed = HttpSource.parse({ type: 'http', url: api.url, ...config });
  return httpSource(
    parsed,
    async (ref) => {
      const value = SECRETS[ref];
      if (value === undefined) throw new Error(`environment variable ${ref.slice(4)} is not set`);
      return value;
    },
    clock,
  );
}

export const people = (from: number, to: number) =>
  Array.from({ length: to - from }, (_each, index) => ({ id: from + index }));

/** Serves 0…24, ten at a time, by any kind of paging. */
export const serve = (request: ApiRequest): ApiAnswer => {
  const { page, offset, after } = request.query;
  const from = page !== undefined ? (Number(page) - 1) * 10 : Number(offset ?? after ?? 0);
  const to = Math.min(25, from + 10);
  const more = to < 25;
  const here = `${request.path}?after=${to}&key=echo`;
  return {
    headers: more ? { link: `<${here}>; rel="next", </leads?after=0>; rel="first"` } : {},
    body: {
      rows: people(from, to),
      more,
      next: more ? String(to) : null,
      link: more ? `?after=${to}` : null,
      total: 25,
    },
  };
};

/** What reading the source fails with. */
export async function failure(source: Source): Promise<SourceError> {
  const error = await source.read(null, { limit: 100 }).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (error instanceof SourceError) return error;
  throw new Error('the source was read', { cause: error });
}

/** The API of a test file, up for all its tests; what it was asked is forgotten before each. Call it once, at the top. */
export function apiContext(): Api {
  let api: Api;
  beforeAll(async () => {
    api = await startApi();
  });
  beforeEach(() => {
    api.requests.length = 0;
  });
  afterAll(() => api.close());
  return {
    get url() {
      return api.url;
    },
    get requests() {
      return api.requests;
    },
    set script(script: Api['script']) {
      api.script = script;
    },
    get script() {
      return api.script;
    },
    close: () => api.close(),
  };
}

export async function idsOf(source: Source, limit?: number): Promise<unknown[]> {
  return (await readAll(source, limit)).map(({ values }) => values?.id);
}
