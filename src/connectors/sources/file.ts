// Opens and fingerprints a source file on disk. It rejects files that are not text (format.ts).
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import { NotRegularFileError, openRegularFile } from '../../core/files/regular-file.ts';
import { type Fingerprint, SourceError } from '../../core/source.ts';
import { refuseBinary } from './format.ts';

/** Number of bytes at the beginning that are hashed and used to find the dialect. */
const HEAD_BYTES = 64 * 1024;

/** The part of a file handle that reading needs. */
export interface ByteReader {
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
}

export interface SourceFile {
  /** The path from the folder of the configuration, for messages. */
  readonly name: string;
  readonly handle: ByteReader;
  readonly fingerprint: Fingerprint;
  /** First bytes of the file, at most {@link HEAD_BYTES}. */
  readonly head: Buffer;
}

/**
 * Opens `path` (relative to `baseDir`), passes it to `use` and closes it.
 * @throws SourceError `not_found`, `unreadable` or `format`
 */
export async function withFile<T>(
  path: string,
  baseDir: string,
  use: (file: SourceFile) => Promise<T>,
): Promise<T> {
  const name = nameOf(path, baseDir);
  const handle = await openOrExplain(resolve(baseDir, path), name);
  try {
    const stat = await handle.stat();
    const head = await readAt(handle, 0, Math.min(HEAD_BYTES, stat.size));
    refuseBinary(name, head);
    const file: SourceFile = {
      name,
      handle,
      head,
      fingerprint: {
        size: stat.size,
        mtimeMs: stat.mtimeMs,
        head: createHash('sha256').update(head).digest('hex').slice(0, 16),
      },
    };
    const result = await use(file);
    const after = await handle.stat();
    if (after.size !== stat.size || after.mtimeMs !== stat.mtimeMs) throw changed(name);
    return result;
  } finally {
    await handle.close();
  }
}

/**
 * Passes bytes in memory to `use` as a file, for a table that is not stored yet.
 * @throws SourceError `format`
 */
export async function withBytes<T>(
  name: string,
  bytes: Buffer,
  use: (file: SourceFile) => Promise<T>,
): Promise<T> {
  const head = bytes.subarray(0, HEAD_BYTES);
  refuseBinary(name, head);
  const handle: ByteReader = {
    read: async (buffer, offset, length, position) => ({
      bytesRead: bytes.copy(buffer, offset, position, position + length),
    }),
  };
  return await use({ name, handle, head, fingerprint: { size: bytes.length, mtimeMs: 0, head: '' } });
}

/** @throws SourceError `changed` when the file is not the one of the cursor */
export function requireSame(file: SourceFile, seen: Fingerprint): void {
  const now = file.fingerprint;
  if (now.size !== seen.size || now.mtimeMs !== seen.mtimeMs || now.head !== seen.head) {
    throw changed(file.name);
  }
}

/** Reads exactly `length` bytes, or up to the end of the file. */
export async function readAt(handle: ByteReader, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** A loaded configuration has absolute paths. Messages reach the console, and those who use it need no path of the server. */
function nameOf(path: string, baseDir: string): string {
  if (!isAbsolute(path)) return path;
  const name = relative(baseDir, path);
  return name === '..' || name.startsWith('../') || isAbsolute(name) ? path : name;
}

/** @param name for messages */
async function openOrExplain(path: string, name: string): Promise<FileHandle> {
  try {
    return await openRegularFile(path);
  } catch (error) {
    if (error instanceof NotRegularFileError) {
      const message = `source file "${name}" can't be read: ${error.code}; write the export to a file, and correct "path"`;
      throw new SourceError('format', message, { cause: error });
    }
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      const message = `source file "${name}" does not exist; a path is relative to the folder of the configuration file: put the export there, or correct "path"`;
      throw new SourceError('not_found', message, { cause: error });
    }
    const why =
      code === 'EACCES' || code === 'EPERM' ? 'may not be read by this user' : `can't be opened (${code})`;
    throw new SourceError('unreadable', `source file "${name}" ${why}; check its permissions`, {
      cause: error,
    });
  }
}

function changed(path: string): SourceError {
  const message = `source file "${path}" has changed since this run began to read it; start a new run: records that are in place already cost no call`;
  return new SourceError('changed', message);
}
