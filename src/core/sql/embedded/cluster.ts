// Creates the files that an embedded database starts with. PostgreSQL's initdb takes 850 MB of memory and two
// seconds, so it runs in a separate process: when Sluice is built, or at the first start if the build's files are
// missing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createGunzip } from 'node:zlib';
import { unpackTar } from './tar.ts';

const PGLITE = import.meta.resolve('@electric-sql/pglite');
/** PostgreSQL treats a folder with this file as a database. */
const MARK = 'PG_VERSION';

/** Where the build of this PGlite stores the files, beside the compiled `src/`. */
async function clusterFile(): Promise<string> {
  const manifest = fileURLToPath(new URL('../package.json', PGLITE));
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
  return join(import.meta.dirname, `../../../../pglite-${version}.tar.gz`);
}

/** Creates the files if they are missing. */
export async function buildCluster(): Promise<void> {
  const file = await clusterFile();
  if (await exists(file)) return;
  // If two builds run at once, each writes a complete file, and the last one stays.
  const made = `${file}.${process.pid}`;
  await withInitdb((files) => pipeline(files, createWriteStream(made)));
  await rename(made, file);
}

/**
 * Prepares `dir` as a folder that PGlite opens as its own, unless it already is one. The caller holds the folder's
 * lock.
 */
export async function layCluster(dir: string): Promise<void> {
  if (await exists(join(dir, MARK))) return;
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const file = await clusterFile();
  // The mark is written last, so an incomplete folder is prepared again.
  const unpack = (files: Readable) => unpackTar(files.pipe(createGunzip()), dir, MARK);
  if (await exists(file)) await unpack(createReadStream(file));
  else await withInitdb(unpack);
}

const INITDB = `
  const { PGlite } = await import(process.argv[1]);
  const db = await PGlite.create({ dataDir: 'memory://' });
  const dump = await db.dumpDataDir('gzip');
  // PGlite may keep the process alive for a while.
  process.stdout.write(Buffer.from(await dump.arrayBuffer()), () => process.exit());`;

/** @param use receives a gzipped tar of an empty database */
async function withInitdb(use: (files: Readable) => Promise<void>): Promise<void> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', INITDB, PGLITE], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (text) => {
    said += String(text);
  });
  const closed = once(child, 'close') as Promise<[number | null]>;
  const [used, [code]] = await Promise.all([use(child.stdout).catch((error: Error) => error), closed]);
  if (code !== 0) throw new Error(`initdb ended with ${code}: ${said.trim().split('\n').at(-1)}`);
  if (used instanceof Error) throw used;
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

/** Files of temporary tables, and of sorts that did not fit into memory. */
const TEMPORARY = /^t\d+_\d+/;

/**
 * Removes temporary files that a killed process left behind. A PostgreSQL server does so at its start, but PGlite
 * starts no server. The caller holds the folder's lock, and nobody has the database open.
 */
export async function dropTemporaryFiles(dir: string): Promise<void> {
  const base = join(dir, 'base');
  for (const database of await listOrNothing(base)) {
    if (database === 'pgsql_tmp') await rm(join(base, database), { recursive: true });
    else
      for (const file of await listOrNothing(join(base, database)))
        if (TEMPORARY.test(file)) await rm(join(base, database, file));
  }
}

async function listOrNothing(folder: string): Promise<string[]> {
  return await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}
