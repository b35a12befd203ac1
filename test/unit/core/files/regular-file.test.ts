import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  NotRegularFileError,
  openRegularFile,
  readRegularFile,
  readRegularFileSync,
} from '../../../../src/core/files/regular-file.ts';

let dir: string;
let server: Server;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice-files-'));
  await mkdir(join(dir, 'folder'));
  await writeFile(join(dir, 'file'), 'content');
  execFileSync('mkfifo', [join(dir, 'pipe')]);
  await symlink('pipe', join(dir, 'link to a pipe'));
  await symlink('file', join(dir, 'link to a file'));
  server = createServer().listen(join(dir, 'socket'));
  await once(server, 'listening');
});
afterAll(async () => {
  server.close();
  await rm(dir, { recursive: true, force: true });
});

describe.each([
  ['openRegularFile', openRegularFile],
  ['readRegularFile', readRegularFile],
  ['readRegularFileSync', async (path: string) => readRegularFileSync(path)],
])('%s', (_name, read) => {
  it.each([
    ['folder', 'a folder'],
    ['pipe', 'a pipe'],
    ['link to a pipe', 'a pipe'],
    ['socket', 'a socket'],
    ['/dev/null', 'a device'],
    ['/dev/zero', 'a device'],
  ])('refuses %s at once, although nobody writes to it', async (name, kind) => {
    const path = name.startsWith('/') ? name : join(dir, name);
    const error = await read(path).catch((refused: unknown) => refused);
    expect(error).toBeInstanceOf(NotRegularFileError);
    expect(error).toMatchObject({ path, code: `it is ${kind}, not a regular file` });
  });

  it('leaves errors of the system as they are', async () => {
    await expect(read(join(dir, 'missing'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

it.each(['file', 'link to a file'])('reads %s', async (name) => {
  expect((await readRegularFile(join(dir, name))).toString()).toBe('content');
  expect(readRegularFileSync(join(dir, name)).toString()).toBe('content');
});
