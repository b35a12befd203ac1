// Where the name of an HTTP source may lead, from one request to the next.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openExchange } from '../../../../src/connectors/sources/http/http-exchange.ts';

let server: Server;
let port: number;
let hits = 0;
let body: Buffer | null = null;
beforeEach(async () => {
  hits = 0;
  body = null;
  server = createServer((_req, res) => {
    hits++;
    const head = { 'content-type': 'application/json', connection: 'close' };
    if (body === null) return void res.writeHead(200, head).end('[]');
    res.writeHead(200, { ...head, 'content-encoding': 'gzip' }).end(body);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  port = (server.address() as AddressInfo).port;
});
afterEach(() => new Promise((done) => server.close(done)));

const readTwice = async (...answers: string[]) => {
  let asked = 0;
  const exchange = openExchange({
    place: 'https://crm.test/list',
    timeoutMs: 60_000,
    now: Date.now,
    resolve: async () => [{ address: answers[asked++] ?? '', family: 4 }],
  });
  const outcomes: string[] = [];
  try {
    for (let n = 0; n < 2; n++)
      outcomes.push(
        await exchange
          .send({ method: 'GET', url: new URL(`http://crm.test:${port}/list`), headers: {} })
          .then(
            () => 'read',
            (error: { code: string }) => error.code,
          ),
      );
    return outcomes;
  } finally {
    await exchange.close();
  }
};

it.each([
  [['127.0.0.1', '127.0.0.1'], ['read', 'read'], 2],
  [['127.0.0.1', '169.254.169.254'], ['read', 'bad_config'], 1],
  [['0.0.0.0', '169.254.169.254'], ['bad_config', 'bad_config'], 0],
])('a name that leads to %j: %j', async (answers, outcomes, requests) => {
  expect(await readTwice(...answers)).toEqual(outcomes);
  expect(hits).toBe(requests);
});

it('a small answer that unpacks to more than 32 MB is given up', async () => {
  body = gzipSync(Buffer.alloc(40_000_000, ' '));
  expect(await readTwice('127.0.0.1', '127.0.0.1')).toEqual(['too_large', 'too_large']);
});
