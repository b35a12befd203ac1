// Checks that a program is a build that Sluice was tested with, and that no other user can replace it before it runs.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';

const OTHERS_WRITE = 0o002;
const STICKY = 0o1000;

/** SHA-256 of the file, in hexadecimal digits. The Temporal CLI has 156 MB, which take 0.2 s. */
async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/**
 * Says why the program at `path` can't be trusted. Null when it is a pinned build and no other user can replace it
 * between this check and its start.
 * @param pinned SHA-256 of the builds
 * @param top the highest folder to check
 */
export async function distrust(
  path: string,
  pinned: readonly string[],
  top = dirname(path),
): Promise<string | null> {
  const open = await openTo(path, top);
  if (open !== null)
    return `another user of this machine can replace it, because of the owner or mode of ${open}`;
  const found = await sha256Of(path);
  return pinned.includes(found) ? null : `Sluice does not pin this build (sha256 ${found})`;
}

async function openTo(path: string, top: string): Promise<string | null> {
  const user = process.getuid?.();
  if (user === undefined) return null;
  const { uid, mode } = await stat(path);
  const sticky = (mode & STICKY) !== 0;
  if ((uid !== user && uid !== 0) || ((mode & OTHERS_WRITE) !== 0 && !sticky)) return path;
  return path === top || path === dirname(path) ? null : await openTo(dirname(path), top);
}
