// The socket for all users of the machine opens only where no other user can put another one in its place.
import { chmod, chown, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { requireOwnFolder } from '../../../../src/operator/socket/shared-folder.ts';
import { listenShared } from '../../../../src/operator/socket/shared-socket.ts';

const OTHER = 65_534;
const own = process.geteuid?.() ?? 0;
let root: string;
/** `root/above/folder/socket` */
let above: string;
let folder: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'sluice-shared-'));
  above = join(root, 'above');
  folder = join(above, 'folder');
  await mkdir(folder, { recursive: true });
});
afterEach(() => rm(root, { recursive: true, force: true }));

const check = (path = join(folder, 'socket')) => requireOwnFolder(path, own);

it.each([
  [0o755, 0o755],
  [0o700, 0o700],
  // Nobody can replace a folder of another user in a sticky one.
  [0o755, 0o1777],
])('a folder with mode %o below one with %o is accepted', async (mode, modeAbove) => {
  await chmod(folder, mode);
  await chmod(above, modeAbove);
  await check();
});

it.each([
  ['every user may write to', 0o777, 0o755, 'folder', '0777'],
  ['its group may write to', 0o775, 0o755, 'folder', '0775'],
  ['every user may write to, sticky', 0o1777, 0o755, 'folder', '1777'],
  ['every user may write to, without reading', 0o703, 0o755, 'folder', '0703'],
  ['every user may replace', 0o755, 0o777, 'above', '0777'],
  ['its group may replace', 0o755, 0o770, 'above', '0770'],
])('a folder that %s is refused with its mode and the way out', async (_, mode, modeAbove, at, shown) => {
  await chmod(folder, mode);
  await chmod(above, modeAbove);
  const path = at === 'folder' ? folder : above;
  await expect(check()).rejects.toMatchObject({
    name: 'SharedFolderError',
    message: expect.stringMatching(
      new RegExp(`${path} has mode ${shown}, .*\`chmod go-w ${path}\``),
    ) as unknown,
  });
});

it('the folder that a link leads to counts', async () => {
  await chmod(folder, 0o777);
  await symlink(folder, join(root, 'link'));
  await expect(check(join(root, 'link', 'socket'))).rejects.toThrow(`${folder} has mode 0777`);
});

it.runIf(own === 0)('a folder of another user is refused, and one above that is theirs too', async () => {
  await chown(folder, OTHER, OTHER);
  await expect(check()).rejects.toThrow(/folder \(mode 0755\) belongs to the user with id 65534.*`chown 0 /);
  await chown(folder, 0, 0);
  await chown(above, OTHER, OTHER);
  await expect(check()).rejects.toThrow(/above \(mode 0755\) belongs to the user with id 65534/);
});

it.runIf(own === 0)('a folder of root is accepted for every user', async () => {
  await requireOwnFolder(join(folder, 'socket'), OTHER);
});

it('no socket opens in a folder that is refused', async () => {
  await chmod(folder, 0o777);
  const server = createServer();
  await expect(listenShared(server, join(folder, 'socket'))).rejects.toThrow(/has mode 0777/);
  expect(server.listening).toBe(false);
});
