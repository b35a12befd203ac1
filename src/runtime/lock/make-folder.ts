// Making a folder, or saying why there can be none.
import { existsSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Thrown for a path at which no folder can be. */
export class FolderPathError extends Error {
  override readonly name = 'FolderPathError';
  constructor(path: string, why: string, cause: unknown) {
    super(`there can be no folder ${path}: ${why}; choose another path`, { cause });
  }
}

const WHY_NO_FOLDER: Readonly<Record<string, string>> = {
  EEXIST: 'a file, or a link that leads nowhere, has that name',
  ENOTDIR: 'a part of the path is a file',
  EACCES: 'you may not write to the folder above',
  EPERM: 'you may not write to the folder above',
  EROFS: 'that file system is read-only',
  ENOSPC: 'the disk is full',
  ENOENT: 'the folder above takes no folders',
};

/**
 * Makes a folder and those above it, for this user alone. Node's own `recursive` never returns where the parent is
 * there and still refuses with ENOENT, as in /proc.
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
