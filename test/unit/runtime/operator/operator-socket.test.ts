// The operators' socket: who may come in, what it takes and refuses, and that nothing of it stays.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UnknownNameError } from '../../../../src/config/errors.ts';
import { NotAcceptedError } from '../../../../src/ingress/intake.ts';
import { listenPrivately } from '../../../../src/operator/socket/private-socket.ts';
import {
  BadMessageError,
  checkMessage,
  type OperatorIntake,
} from '../../../../src/runtime/operator/operator-intake.ts';
import { type OperatorSocket, openOperatorSocket } from '../../../../src/runtime/operator/operator-socket.ts';
import { connectSocket, SocketError } from '../../../../src/runtime/operator/operator-socket-client.ts';

const CANARY = 'canary text';
const NUMBER = '5511987654321';
const MESSAGE = {
  account: 'acme',
  key: 'k1',
  request: {
    type: 'message' as const,
    to: { number: NUMBER, key: NUMBER },
    text: CANARY,
    saveOnTicket: true,
  },
};

let dir: string;
let opened: { close(): Promise<void> }[];
const logged: unknown[] = [];
const log = { error: (...args: unknown[]) => void logged.push(args) };

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice-socket-'));
  opened = [];
  logged.length = 0;
});
afterEach(async () => {
  for (const each of opened.toReversed()) await each.close();
  await rm(dir, { recursive: true, force: true });
});

const answering: OperatorIntake = {
  upload: async ({ account, name, type, data }) => `${account}/${name}/${type}/${data.length}`,
  send: async ({ account, key }) => ({ id: `${account}/${key}`, duplicate: false }),
  close: async () => undefined,
};

async function operatorSocket(
  intake: Partial<OperatorIntake> = {},
  folder = dir,
  tmp?: string,
): Promise<OperatorSocket> {
  const place = tmp === undefined ? { folder } : { folder, tmp };
  const made = await openOperatorSocket({ ...place, intake: { ...answering, ...intake }, log });
  opened.push(made);
  return made;
}

function enter({ path }: { path: string }, options = {}): OperatorIntake {
  const client = connectSocket(path, options);
  opened.push(client);
  return client;
}

interface Raw {
  readonly status: number;
  readonly body: { error?: string; event?: string };
}

function raw(socketPath: string, path: string, method: string, body: string | Buffer = ''): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const req = httpRequest({ socketPath, path, method }, async (res) => {
      const chunks: Buffer[] = [];
      for await (const chunk of res) chunks.push(chunk as Buffer);
      resolve({ status: res.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) });
    });
    req.once('error', reject);
    req.end(body);
  });
}

