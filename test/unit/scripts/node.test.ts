// The versions of Node: the same in every file that names them, and only builds whose hash is pinned.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const ROOT = resolve(import.meta.dirname, '../../..');
const read = (path: string) => readFile(join(ROOT, path), 'utf8');

const Pins = z.object({
  versions: z.record(
    z.string(),
    z.object({
      version: z.string(),
      packages: z.record(
        z.string(),
        z.strictObject({ name: z.string(), integrity: z.string().regex(/^sha512-[\w+/]{86}==$/) }),
      ),
    }),
  ),
});
const pinned = async () => Pins.parse(JSON.parse(await read('scripts/node-versions.json'))).versions;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-node-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function run(args: readonly string[], env: Record<string, string>) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((done) => {
    const child = execFile(
      process.execPath,
      [join(ROOT, 'scripts/node.mjs'), ...args],
      { env: { ...process.env, ...env } },
      (_error, stdout, stderr) => done({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

it('every pinned version is of the major that it stands for, and `engines` allows it', async () => {
  const { engines } = JSON.parse(await read('package.json')) as { engines: { node: string } };
  for (const [major, { version, packages }] of Object.entries(await pinned())) {
    expect(version).toMatch(new RegExp(`^${major}\\.\\d+\\.\\d+$`));
    expect(engines.node).toMatch(new RegExp(`(\\^|>=)${major}\\.`));
    expect(Object.keys(packages)).toContain('linux-x64');
  }
});

it('the supported version is the same in .nvmrc, the image, CI and README, and the other one has a job in CI', async () => {
  const supported = (await read('.nvmrc')).trim();
  const { version } = (await pinned())[supported] as { version: string };
  expect(await read('Dockerfile')).toMatch(new RegExp(`^FROM node:${version}-`, 'm'));
  expect(await read('.ci/run')).toContain(`scripts/node.mjs ${supported}`);
  expect(await read('README.md')).toContain(`You need Node ${supported} `);
  const { jobs } = parse(await read('.github/workflows/ci.yml')) as { jobs: Record<string, unknown> };
  const others = Object.keys(await pinned()).filter((major) => major !== supported);
  expect(Object.keys(jobs)).toEqual(['ci', ...others.map((major) => `node-${major}`)]);
});

it('a package with another hash is refused, and nothing of it stays', async () => {
  // Packs something else than it was asked for.
  const npm = '#!/bin/sh\necho other > "$4/node.tgz"\n';
  await writeFile(join(folder, 'npm'), npm, { mode: 0o755 });
  const cache = join(folder, 'cache');
  const { code, stdout, stderr } = await run(['24'], {
    PATH: `${folder}${delimiter}${process.env.PATH}`,
    SLUICE_NODE_CACHE: cache,
  });
  expect(stderr).toMatch(/node-linux-\S+ is refused: its hash is sha512-\S+, and sha512-\S+ is pinned/);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(await readdir(cache)).toEqual([]);
});

it.each([[[]], [['18']], [['__proto__']]])('arguments %j download nothing', async (args) => {
  expect(await run(args, {})).toEqual({
    code: 2,
    stdout: '',
    stderr: 'scripts/node.mjs: name one of these versions: 22, 24\n',
  });
});
