// The API in another shape: a proxy before a sandbox that rewrites requests and answers by rules. For trials of what
// Sluice does where the API text leaves a shape open.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Bodies are whatever JSON holds, and rules rewrite them in place. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Body = any;

export interface AskedCall {
  readonly method: string;
  /** Behind the base URL, without the query: `/v1/contacts/7`. */
  path: string;
  readonly query: URLSearchParams;
  /** Parsed JSON; undefined when there is none. */
  body: Body;
}

export interface GivenAnswer {
  status: number;
  /** Undefined: an empty body. A string is sent as it is. */
  body: Body;
  headers: Record<string, string>;
}

/** What becomes of a call: `ask` changes it before the sandbox sees it, `answer` changes what comes back. */
export interface Rule {
  /** Tested on `GET /v1/contacts/7`. @default every call */
  readonly on?: RegExp;
  readonly ask?: (call: AskedCall) => void;
  /** Called for successes, and with `errors: true` for errors too. A returned value replaces the body. */
  readonly answer?: (answer: GivenAnswer, call: AskedCall) => void | Promise<void>;
  readonly errors?: boolean;
}

export interface ReshapedService {
  readonly baseUrl: string;
  /** May change at any time; applied in order. */
  rules: readonly Rule[];
  /** Every call, in order, as Sluice made it: `POST /v1/contacts`. */
  readonly calls: string[];
  /** Calls that write, in order. */
  writes(): string[];
  close(): Promise<void>;
}

/** @param target base URL of the sandbox */
export async function reshape(target: string, ...rules: readonly Rule[]): Promise<ReshapedService> {
  const server = createServer((request, response) => {
    forward(request, response).catch((error: unknown) => {
      response.writeHead(599).end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const prefix = new URL(target).pathname;
  const service: ReshapedService = {
    baseUrl: `http://127.0.0.1:${port}${prefix}`,
    rules,
    calls: [],
    writes: () => service.calls.filter((call) => !call.startsWith('GET ')),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return service;

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const url = new URL(request.url ?? '', 'http://x');
    const method = request.method ?? 'GET';
    const isJson = /json/.test(request.headers['content-type'] ?? '');
    const call: AskedCall = {
      method,
      path: url.pathname.slice(prefix.length),
      query: url.searchParams,
      body: isJson ? JSON.parse(bytes.toString()) : undefined,
    };
    const name = `${method} ${call.path}`;
    service.calls.push(name);
    const mine = service.rules.filter(({ on }) => on === undefined || on.test(name));
    for (const { ask } of mine) ask?.(call);
    const query = call.query.size === 0 ? '' : `?${call.query}`;
    const { host: _host, 'content-length': _length, connection: _connection, ...headers } = request.headers;
    const answered = await fetch(`${target}${call.path}${query}`, {
      method,
      headers: headers as Record<string, string>,
      ...(method === 'GET' ? {} : { body: isJson ? JSON.stringify(call.body) : bytes }),
      redirect: 'manual',
    });
    const text = await answered.text();
    const answer: GivenAnswer = {
      status: answered.status,
      body: text === '' ? undefined : JSON.parse(text),
      headers: Object.fromEntries(
        [...answered.headers].filter(([key]) => /^(x-ratelimit|retry-after|date|content-type)/.test(key)),
      ),
    };
    for (const { answer: change, errors = false } of mine) {
      if (answer.status < 400 || errors) await change?.(answer, call);
    }
    response.writeHead(answer.status, answer.headers);
    response.end(
      answer.body === undefined ? '' : typeof answer.body === 'string' ? answer.body : write(answer.body),
    );
  }
}

/** JSON with integers of any length. */
function write(value: Body): string {
  if (typeof value === 'bigint') return String(value);
  if (value === undefined) return 'null';
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return `{${fields.map(([key, inner]) => `${JSON.stringify(key)}:${write(inner)}`).join(',')}}`;
}

export const HISTORY = /^GET \/v1\/conversations\/\d+\/messages$/;

/** Changes every item of a list: `list` is the key of the answer. */
export const eachItem = (on: RegExp, list: string, change: (item: Body) => void): Rule => ({
  on,
  answer: ({ body }) => {
    for (const item of body[list] ?? []) change(item);
  },
});

/** Changes every message of a history. */
export const eachMessage = (change: (message: Body) => void): Rule => eachItem(HISTORY, 'messages', change);

/** Moves a field of a record to a name or a nested path: `rename(item, 'body', 'content.text')`. */
export function rename(item: Body, from: string, to: string): void {
  const value = item[from];
  delete item[from];
  const path = to.split('.');
  const last = path.pop() as string;
  let at = item;
  for (const name of path) {
    at[name] ??= {};
    at = at[name];
  }
  at[last] = value;
}

/** Puts the whole body, or one key of it, under another key: `wrap(/pipelines/, 'pipelines', 'data.items')`. */
export const wrap = (on: RegExp, key: string, to: string): Rule => ({
  on,
  answer: ({ body }) => rename(body, key, to),
});

/** Puts everything but `requestId` under `data`. */
export const envelope = (on: RegExp = /./, key = 'data'): Rule => ({
  on,
  answer: (answer) => {
    const { requestId, ...rest } = answer.body ?? {};
    answer.body = { requestId, [key]: rest };
  },
});

/** The service does not know a query parameter, and says nothing. */
export const ignoreParameter = (on: RegExp, name: string): Rule => ({
  on,
  ask: ({ query }) => query.delete(name),
});

/** The service does not know a field of the body, and says nothing. */
export const ignoreField = (on: RegExp, name: string): Rule => ({
  on,
  ask: ({ body }) => {
    delete body?.[name];
  },
});

/** The service takes a field of the body under another name, or a nested path, only. */
export const inputNamed = (on: RegExp, name: string, ours: string): Rule => ({
  on,
  ask: ({ body }) => {
    if (body === undefined) return;
    const value = name.split('.').reduce((at: Body, key) => at?.[key], body);
    delete body[ours];
    if (value !== undefined) body[ours] = value;
  },
});

/** The effect happens, and the answer says something else. */
export const answerWith = (on: RegExp, status: number, body: Body): Rule => ({
  on,
  answer: (answer, _call) => {
    answer.status = status;
    answer.body = typeof body === 'function' ? body(answer.body) : body;
  },
});

/** A refusal has another status, code or body: no effect happened. */
export const refuseWith = (on: RegExp, status: number, body: Body): Rule => ({
  on,
  errors: true,
  answer: (answer) => {
    if (answer.status < 400) return;
    answer.status = status;
    answer.body = body;
  },
});

/** Every id of an answer, to any depth: `mapIds((id) => BigInt(id) * 10n ** 17n)`. */
export const mapIds = (change: (id: number) => unknown, on: RegExp = /./): Rule => ({
  on,
  answer: (answer) => {
    answer.body = mapIdsOf(answer.body, change);
  },
});

function mapIdsOf(value: Body, change: (id: number) => unknown): Body {
  if (Array.isArray(value)) return value.map((item) => mapIdsOf(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const isId = /(^id|Id)$/.test(key) && Number.isSafeInteger(inner);
      return [key, isId ? change(inner as number) : mapIdsOf(inner, change)];
    }),
  );
}
