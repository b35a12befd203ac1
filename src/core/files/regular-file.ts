// Opens files that a person or a configuration names. A pipe would block the thread that opens it until somebody
// writes, and a device may never end, so only regular files are opened.
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';

/** Thrown for a path that leads to something else than a regular file. */
export class NotRegularFileError extends Error {
  override readonly name = 'NotRegularFileError';
  /** Stands where errors of the system have theirs, in messages such as `can't be read (EACCES)`. */
  readonly code: string;
  readonly path: string;
  constructor(path: string, stats: Stats) {
    const code = `it is ${kindOf(stats)}, not a regular file`;
    super(`${path} can't be read: ${code}; write the content to a file, and name that file`);
    this.code = code;
    this.path = path;
  }
}

/** With O_NONBLOCK the open of a pipe returns at once. Regular files ignore it; Windows does not know it. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a regular file for reading; links are followed. The caller closes it.
 * @throws NotRegularFileError, and errors of the system
 */
export async function openRegularFile(path: string): Promise<FileHandle> {
  // Checked before, because opening a device may have an effect; and after, because the path may lead elsewhere by then.
  refuseOther(path, await stat(path));
  const handle = await open(path, FLAGS);
  try {
    refuseOther(path, await handle.stat());
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** @throws NotRegularFileError, and errors of the system */
export async function readRegularFile(path: string): Promise<Buffer> {
  const handle = await openRegularFile(path);
  try {
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** @throws NotRegularFileError, and errors of the system */
export function readRegularFileSync(path: string): Buffer {
  refuseOther(path, statSync(path));
  const fd = openSync(path, FLAGS);
  try {
    refuseOther(path, fstatSync(fd));
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

function refuseOther(path: string, stats: Stats): void {
  if (!stats.isFile()) throw new NotRegularFileError(path, stats);
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a pipe';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}
