// Makes a folder, or says why it can't be made.
import { existsSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Thrown when no folder can be made at a path. */
export class FolderPathError extends Error {
  override readonly name = 'FolderPathError';
  constructor(path: string, why: string, cause: unknown) {
    super(`can't make the folder ${path}: ${why}; choose another path`, { cause });
  }
}

const WHY_NO_FOLDER: Readonly<Record<string, string>> = {
  EEXIST: 'a file, or a link that leads nowhere, has that name',
  ENOTDIR: 'a part of the path is a file',
  EACCES: 'you may not write to the folder above',
  EPERM: 'you may not write to the folder above',
  EROFS: 'that file system is read-only',
  ENOSPC: 'the disk is full',
  ENOENT: 'the folder above accepts no folders',
};

/**
 * Makes a folder and its missing parents, for this user only. Node's own `recursive` never returns where the parent
 * exists and still refuses with ENOENT, as in /proc.
 * @throws FolderPathError
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
    const parent = dirname(folder);
    const missing = code === 'ENOENT' && parent !== folder && !existsSync(parent);
    if (!missing) throw new FolderPathError(folder, WHY_NO_FOLDER[code] ?? `the system says ${code}`, error);
    await makeFolder(parent);
    await makeFolder(folder);
  }
}
