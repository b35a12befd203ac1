// npm checks a package against the hash in the lock file, and checks nothing where there is none.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '../../..');
const read = async (path: string): Promise<unknown> => JSON.parse(await readFile(join(ROOT, path), 'utf8'));

const LockFile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      integrity: z.string().optional(),
      resolved: z.string().optional(),
      optionalDependencies: z.record(z.string(), z.string()).default({}),
    }),
  ),
});

const entries = async () => {
  const { packages } = LockFile.parse(await read('package-lock.json'));
  return Object.entries(packages).filter(([path]) => path !== '');
};

it('every package has its SHA-512 hash, and none comes from elsewhere than the registry', async () => {
  const all = await entries();
  expect(all.length).toBeGreaterThan(300);
  for (const [path, { integrity, resolved }] of all) {
    expect(integrity, path).toMatch(/^sha512-[\w+/]{86}==$/);
    expect(resolved, path).toBeUndefined();
  }
});

it('every optional package has an entry: without it `npm ci` refuses the file', async () => {
  const all = await entries();
  const paths = new Set(all.map(([path]) => path));
  const missing = all.flatMap(([path, { optionalDependencies }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !paths.has(`node_modules/${name}`) && !paths.has(`${path}/node_modules/${name}`),
    ),
  );
  expect(missing).toEqual([]);
});
