// Where a program is looked for, and which builds may run.
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cacheDirOf } from '../../../src/temporal/cache-dir.ts';
import {
  type BinarySpec,
  type Download,
  type FindOptions,
  findBinary,
  locateBinary,
} from '../../../src/temporal/find-binary.ts';

const PROGRAM = '#!/bin/sh\n';
const PINNED = createHash('sha256').update(PROGRAM).digest('hex');

let base: string;
let cacheDir: string;
let said: string[];
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'sluice-binary-'));
  cacheDir = join(base, 'cache');
  said = [];
});
afterEach(() => rm(base, { recursive: true, force: true }));

const options = (env: FindOptions['env'], signal?: AbortSignal): FindOptions => ({
  env,
  cacheDir,
  say: (line) => said.push(line),
  ...(signal ? { signal } : {}),
});

async function program(path: string, mode = 0o755, text = PROGRAM): Promise<string> {
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, text);
  await chmod(path, mode);
  return path;
}

/** A download that brings this text; null: it fails. */
const download = (label: string, text: string | null): Download => ({
  label,
  make: async (draft) => {
    if (text === null) throw new Error(`${label} is closed`);
    return await program(join(draft, 'any name'), 0o700, text);
  },
});

const FOLDER = 'tool-1.0';
const spec = (...downloads: Download[]): BinarySpec => ({
  binary: 'tool',
  envName: 'TOOL_PATH',
  folder: FOLDER,
  sha256: [PINNED],
  downloads,
  wayOut: 'Install tool',
});
const cachedPath = () => join(cacheDir, FOLDER, 'tool');

describe('searching for a binary', () => {
  it('takes the named one before the PATH, and the PATH before a download', async () => {
    const named = await program(join(base, 'named'));
    const onPath = await program(join(base, 'bin/tool'));
    const PATH = `/nowhere::${join(base, 'bin')}`;
    const path = await program(cachedPath());
    const all = spec(download('one', PROGRAM));
    expect(await findBinary(all, options({ TOOL_PATH: named, PATH }))).toEqual({
      path: named,
      origin: 'TOOL_PATH',
    });
    expect(await findBinary(all, options({ TOOL_PATH: '', PATH }))).toEqual({ path: onPath, origin: 'PATH' });
    expect(await findBinary(all, options({}))).toEqual({ path, origin: 'an earlier download' });
    expect(said).toEqual([]);
  });

  it.each([
    ['missing', async () => '/nowhere/tool'],
    ['a folder', async () => base],
    ['not executable', () => program(join(base, 'plain'), 0o644)],
  ])('refuses a named one that is %s, instead of taking another', async (_case, make) => {
    const path = await make();
    const search = findBinary(spec(download('one', PROGRAM)), options({ TOOL_PATH: path }));
    await expect(search).rejects.toThrow(`TOOL_PATH=${path} is not an executable file`);
  });

  it('skips on the PATH what cannot be run', async () => {
    await program(join(base, 'a/tool'), 0o644);
    await mkdir(join(base, 'b/tool'), { recursive: true });
    const good = await program(join(base, 'c/tool'));
    const PATH = ['a', 'b', 'c'].map((name) => join(base, name)).join(':');
    expect(await findBinary(spec(), options({ PATH }))).toEqual({ path: good, origin: 'PATH' });
  });

  it('goes on to the next way when one fails, and says both', async () => {
    const ways = spec(download('one', null), download('two', PROGRAM));
    expect(await findBinary(ways, options({}))).toEqual({ path: cachedPath(), origin: 'two' });
    expect(said).toEqual([
      'Downloading tool once: one',
      'one failed: one is closed',
      'Downloading tool once: two',
    ]);
    expect(await locateBinary(ways, options({}))).toMatchObject({ path: cachedPath() });
  });

  it('names every way that failed, and what to do', async () => {
    const search = findBinary(spec(download('one', null), download('two', null)), options({}));
    await expect(search).rejects.toThrow(/TOOL_PATH.*one: one is closed.*two: two is closed.*Install tool/s);
    await expect(search).rejects.toMatchObject({ name: 'BinaryNotFoundError', binary: 'tool' });
    expect(await readdir(cacheDir)).toEqual([]);
  });

  it('goes no further once it is given up', async () => {
    const abort = new AbortController();
    const first: Download = {
      label: 'one',
      make: async () => {
        abort.abort(new Error('given up'));
        throw new Error('broken off');
      },
    };
    const search = findBinary(spec(first, download('two', PROGRAM)), options({}, abort.signal));
    await expect(search).rejects.toThrow('given up');
  });

  it('is complete when two first starts download it at once', async () => {
    const ways = spec(download('one', PROGRAM));
    const both = await Promise.all([findBinary(ways, options({})), findBinary(ways, options({}))]);
    expect(both.map(({ path }) => path)).toEqual([cachedPath(), cachedPath()]);
    expect(await readdir(cacheDir)).toEqual([FOLDER]);
  });

  it('sweeps what a killed download left long ago, and not what another one is at', async () => {
    for (const name of ['unfinished-old', 'unfinished-new'])
      await mkdir(join(cacheDir, name), { recursive: true });
    const longAgo = new Date(Date.now() - 7_200_000);
    await utimes(join(cacheDir, 'unfinished-old'), longAgo, longAgo);
    await findBinary(spec(download('one', PROGRAM)), options({}));
    expect((await readdir(cacheDir)).sort()).toEqual([FOLDER, 'unfinished-new']);
  });

  it('downloads into the state folder when the cache cannot be written to, says so, and finds it there', async () => {
    // A link that leads nowhere refuses root too.
    await symlink('/nowhere/cache', cacheDir);
    const spareDir = join(base, 'state/downloads');
    const ways = spec(download('one', PROGRAM));
    const path = join(spareDir, FOLDER, 'tool');
    expect(await findBinary(ways, { ...options({}), spareDir })).toEqual({ path, origin: 'one' });
    expect(said[0]).toBe(`${cacheDir} cannot be written to, so the download goes to ${spareDir}`);
    expect(await locateBinary(ways, { ...options({}), spareDir })).toMatchObject({ path });
    await expect(findBinary(ways, options({}))).rejects.toThrow(`can't make the folder ${cacheDir}`);
  });
});

