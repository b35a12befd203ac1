// Floods of connections and streams: whoever is logged in gets through.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../../../src/core/sql/database.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';
import {
  addUser,
  type Browser,
  openBrowser,
  startServer,
  type TestServer,
} from '../identity/http-context.ts';

/** Connections of one peer. */
const MAX_OF_PEER = 128;
/** Streams of one identity. */
const MAX_OWN_STREAMS = 20;

let db: Database;
let server: TestServer;
let ana: Browser;
let sockets: Socket[];
beforeEach(async () => {
  db = await testLedger();
  server = await startServer(db);
  sockets = [];
  await addUser(db, 'ana');
  ana = openBrowser(server);
  await ana.login('ana');
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await server.close();
});

async function open(sent: string): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  if (sent !== '') socket.write(sent);
  return socket;
}

async function openStream(browser: Browser): Promise<Socket> {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const host = `Host: localhost:${server.port}`;
  const head = ['GET /api/v1/changes HTTP/1.1', host, `Cookie: ${cookie}`, 'Connection: close'];
  const socket = await open(`${head.join('\r\n')}\r\n\r\n`);
  await once(socket, 'readable');
  return socket;
}

const HALF_A_LOGIN = [
  'POST /api/v1/login HTTP/1.1',
  'Host: localhost',
  'Content-Type: application/json',
  'Content-Length: 1000',
  '',
  '{',
].join('\r\n');

describe('a flood from one address', () => {
  it.each([
    ['idle connections', ''],
    ['half of the headers', 'GET /api/v1/session HTTP/1.1\r\nHost: localhost\r\n'],
    // The limit of logins refuses most of them, so not all wait at once.
    ['half of a login', HALF_A_LOGIN],
  ])('of %s makes room for operators, and leaves their streams', async (_, sent) => {
    const streams = [await openStream(ana), await openStream(ana)];
    const flood: Socket[] = [];
    for (let n = 0; n < MAX_OF_PEER + 20; n++) flood.push(await open(sent));
    for (let n = 0; n < 5; n++) expect((await ana.send('GET', '/api/v1/session')).status).toBe(200);
    if (sent !== HALF_A_LOGIN)
      await Promise.all(flood.slice(0, 20).map((each) => each.closed || once(each, 'close')));
    expect(streams.map(({ destroyed }) => destroyed)).toEqual([false, false]);
  });

  it('of requests whose body does not come ends after a short time', async () => {
    await server.close();
    server = await startServer(db, {}, { bodyMs: 50 });
    const socket = await open(HALF_A_LOGIN);
    await once(socket, 'close');
    expect((await openBrowser(server).login('ana')).status).toBe(200);
  });
});

describe('streams of changes', () => {
  it('of one viewer are few: a further one ends the oldest with an event, and no stream of others', async () => {
    await addUser(db, 'bia');
    const bia = openBrowser(server);
    await bia.login('bia');
    const other = await openStream(bia);
    const own: Socket[] = [];
    for (let n = 0; n < MAX_OWN_STREAMS; n++) own.push(await openStream(ana));
    const [oldest, ...later] = own as [Socket, ...Socket[]];
    const ended = text(oldest);
    await openStream(ana);
    expect(await ended).toMatch(/event: replaced\ndata: \{\}\n\n/);
    expect([other, ...later].filter(({ readableEnded }) => readableEnded)).toEqual([]);
  });
});
