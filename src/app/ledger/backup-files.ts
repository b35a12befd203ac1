// The files of a backup with their hashes. PostgreSQL reads a table whose file was cut off as one with fewer rows, so a
// backup that a copy to another machine left incomplete would be restored without an error.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import pLimit from 'p-limit';

/** SHA-256 in hex, by path below the folder. The paths have `/` on every system. */
export type FileHashes = Readonly<Record<string, string>>;

/** Files that are read at once. */
const AT_ONCE = 8;

export async function hashFiles(folder: string): Promise<FileHashes> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const atOnce = pLimit(AT_ONCE);
  const hashes = await Promise.all(
    paths.map((path) =>
      atOnce(async () => [relative(folder, path).split(sep).join('/'), await hashOf(path)] as const),
    ),
  );
  return Object.fromEntries(hashes);
}

/** The first file that is missing, or has another content; null when there is none. */
export async function differentFile(folder: string, expected: FileHashes): Promise<string | null> {
  const found = await hashFiles(folder);
  return Object.keys(expected).find((path) => found[path] !== expected[path]) ?? null;
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
