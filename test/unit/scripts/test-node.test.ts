// The versions of Node that tests run with: the same everywhere, and only builds whose hash is pinned.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
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
  folder = await mkdtemp(join(tmpdir(), 'sluice-test-node-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function run(args: readonly string[], env: Record<string, string>) {
  return new Promise<{ code: number; stderr: string }>((done) => {
    const file = join(ROOT, 'scripts/test-node.mjs');
    const child = execFile(
      process.execPath,
      [file, ...args],
      { env: { ...process.env, ...env } },
      (_error, _stdout, stderr) => done({ code: child.exitCode ?? -1, stderr }),
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

it('CI here, the workflow on GitHub and the README name the same versions', async () => {
  const majors = Object.keys(await pinned());
  expect(await read('.ci/run')).toContain(`npm run test:node -- ${majors.join(' ')} --smoke`);
  const { jobs } = parse(await read('.github/workflows/ci.yml')) as {
    jobs: { ci: { strategy: { matrix: { node: number[] } } } };
  };
  expect(jobs.ci.strategy.matrix.node.map(String)).toEqual(majors);
  expect(await read('README.md')).toContain(`You need Node ${majors.join(' or ')} `);
});

it('every test file or folder that it names exists', async () => {
  const named = [...(await read('scripts/test-node.mjs')).matchAll(/'(test\/[^']+)'/g)].map(
    ([, path = '']) => path,
  );
  expect(named.length).toBeGreaterThan(15);
  for (const path of named) expect(existsSync(join(ROOT, path)), path).toBe(true);
});

it('a package with another hash is refused, and nothing of it stays', async () => {
  // Packs something else than it was asked for.
  const npm = '#!/bin/sh\necho other > "$4/node.tgz"\n';
  await writeFile(join(folder, 'npm'), npm, { mode: 0o755 });
  const cache = join(folder, 'cache');
  const { code, stderr } = await run(['24', 'test/unit/scripts/none.test.ts'], {
    PATH: `${folder}${delimiter}${process.env.PATH}`,
    SLUICE_NODE_CACHE: cache,
  });
  expect(stderr).toMatch(/node-linux-\S+ is refused: its hash is sha512-\S+, and sha512-\S+ is pinned/);
  expect(code).toBe(1);
  expect(await readdir(cache)).toEqual([]);
});

it.each([[[]], [['18']], [['--smoke']]])('arguments %j start nothing', async (args) => {
  expect(await run(args, {})).toEqual({
    code: 2,
    stderr: 'Name one or more of these versions: 22, 24, as in: npm run test:node -- 24\n',
  });
});
