// The operator API on a Unix socket: nobody else can open it, and the client reads what the handler answered.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ConnectedClient, socketClient } from '../../../../src/operator/client/node.ts';
import { OperatorError } from '../../../../src/operator/error.ts';
import type { Caller } from '../../../../src/operator/service/caller.ts';
import { type OperatorSocket, serveSocket } from '../../../../src/operator/socket/serve.ts';

let folder: string;
let socket: OperatorSocket;
let client: ConnectedClient;
let identity: string;
let answer: (route: string, input: unknown, caller: Caller | null) => Promise<unknown>;
const logged: unknown[] = [];
const seen: { route: string; input: unknown; caller: Caller | null }[] = [];

beforeEach(async () => {
  seen.length = 0;
  identity = 'unix:me';
  folder = await mkdtemp(join(tmpdir(), 'sluice-socket-'));
  answer = async () => ({ events: [], next: null });
  socket = await serveSocket({
    folder,
    log: { error: (...line) => void logged.push(line) },
    dispatch: async (route, input, caller) => {
      seen.push({ route, input, caller });
      return await answer(route, input, caller);
    },
    caller: async () => ({ identity, name: 'me', role: 'admin', via: 'socket' }),
  });
  client = socketClient(socket.path);
});
afterEach(async () => {
  await client.close();
  await socket.close();
  await rm(folder, { recursive: true, force: true });
});

describe('the caller', () => {
  it('is read at each request of a connection', async () => {
    await client.call('GET /sinks', {});
    identity = 'user:ana';
    await client.call('GET /sinks', {});
    expect(seen.map(({ caller }) => caller?.identity)).toEqual(['unix:me', 'user:ana']);
  });

  it.runIf(process.getuid?.() === 0)(
    'cannot be another user: the folder of the socket keeps them out, whatever the state folder and the socket allow',
    async () => {
      await chmod(folder, 0o755);
      await chmod(socket.path, 0o666);
      const script = `
      const socket = require('node:net').connect(process.argv[1], () => console.log('connected'));
      socket.on('error', (error) => console.log(error.code));`;
      const child = spawn(process.execPath, ['-e', script, socket.path], {
        uid: 65_534,
        gid: 65_534,
        cwd: '/',
      });
      const [out] = await Promise.all([text(child.stdout), once(child, 'exit')]);
      expect(out).toBe('EACCES\n');
    },
  );

  it('has a socket that only this user can open', async () => {
    expect((await stat(socket.path)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(socket.path))).mode & 0o777).toBe(0o700);
  });
});

describe('a call', () => {
  it.each<[string, Parameters<ConnectedClient['call']>]>([
    [
      'numbers and lists in a query',
      ['GET /outbox', { limit: 7, states: ['dead'], sinks: ['a b', 'c&d=é'] }],
    ],
    ['a list of one', ['GET /outbox', { codes: ['X'] }]],
    ['an id with a slash in a query', ['GET /outbox', { ids: ['bus/1'], after: 'bus/2' }]],
    ['a body', ['POST /outbox/discard', { ids: ['bus/1', 'ß/2'], reason: 'line\nbreak' }]],
    [
      'a file with fields of any characters',
      [
        'POST /messages/files',
        {
          account: 'acme',
          name: 'café "1" %2F\n🎉.pdf',
          type: 'application/pdf',
          data: Buffer.from([0, 255, 1]),
        },
      ],
    ],
    ['a name with everything in a path', ['GET /syncs/{sync}/runs', { sync: 'a/b?c#d%2F é', limit: 3 }]],
  ])('carries %s unchanged', async (_, call) => {
    await client.call(...call);
    expect(seen[0]?.route).toBe(call[0]);
    expect(seen[0]?.input).toEqual(call[1]);
  });

  it('throws the error of the server, with kind, code and wait', async () => {
    answer = () =>
      Promise.reject(new OperatorError('unavailable', 'not now', { code: 'BUSY', retryAfterMs: 1500 }));
    await expect(client.call('GET /sinks', {})).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'BUSY',
      retryAfterMs: 1500,
      message: 'not now',
    });
  });

  it('says whether nobody answered or an answer was lost', async () => {
    answer = () => new Promise(() => undefined);
    const lost = client.call('POST /outbox/retry', {}).catch((error: unknown) => error);
    await expect.poll(() => seen.length).toBe(1);
    await socket.close();
    expect(await lost).toMatchObject({ kind: 'unavailable', code: 'ANSWER_LOST' });
    await expect(client.call('GET /sinks', {})).rejects.toMatchObject({ code: 'NOT_CONNECTED' });
  });
});

/** Sends raw HTTP and returns the whole answer. */
async function raw(request: string): Promise<string> {
  const connection = connect(socket.path);
  connection.write(request);
  return await text(connection);
}
const lines = (...parts: string[]) => parts.join('\r\n');
const CLOSE = 'Host: x\r\nConnection: close';
const post = (body: string, type = 'application/json') =>
  lines(
    'POST /api/v1/outbox/retry HTTP/1.1',
    CLOSE,
    `Content-Type: ${type}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  );

const file = (fields: string) =>
  lines(
    'POST /api/v1/messages/files HTTP/1.1',
    CLOSE,
    'Content-Type: application/octet-stream',
    'Content-Length: 1',
    `Sluice-Fields: ${fields}`,
    '',
    'x',
  );

describe('a wrong request', () => {
  it.each<[string, string, number, RegExp]>([
    ['of an unknown path', lines('GET /api/v1/nothing HTTP/1.1', CLOSE, '', ''), 404, /openapi.json/],
    ['of another method', lines('DELETE /api/v1/outbox HTTP/1.1', CLOSE, '', ''), 404, /DELETE/],
    ['with broken JSON', post('{"ids": ['), 400, /not JSON/],
    ['with a list', post('[1]'), 400, /JSON object/],
    ['with a number', post('3'), 400, /not JSON|JSON object/],
    ['with a file and broken fields', file('{"name"'), 400, /sluice-fields must be a JSON object/],
    ['with a file and fields that are a list', file('%5B%5D'), 400, /sluice-fields must be a JSON object/],
    ['with a file and broken percent signs', file('%E0%A4%A'), 400, /sluice-fields must be a JSON object/],
    ['with too many bytes', post(`{"reason": "${'x'.repeat(1_048_577)}"}`), 400, /larger than 1048576 bytes/],
    [
      'with broken percent signs',
      lines('GET /api/v1/syncs/%E0%A4%A/runs HTTP/1.1', CLOSE, '', ''),
      400,
      /"kind"/,
    ],
  ])('%s is answered with an error of the API', async (_, request, status, body) => {
    const answered = await raw(request);
    expect(answered).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answered).toMatch(body);
    expect(answered).not.toMatch(/ at .*\.(ts|js):/);
    expect(seen).toEqual([]);
  });
});
