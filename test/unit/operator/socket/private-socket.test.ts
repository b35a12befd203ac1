// The place of a private socket: who may enter, what a crash leaves, and what happens when paths are long or taken.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listenPrivately, type PrivateSocket } from '../../../../src/operator/socket/private-socket.ts';

let dir: string;
let servers: Server[];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice-socket-'));
  servers = [];
});
afterEach(async () => {
  for (const server of servers) server.close();
  await rm(dir, { recursive: true, force: true });
});

/** A socket whose server says hello. */
async function open(folder = dir, tmp?: string): Promise<PrivateSocket & { close(): Promise<void> }> {
  const server = createServer((socket) => void socket.end('hello'));
  servers.push(server);
  const place = { folder, name: 'socket' };
  const socket = await listenPrivately(server, tmp === undefined ? place : { ...place, tmp });
  return {
    ...socket,
    async close() {
      await new Promise((done) => server.close(done));
      await socket.remove();
    },
  };
}

const greeting = (path: string) => text(connect(path));

describe('the socket', () => {
  it('is for this user alone: nobody else may enter its folder, or connect', async () => {
    const { path } = await open();
    expect(dirname(dirname(path))).toBe(dir);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
  });

  it('closes the folder again that a restore has left open', async () => {
    await mkdir(join(dir, 'socket'));
    await chmod(join(dir, 'socket'), 0o777);
    const { path } = await open();
    expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
  });

  it('leaves nothing behind when it closes', async () => {
    await (await open()).close();
    expect(await readdir(dir)).toEqual([]);
  });

  it('opens again after kill -9, in the place of the dead socket', async () => {
    const first = await open();
    await first.close();
    const { path } = first;
    await mkdir(dirname(path), { recursive: true });
    const code = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => console.log('up'))`;
    const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'close');
    expect((await stat(path)).isSocket()).toBe(true);
    await expect(greeting(path)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    const again = await open();
    expect(again.path).toBe(path);
    expect(await greeting(path)).toBe('hello');
  });
});

describe('its place', () => {
  const long = 'x'.repeat(120);

  it.each([
    ['with a long path', long],
    ['with few letters that are many bytes', 'é'.repeat(60)],
  ])('is a folder of its own under the temp dir for a state folder %s', async (_, name) => {
    const tmp = join(dir, 't');
    await mkdir(tmp);
    const folder = join(dir, name);
    await mkdir(folder);
    const { path, close } = await open(folder, tmp);
    expect(path.startsWith(tmp)).toBe(true);
    expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
    expect(await greeting(path)).toBe('hello');
    await close();
    expect(await readdir(tmp)).toEqual([]);
  });

  it('is elsewhere when somebody has put a link there', async () => {
    const tmp = join(dir, 't');
    const folder = join(dir, long);
    await mkdir(tmp);
    await mkdir(folder);
    const first = await open(folder, tmp);
    await first.close();
    const trap = join(dir, 'trap');
    await mkdir(trap);
    await symlink(trap, dirname(first.path));
    const { path } = await open(folder, tmp);
    expect(dirname(path)).not.toBe(dirname(first.path));
    expect(await readdir(trap)).toEqual([]);
    expect(await greeting(path)).toBe('hello');
  });

  it.each([
    ['every user may write to', 0o777],
    ['its group may write to', 0o770],
  ])('is not in a temporary folder that %s and that is not sticky', async (_, mode) => {
    const tmp = join(dir, 't');
    const folder = join(dir, long);
    await mkdir(tmp);
    await mkdir(folder);
    await chmod(tmp, mode);
    await expect(open(folder, tmp)).rejects.toThrow(/t has mode 0777|t has mode 0770/);
    expect(await readdir(tmp)).toEqual([]);
    await chmod(tmp, 0o1777);
    expect(await greeting((await open(folder, tmp)).path)).toBe('hello');
  });

  it('is nowhere, with what the system said, when no path is short enough', async () => {
    const tmp = join(dir, 'y'.repeat(110));
    await mkdir(tmp);
    await expect(open(join(dir, long), tmp)).rejects.toThrow(/too long/);
  });
});