describe('the socket', () => {
  it('hands a message on, and answers with its event', async () => {
    expect(await enter(await operatorSocket()).send(MESSAGE)).toEqual({ id: 'acme/k1', duplicate: false });
  });

  it('takes a file, whatever its name and bytes', async () => {
    const data = Uint8Array.from({ length: 3_000_000 }, (_, n) => n % 251);
    let got: unknown;
    const client = enter(
      await operatorSocket({
        upload: async (file) => {
          got = { ...file, data: Buffer.from(file.data).equals(data) };
          return 'up_1';
        },
      }),
    );
    const about = { account: 'acme', name: 'São João & Cia?#.pdf', type: 'application/pdf' };
    expect(await client.upload({ ...about, data })).toBe('up_1');
    expect(got).toEqual({ ...about, data: true });
  });

  it('is for this user alone: nobody else may enter its folder, or connect', async () => {
    const { path } = await operatorSocket();
    expect(dirname(dirname(path))).toBe(dir);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
  });

  it('closes the folder again that a restore has left open', async () => {
    await mkdir(join(dir, 'socket'));
    await chmod(join(dir, 'socket'), 0o777);
    const { path } = await operatorSocket();
    expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
  });

  it('leaves nothing behind when it closes', async () => {
    const { close } = await operatorSocket();
    await close();
    expect(await readdir(dir)).toEqual([]);
  });

  it('opens again after kill -9, in the place of the dead socket', async () => {
    const { path } = await operatorSocket();
    await opened.pop()?.close();
    await mkdir(dirname(path), { recursive: true });
    const code = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => console.log('up'))`;
    const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'close');
    expect((await stat(path)).isSocket()).toBe(true);
    await expect(enter({ path }).send(MESSAGE)).rejects.toMatchObject({ name: 'SocketError', why: 'gone' });
    const again = await operatorSocket();
    expect(again.path).toBe(path);
    expect(await enter(again).send(MESSAGE)).toMatchObject({ id: 'acme/k1' });
  });

  it('serves several commands at once', async () => {
    const { path } = await operatorSocket();
    const clients = Array.from({ length: 8 }, () => enter({ path }));
    const ids = await Promise.all(
      clients.map(async (client, n) => (await client.send({ ...MESSAGE, key: `k${n}` })).id),
    );
    expect(ids).toEqual(clients.map((_, n) => `acme/k${n}`));
  });

  it('gives the request under way its answer before it closes, and takes no other', async () => {
    let release: (value: unknown) => void = () => undefined;
    const owner = new Promise((done) => {
      release = done;
    });
    let begun: (value: unknown) => void = () => undefined;
    const started = new Promise((done) => {
      begun = done;
    });
    const { path, close } = await operatorSocket({
      send: async () => {
        begun(null);
        await owner;
        return { id: 'e1', duplicate: false };
      },
    });
    const sent = enter({ path }).send(MESSAGE);
    await started;
    const closed = close();
    await expect(enter({ path }).send(MESSAGE)).rejects.toMatchObject({ why: 'gone' });
    release(null);
    expect(await sent).toEqual({ id: 'e1', duplicate: false });
    await closed;
  });
});

describe('where the socket lies', () => {
  const long = 'x'.repeat(120);

  it.each([
    ['of a state folder with a long path', long],
    ['of a state folder with few letters that are many bytes', 'é'.repeat(60)],
  ])('in a folder of its own under the temp dir, %s; removed at the end', async (_, name) => {
    const tmp = join(dir, 't');
    await mkdir(tmp);
    const folder = join(dir, name);
    await mkdir(folder);
    const { path, close } = await operatorSocket({}, folder, tmp);
    expect(path.startsWith(tmp)).toBe(true);
    expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
    expect(await enter({ path }).send(MESSAGE)).toMatchObject({ id: 'acme/k1' });
    await close();
    expect(await readdir(tmp)).toEqual([]);
  });

  it('elsewhere, when somebody has put a link where it would lie', async () => {
    const tmp = join(dir, 't');
    const folder = join(dir, long);
    await mkdir(tmp);
    await mkdir(folder);
    const first = await operatorSocket({}, folder, tmp);
    await first.close();
    const trap = join(dir, 'trap');
    await mkdir(trap);
    await symlink(trap, dirname(first.path));
    const { path } = await operatorSocket({}, folder, tmp);
    expect(dirname(path)).not.toBe(dirname(first.path));
    expect(await readdir(trap)).toEqual([]);
    expect(await enter({ path }).send(MESSAGE)).toMatchObject({ id: 'acme/k1' });
  });

  it('nowhere, with what the system said, when no path is short enough', async () => {
    const tmp = join(dir, 'y'.repeat(110));
    await mkdir(tmp);
    const server = createServer();
    await expect(listenPrivately(server, { folder: join(dir, long), tmp, name: 'socket' })).rejects.toThrow(
      /too long/,
    );
  });
});

describe('what the socket refuses', () => {
  const cases: [string, string, string, string | Buffer, number, RegExp][] = [
    ['no JSON', '/messages', 'POST', '{', 400, /not JSON/],
    ['bytes that are no UTF-8', '/messages', 'POST', Buffer.from([0x22, 0xff, 0x22]), 400, /not JSON/],
    ['another method', '/messages', 'GET', '', 405, /POST/],
    ['another path', '/admin', 'POST', '{}', 404, /no such path/],
    ['an address that is none', '//', 'POST', '{}', 404, /no such path/],
    ['a path out of the prototype', '/__proto__', 'POST', '{}', 404, /no such path/],
    ['nothing', '/messages', 'POST', '', 400, /not JSON/],
    ['a list', '/messages', 'POST', '[]', 400, /object/],
    ['an unknown key', '/messages', 'POST', JSON.stringify({ ...MESSAGE, more: 1 }), 400, /more/],
    [
      'a field of a newer Sluice, rather than leave it out',
      ...(['/messages', 'POST'] as const),
      JSON.stringify({ ...MESSAGE, request: { ...MESSAGE.request, sticker: 'x' } }),
      400,
      /sticker/,
    ],
    [
      'another action',
      '/messages',
      'POST',
      JSON.stringify({ ...MESSAGE, request: { type: 'flow' } }),
      400,
      /type/,
    ],
    ['a key of blanks', '/messages', 'POST', JSON.stringify({ ...MESSAGE, key: '  ' }), 400, /key/],
    [
      'a number that is none',
      ...(['/messages', 'POST'] as const),
      JSON.stringify({ ...MESSAGE, request: { ...MESSAGE.request, to: { number: '12', key: '12' } } }),
      400,
      /request\.to/,
    ],
    ['a file without a name', '/files?account=acme&type=text/plain', 'POST', 'x', 400, /name/],
    ['more than 1 MB', '/messages', 'POST', 'x'.repeat(1_048_577), 413, /too large/],
  ];
  it.each(cases)('%s', async (_, path, method, body, status, error) => {
    const { path: socket } = await operatorSocket();
    const answer = await raw(socket, path, method, body);
    expect(answer.status).toBe(status);
    expect(answer.body.error).toMatch(error);
    expect(answer.body.error).not.toContain(CANARY);
    expect(answer.body.error).not.toContain(NUMBER);
  });

  it.each([
    ['1 MB of a message', '/messages', 40],
    ['64 MB of a file', '/files?account=a&name=n&type=t', 1040],
  ])(
    'more than %s that comes in chunks, and answers although the sender goes on',
    async (_, path, chunks) => {
      const { path: socketPath } = await operatorSocket();
      const answer = await new Promise<number>((resolve, reject) => {
        const req = httpRequest({ socketPath, path, method: 'POST' }, (res) => {
          res.resume();
          resolve(res.statusCode ?? 0);
        });
        req.once('error', reject);
        for (let n = 0; n < chunks; n++) req.write(Buffer.alloc(65_536, 120));
        req.end();
      });
      expect(answer).toBe(413);
    },
  );
});

describe('what a command hears', () => {
  it.each([
    [new UnknownNameError('account', 'acne', 'did you mean "acme"?'), SocketError, /did you mean "acme"/],
    [new BadMessageError('there is nothing to send'), BadMessageError, /nothing to send/],
    [new NotAcceptedError('TEMPORAL', 1500, 'Temporal is away'), NotAcceptedError, /Temporal is away/],
    [new TypeError(`broken ${CANARY}`), SocketError, /internal error/],
  ])('%s', async (problem, type, message) => {
    const client = enter(await operatorSocket({ send: () => Promise.reject(problem) }));
    const failure = await client.send(MESSAGE).catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(type);
    expect((failure as Error).message).toMatch(message);
    expect((failure as Error).message).not.toContain(CANARY);
    expect(JSON.stringify(logged)).not.toContain(CANARY);
    if (problem instanceof NotAcceptedError)
      expect(failure).toMatchObject({ why: 'TEMPORAL', retryAfterMs: 1500 });
  });

  it('that the answer is lost, when the process behind the socket dies with the request in hand', async () => {
    const { path } = await deadEnd((socket) => socket.destroy());
    await expect(enter({ path }).send(MESSAGE)).rejects.toMatchObject({ name: 'SocketError', why: 'lost' });
  });

  it('that the answer is lost, when there is none in time', async () => {
    const { path } = await deadEnd(() => undefined);
    const client = enter({ path }, { answerMs: 50 });
    await expect(client.send(MESSAGE)).rejects.toMatchObject({ name: 'SocketError', why: 'lost' });
  });

  it('that nobody is there', async () => {
    const client = enter({ path: join(dir, 'nobody') });
    await expect(client.send(MESSAGE)).rejects.toMatchObject({ name: 'SocketError', why: 'gone' });
  });

  async function deadEnd(hear: (socket: Socket) => void): Promise<{ path: string }> {
    const path = join(dir, 's');
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.once('data', () => hear(socket));
    });
    server.listen(path);
    await once(server, 'listening');
    opened.push({
      close: async () => {
        for (const socket of sockets) socket.destroy();
        server.close();
      },
    });
    return { path };
  }
});

it('a connection that says nothing keeps the socket from closing for no longer than others', async () => {
  const { path, close } = await operatorSocket();
  const socket = connect(path);
  await once(socket, 'connect');
  const ended = once(socket, 'close');
  await close();
  await ended;
}, 5000);

describe('a message that no account could send', () => {
  const person = { number: NUMBER, key: NUMBER };
  const base = { type: 'message' as const, to: person, saveOnTicket: true, text: 'x' };
  const reply = { ...base, to: { conversation: 5 } };
  const media = { urls: ['https://a.b/c'], hosts: ['a.b'], maxBytes: 1, allowPrivate: false, timeoutMs: 1 };
  it.each([
    [{ ...base, text: undefined }, /is empty/],
    [{ ...base, outsideWindow: 'template' as const }, /template/],
    [{ ...base, saveOnTicket: false, media }, /saveOnTicket false/],
    [{ ...base, saveOnTicket: false, uploads: ['u'] }, /saveOnTicket false/],
    [{ ...base, to: { number: '551187654321', key: '551187654321' } }, /ninth digit/],
    [{ ...reply, connection: 3 }, /connection/],
    [{ ...reply, contactName: 'Bia' }, /already has a contact/],
    [{ ...reply, saveOnTicket: false }, /always saved/],
  ])('%j', (request, problem) => {
    expect(() => checkMessage(request as never)).toThrow(problem);
  });

  it.each([base, reply, { ...base, text: undefined, uploads: ['u'] }])(
    'but this one could: %j',
    (request) => {
      expect(() => checkMessage(request as never)).not.toThrow();
    },
  );
});
