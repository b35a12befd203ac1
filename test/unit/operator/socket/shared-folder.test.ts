// A socket opens in a temporary folder only where no other user can put another one in its place.
import { chmod, chown, lchown, mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { requireOwnWay } from '../../../../src/operator/socket/shared-folder.ts';

const OTHER = 65_534;
const own = process.geteuid?.() ?? 0;
let root: string;
/** `root/above/folder` */
let above: string;
let folder: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'sluice-shared-')));
  above = join(root, 'above');
  folder = join(above, 'folder');
  await mkdir(folder, { recursive: true });
});
afterEach(() => rm(root, { recursive: true, force: true }));

const check = (path = folder) => requireOwnWay(path, own);

it.each([
  [0o755, 0o755],
  [0o700, 0o700],
  // Nobody can replace a folder of another user in a sticky one.
  [0o755, 0o1777],
  [0o1777, 0o755],
])('a folder with mode %o below one with %o is accepted', async (mode, modeAbove) => {
  await chmod(folder, mode);
  await chmod(above, modeAbove);
  await check();
});

it.each([
  ['every user may write to', 0o777, 0o755, 'folder', '0777'],
  ['its group may write to', 0o775, 0o755, 'folder', '0775'],
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
  await expect(check(join(root, 'link'))).rejects.toThrow(`${folder} has mode 0777`);
});

it.each([
  ['every user may write to', 0o777],
  ['its group may write to', 0o775],
])('a folder further above that %s is refused', async (_, mode) => {
  const deep = join(folder, 'a', 'b');
  await mkdir(deep, { recursive: true });
  await chmod(above, mode);
  await expect(check(join(deep))).rejects.toThrow(`the folder ${above} has mode 0${mode.toString(8)}`);
});

it('a folder in which others may replace the link is refused, also where they lead over each other', async () => {
  const open = join(root, 'open');
  await mkdir(open);
  await symlink('../above', join(open, 'second'));
  await symlink('open/second', join(root, 'first'));
  await check(join(root, 'first', 'folder'));
  await chmod(open, 0o777);
  await expect(check(join(root, 'first', 'folder'))).rejects.toThrow(`the folder ${open} has mode 0777`);
});

it.runIf(own === 0)('a link of another user is refused, also in a sticky folder', async () => {
  const sticky = join(root, 'tmp');
  await mkdir(sticky);
  await chmod(sticky, 0o1777);
  const link = join(sticky, 'link');
  await symlink(folder, link);
  await check(join(link));
  await lchown(link, OTHER, OTHER);
  await expect(check(join(link))).rejects.toThrow(
    `the link ${link} belongs to the user with id 65534, who could let it lead to another socket. Run \`chown -h 0 ${link}\``,
  );
});

it('links that lead in a circle are refused', async () => {
  await symlink(join(root, 'b'), join(root, 'a'));
  await symlink(join(root, 'a'), join(root, 'b'));
  await expect(check(join(root, 'a'))).rejects.toThrow('more than 40 links');
});

it('a target that leads up from another link is followed as the kernel does', async () => {
  const open = join(root, 'open');
  await mkdir(join(open, 'inner'), { recursive: true });
  await mkdir(join(open, 'folder'));
  await mkdir(join(root, 'links'));
  await symlink(join(open, 'inner'), join(root, 'links', 'jump'));
  await symlink('jump/../folder', join(root, 'links', 'folder'));
  await check(join(root, 'links', 'folder'));
  await chmod(open, 0o777);
  await expect(check(join(root, 'links', 'folder'))).rejects.toThrow(`the folder ${open} has mode 0777`);
});

it.runIf(own === 0)('a folder of another user is refused, and one above that is theirs too', async () => {
  await chown(folder, OTHER, OTHER);
  await expect(check()).rejects.toThrow(/folder \(mode 0755\) belongs to the user with id 65534.*`chown 0 /);
  await chown(folder, 0, 0);
  await chown(above, OTHER, OTHER);
  await expect(check()).rejects.toThrow(/above \(mode 0755\) belongs to the user with id 65534/);
});

it.runIf(own === 0)('a folder of root is accepted for every user', async () => {
  expect(await requireOwnWay(folder, OTHER)).toBe(folder);
});