describe('a program that is not the pinned build', () => {
  const OTHER = '#!/bin/sh\necho stolen\n';
  const search = (env: FindOptions['env'], ...downloads: Download[]) =>
    findBinary(spec(...downloads), options(env));

  it('is run when the variable names it, and its hash is said', async () => {
    const path = await program(join(base, 'mine'), 0o755, OTHER);
    expect(await search({ TOOL_PATH: path })).toEqual({ path, origin: 'TOOL_PATH' });
    expect(said).toEqual([
      expect.stringMatching(
        /TOOL_PATH=.*mine: Sluice does not pin this build \(sha256 [0-9a-f]{64}\); Sluice runs it because you named it/,
      ),
    ]);
  });

  it('is passed over on the PATH, with the way to run it all the same', async () => {
    const onPath = await program(join(base, 'bin/tool'), 0o755, OTHER);
    const path = await program(cachedPath());
    expect(await search({ PATH: join(base, 'bin') })).toMatchObject({ path });
    expect(said).toEqual([expect.stringContaining(`To run it, set TOOL_PATH=${onPath}`)]);
  });

  it('is not run out of the cache, but downloaded again', async () => {
    const path = await program(cachedPath(), 0o755, OTHER);
    expect(await search({}, download('one', PROGRAM))).toEqual({ path, origin: 'one' });
    expect(said[0]).toContain(`Sluice does not run ${path}: Sluice does not pin this build`);
  });

  it('is not installed after a download either', async () => {
    await expect(search({}, download('one', OTHER))).rejects.toThrow(/one: Sluice does not pin this build/);
    expect(await readdir(cacheDir)).toEqual([]);
  });

  it.each([
    ['the file', `${FOLDER}/tool`],
    ['its folder', FOLDER],
    ['the cache', '.'],
  ])(
    'may be put there later by another user, because of the mode of %s: it is not run',
    async (_name, open) => {
      const path = await program(cachedPath());
      await chmod(join(cacheDir, open), 0o777);
      await expect(search({})).rejects.toThrow('No tool was found');
      expect(said[0]).toContain(`Sluice does not run ${path}: another user of this machine can replace it`);
    },
  );
});

describe('the cache folder', () => {
  it.each([
    ['/x/cache', '/x/cache/sluice'],
    ['relative', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('for XDG_CACHE_HOME=%s is %s, or the one under the home folder', (xdg, expected) => {
    const found = cacheDirOf({ XDG_CACHE_HOME: xdg });
    if (expected) expect(found).toBe(expected);
    else expect(found).toMatch(/\/\.cache\/sluice$/);
  });
});
