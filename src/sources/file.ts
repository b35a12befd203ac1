// Opens and fingerprints a source file on disk. It rejects files that are not text (format.ts).
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Fingerprint, SourceError } from '../contracts/wire/source.ts';
import { NotRegularFileError, openRegularFile } from '../files/regular-file.ts';
import { refuseBinary } from './format.ts';

/** Number of bytes at the beginning that are hashed and used to find the dialect. */
const HEAD_BYTES = 64 * 1024;

/** The part of a file handle that reading needs. */
export interface ByteReader {
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
}

export interface SourceFile {
  /** The path as written in the configuration, for messages. */
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
  const handle = await openOrExplain(path, baseDir);
  try {
    const stat = await handle.stat();
    const head = await readAt(handle, 0, Math.min(HEAD_BYTES, stat.size));
    refuseBinary(path, head);
    const file: SourceFile = {
      name: path,
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
    if (after.size !== stat.size || after.mtimeMs !== stat.mtimeMs) throw changed(path);
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

async function openOrExplain(path: string, baseDir: string): Promise<FileHandle> {
  try {
    return await openRegularFile(resolve(baseDir, path));
  } catch (error) {
    if (error instanceof NotRegularFileError) {
      const message = `source file "${path}" can't be read: ${error.code}; write the export to a file, and correct "path"`;
      throw new SourceError('format', message, { cause: error });
    }
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      const message = `source file "${path}" does not exist; a path is relative to the folder of the configuration file: put the export there, or correct "path"`;
      throw new SourceError('not_found', message, { cause: error });
    }
    const why =
      code === 'EACCES' || code === 'EPERM' ? 'may not be read by this user' : `can't be opened (${code})`;
    throw new SourceError('unreadable', `source file "${path}" ${why}; check its permissions`, {
      cause: error,
    });
  }
}

function changed(path: string): SourceError {
  const message = `source file "${path}" has changed since this run began to read it; start a new run: records that are in place already cost no call`;
  return new SourceError('changed', message);
}
