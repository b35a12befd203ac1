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
      version: z.string(),
      integrity: z.string().optional(),
      resolved: z.string().optional(),
      optional: z.boolean().optional(),
      optionalDependencies: z.record(z.string(), z.string()).default({}),
    }),
  ),
});
const Exceptions = z.object({ why: z.string(), packages: z.record(z.string(), z.string()) });

const entries = async () => {
  const { packages } = LockFile.parse(await read('package-lock.json'));
  return Object.entries(packages).filter(([path]) => path !== '');
};

it('every package has its hash, but for those in scripts/lock-file-exceptions.json', async () => {
  const bare = (await entries()).filter(([, { integrity }]) => integrity === undefined);
  const found = Object.fromEntries(
    bare.map(([path, { version }]) => [path.replace('node_modules/', ''), version]),
  );
  const { packages } = Exceptions.parse(await read('scripts/lock-file-exceptions.json'));
  expect(found).toEqual(packages);
  for (const [path, { optional }] of bare) expect(optional, path).toBe(true);
});

it('every hash is SHA-512, and no package comes from elsewhere than the registry', async () => {
  for (const [path, { integrity, resolved }] of await entries()) {
    expect(integrity ?? 'sha512-', path).toMatch(/^sha512-/);
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
