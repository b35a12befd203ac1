import { chmod, chown, lchown, lstat, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquireFolderLock, readFolderLock } from '../../../../src/core/lock/folder-lock.ts';
import { openPrivateFolder } from '../../../../src/core/lock/private-folder.ts';

const STRANGER = 54_321;
const isRoot = process.getuid?.() === 0;

let base: string;
let state: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'sluice-folder-'));
  state = join(base, 'state');
});
afterEach(() => rm(base, { recursive: true, force: true }));

const modeOf = async (path: string) => ((await lstat(path)).mode & 0o7777).toString(8);

async function file(path: string, mode = 0o666): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, 'x');
  await chmod(path, mode);
  return path;
}

describe('a new state folder', () => {
  it('is 0700 whatever the umask, and so are the folders made above it', async () => {
    const before = process.umask(0);
    try {
      const deep = join(base, 'a/b/state');
      expect(await openPrivateFolder(deep)).toMatchObject({ notes: [] });
      for (const path of [deep, dirname(deep), join(base, 'a')]) expect(await modeOf(path)).toBe('700');
    } finally {
      process.umask(before);
    }
  });
});

describe('an existing state folder', () => {
  it.each([0o777, 0o755, 0o750, 0o770, 0o707, 0o1777])(
    'of mode %o is closed, which is said once',
    async (mode) => {
      await mkdir(state);
      await chmod(state, mode);
      expect((await openPrivateFolder(state)).notes).toEqual([
        expect.stringMatching(/^closed .*state to other users of this machine: 1 file or folder/),
      ]);
      expect(await modeOf(state)).toBe('700');
      expect((await openPrivateFolder(state)).notes).toEqual([]);
    },
  );

  it("has all files of Sluice closed, and keeps the modes of what is the user's own", async () => {
    const ours = [
      'ledger/base/1/1259',
      'ledger/PG_VERSION',
      'temporal.db',
      'temporal.db-wal',
      'temporal.db-shm',
      'temporal.log',
      'temporal.log.1',
      'temporal.json',
      'holder.json',
      'sandbox/journal.jsonl',
      'journal.jsonl',
      'requests.jsonl',
      'messages.jsonl',
      'worker-12/holder.json',
      'demo/ledger/PG_VERSION',
    ].map((name) => join(state, name));
    for (const path of ours) await file(path, path.endsWith('db') ? 0o777 : 0o666);
    const tool = await file(join(state, 'my-tool.sh'), 0o755);
    const { notes } = await openPrivateFolder(state);
    for (const path of ours) {
      expect(await modeOf(path)).toBe('600');
      expect(await modeOf(dirname(path))).toBe('700');
    }
    expect(await modeOf(tool)).toBe('755');
    expect(notes.join()).toMatch(/: \d\d files and folders had/);
  });

  it('in the default folder has that one closed too', async () => {
    const sandbox = join(base, '.sluice/sandbox');
    await mkdir(sandbox, { recursive: true });
    await chmod(dirname(sandbox), 0o777);
    await openPrivateFolder(sandbox);
    expect(await modeOf(dirname(sandbox))).toBe('700');
  });

  it('follows no link out of the folder', async () => {
    const outside = await file(join(base, 'outside'), 0o644);
    await mkdir(state);
    await symlink(outside, join(state, 'temporal.log'));
    await openPrivateFolder(state);
    expect(await modeOf(outside)).toBe('644');
  });

  it('is closed when its lock is taken', async () => {
    await mkdir(state);
    await chmod(state, 0o777);
    const said: string[] = [];
    const lock = await acquireFolderLock(state, { command: 'test' }, (line) => said.push(line));
    await lock.release();
    expect(said).toHaveLength(1);
    expect(await modeOf(state)).toBe('700');
  });

  it.runIf(process.getuid)('that all may replace is refused, with the fix', async () => {
    const open = join(base, 'open');
    await mkdir(open);
    await chmod(open, 0o777);
    await expect(openPrivateFolder(join(open, 'state'))).rejects.toThrow(
      /because .*open is writable by all; close it \(chmod o-w .*open\)/,
    );
    await expect(openPrivateFolder(join(open, 'mine/deep/state'))).rejects.toThrow(
      /open is writable by all;/,
    );
    await chmod(open, 0o1777);
    expect(await openPrivateFolder(join(open, 'state'))).toMatchObject({ notes: [] });
  });

  it('with a ledger that lies elsewhere, behind a link, has that folder closed too', async () => {
    const inside = await file(join(base, 'disk/ledger/base/1'));
    await mkdir(state);
    await symlink(dirname(dirname(inside)), join(state, 'ledger'));
    await openPrivateFolder(state);
    expect(await modeOf(inside)).toBe('600');
    expect(await modeOf(join(base, 'disk/ledger'))).toBe('700');
  });

  it.each([
    ['a file has its name', 'taken', /make the folder .*taken: a file.*another path/],
    ['a part of its path is a file', 'taken/state', /a part of the path is a file/],
  ])('where there can be none (%s) is refused with the fix', async (_case, name, message) => {
    await file(join(base, 'taken'));
    await expect(openPrivateFolder(join(base, name))).rejects.toThrow(message);
  });
});

describe.runIf(isRoot)('what belongs to another user', () => {
  const cases: readonly (readonly [string, () => Promise<void>])[] = [
    ['the folder', async () => await chown(state, STRANGER, STRANGER)],
    ['a file in it', async () => await chown(await file(join(state, 'temporal.db')), STRANGER, STRANGER)],
    [
      'a file deep in it',
      async () => await chown(await file(join(state, 'ledger/base/1/1')), STRANGER, STRANGER),
    ],
    [
      'a link in it',
      async () => {
        await symlink('/etc/passwd', join(state, 'temporal.log'));
        await lchown(join(state, 'temporal.log'), STRANGER, STRANGER);
      },
    ],
    [
      'a link in its place',
      async () => {
        await rm(state, { recursive: true });
        await mkdir(join(base, 'real'));
        await symlink(join(base, 'real'), state);
        await lchown(state, STRANGER, STRANGER);
      },
    ],
  ];

  it.each(cases)('%s: is refused, naming it and the fix', async (_name, make) => {
    await mkdir(state);
    await make();
    await expect(openPrivateFolder(state)).rejects.toThrow(
      /belongs to another user of this machine \(user id 54321, this one is 0\).*chown -R.*another folder/,
    );
  });

  it("is not asked who holds it either: its answer would lead to that user's socket", async () => {
    await mkdir(state);
    await chown(state, STRANGER, STRANGER);
    await expect(readFolderLock(state)).rejects.toThrow('belongs to another user');
  });
});
