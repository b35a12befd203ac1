// Puts a downloaded program into the cache in one step, so that nobody ever finds half of one.
import { chmod, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../core/lock/make-folder.ts';

const DRAFT = 'unfinished-';
/** An older draft was left by a killed process. */
const DRAFT_LIFE_MS = 3_600_000;

/**
 * Two at once are safe: each has its own folder, and the last rename wins.
 * @param target path of the program in the cache
 * @param make fills the empty folder, and returns the path of the checked program in it
 */
export async function install(
  cacheDir: string,
  target: string,
  make: (draft: string) => Promise<string>,
): Promise<void> {
  await makeFolder(cacheDir);
  await chmod(cacheDir, 0o700);
  await sweepDrafts(cacheDir);
  const draft = await mkdtemp(join(cacheDir, DRAFT));
  try {
    const program = await make(draft);
    await makeFolder(dirname(target));
    // In a folder that others may write to, they could replace the program.
    await chmod(dirname(target), 0o700);
    await rename(program, target);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function sweepDrafts(cacheDir: string): Promise<void> {
  for (const name of await readdir(cacheDir)) {
    if (!name.startsWith(DRAFT)) continue;
    const path = join(cacheDir, name);
    // Another process may have swept it.
    const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (found !== null && Date.now() - found.mtimeMs > DRAFT_LIFE_MS)
      await rm(path, { recursive: true, force: true });
  }
}
