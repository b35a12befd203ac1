// Child processes in tests run the built JavaScript, as users do.
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { acquireFolderLock, type FolderLock, FolderLockedError } from '../../../src/core/lock/folder-lock.ts';

const root = resolve(import.meta.dirname, '../../..');

/**
 * Builds the project unless nothing has changed since, and returns the absolute path of `dist/`.
 * Several test files may call it at once: one of them builds, the others wait for it.
 */
export async function buildOnce(): Promise<string> {
  const dist = join(root, 'dist');
  await mkdir(dist, { recursive: true });
  const lock = await waitForLock(dist);
  try {
    if (!(await isCurrent(dist))) await build();
  } finally {
    await lock.release();
  }
  return dist;
}

/** Nothing that is compiled is newer than the stamp of the last build: asking the compiler takes a second of computing. */
async function isCurrent(dist: string): Promise<boolean> {
  const built = await stat(join(dist, '.built')).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (built === null) return false;
  const { include } = JSON.parse(await readFile(join(root, 'tsconfig.build.json'), 'utf8')) as {
    include: string[];
  };
  const newer = async (path: string) => (await stat(path)).mtimeMs >= built.mtimeMs;
  for (const config of ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json'])
    if (await newer(join(root, config))) return false;
  for (const folder of include) {
    const entries = await readdir(join(root, folder), { recursive: true });
    // Folders too: one of them is newer when a file in it was removed.
    for (const path of [folder, ...entries.map((entry) => join(folder, entry))])
      if (await newer(join(root, path))) return false;
  }
  return true;
}

async function waitForLock(folder: string): Promise<FolderLock> {
  for (;;) {
    try {
      return await acquireFolderLock(folder, { command: 'npm run build' });
    } catch (error) {
      if (!(error instanceof FolderLockedError)) throw error;
      await delay(50);
    }
  }
}

/** The whole build, as a user makes it: children of tests start from its files, the bundle of workflow code among them. */
async function build(): Promise<void> {
  try {
    await promisify(execFile)('npm', ['run', '--silent', 'build'], { cwd: root });
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`the build failed:\n${stdout ?? ''}${stderr ?? ''}`, { cause: error });
  }
}
