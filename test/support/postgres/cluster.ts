// What PGlite makes of an empty folder, kept in `dist` between runs: making it takes three seconds, beginning with it one.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { PGlite } from '@electric-sql/pglite';

const root = resolve(import.meta.dirname, '../../..');

/** A database without a table, as a tar file. */
async function clusterFile(): Promise<string> {
  const folder = join(root, 'dist/test');
  const { version } = JSON.parse(
    await readFile(join(root, 'node_modules/@electric-sql/pglite/package.json'), 'utf8'),
  ) as { version: string };
  const file = join(folder, `pglite-${version}.tar`);
  if (await exists(file)) return file;
  await mkdir(folder, { recursive: true });
  const db = await PGlite.create({ dataDir: 'memory://' });
  const dump = await db.dumpDataDir('none');
  await db.close();
  // Two processes may make it at once: each file is whole, and the last one stays.
  const made = `${file}.${randomUUID()}`;
  await writeFile(made, Buffer.from(await dump.arrayBuffer()));
  await rename(made, file);
  return file;
}

async function exists(file: string): Promise<boolean> {
  return await stat(file).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}

/** For `openPglite`, to begin with. */
export async function readCluster(): Promise<Blob> {
  return new Blob([await readFile(await clusterFile())]);
}

/** Makes `folder` one that PGlite opens as its own. */
export async function layCluster(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await promisify(execFile)('tar', ['-xf', await clusterFile(), '-C', folder]);
}
