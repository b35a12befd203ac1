// What the company of company.ts talks to: a Temporal server that stops, receivers of events, and the operator API.
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { freePort } from '../../../src/core/net/ports.ts';
import { cacheDirOf } from '../../../src/temporal/cache-dir.ts';
import { SEARCH_ATTRIBUTES } from '../../../src/temporal/search-attributes.ts';
import { startTemporal, type TemporalServer } from '../../../src/temporal/temporal-server.ts';
import { guard } from '../../support/guard.ts';

const PASSWORD = 'a password of a test';

/** A receiver of events, which answers this status until somebody sets another. */
export interface Receiver {
  status: number;
}

export interface Startable {
  stop(): Promise<void>;
  /** On the same port, with what it had. */
  start(): Promise<void>;
}

/** One call of the operator API, as an admin. */
export type Call = <T>(method: string, path: string, body?: object) => Promise<T>;

export async function ownTemporal(
  stateDir: string,
  ends: (() => Promise<unknown>)[],
): Promise<Startable & { readonly address: string }> {
  await mkdir(stateDir);
  const port = await freePort();
  let server: TemporalServer;
  let standDown: () => Promise<void>;
  const start = async () => {
    server = await startTemporal({
      stateDir,
      env: {},
      cacheDir: cacheDirOf(process.env),
      say: () => undefined,
      port,
      searchAttributes: SEARCH_ATTRIBUTES,
    });
    standDown = guard({ pid: server.pid, folder: stateDir });
  };
  const stop = async () => {
    await server.stop();
    await standDown();
  };
  await start();
  ends.push(stop);
  return { address: `127.0.0.1:${port}`, start, stop };
}

/** @returns its URL */
export async function receive(receiver: Receiver, ends: (() => Promise<unknown>)[]): Promise<string> {
  const server = createServer((req, res) => {
    req.resume().on('end', () => res.writeHead(receiver.status).end());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  ends.push(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

/** Claims the link of the first admin, and calls with an access token. */
export async function logIn(url: string, link: string): Promise<Call> {
  const ask = async <T>(method: string, path: string, body?: object, token?: string): Promise<T> => {
    const answer = await request(`${url}/api/v1${path}`, {
      method: method as 'GET' | 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 400) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
    return JSON.parse(text) as T;
  };
  const secret = new URL(link).hash.replace(/^#(.*=)?/, '');
  await ask('POST', '/session/claim', { link: secret, name: 'marina', password: PASSWORD });
  const { accessToken } = await ask<{ accessToken: string }>('POST', '/login', {
    name: 'marina',
    password: PASSWORD,
    accessToken: { name: 'alerts' },
  });
  return (method, path, body) => ask(method, path, body, accessToken);
}
