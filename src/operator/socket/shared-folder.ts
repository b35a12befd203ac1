// The way to the folder of a socket. Whoever may write to a folder or link on it can put another socket in its place,
// and answer commands as if Sluice did.
import type { Stats } from 'node:fs';
import { lstat, readlink } from 'node:fs/promises';
import { isAbsolute, parse, resolve, sep } from 'node:path';

const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;
/** As the kernel of Linux. */
const MAX_LINKS = 40;

/** Thrown for a folder or a link that another user than root and the one of this process controls. */
class SharedFolderError extends Error {
  override readonly name = 'SharedFolderError';
}

/**
 * Checks the way to the folder of a socket: each folder from the root on, and where links lead. Whoever may write to a
 * folder can replace what is in it, unless it is sticky, as /tmp is.
 * @param uid of this process
 * @returns the folder without links
 * @throws SharedFolderError, or the error of the file system, for example ENOENT
 */
export async function requireOwnWay(path: string, uid: number): Promise<string> {
  const { root } = parse(resolve(path));
  const rest = partsOf(resolve(path));
  let links = 0;
  let folder = root;
  requireOwn(folder, await lstat(folder), uid);
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    const next = resolve(folder, name);
    const stats = await lstat(next);
    if (stats.isSymbolicLink()) {
      requireOwnLink(next, stats, uid);
      links += 1;
      if (links > MAX_LINKS)
        throw new SharedFolderError(`${path} leads through more than ${MAX_LINKS} links`);
      const target = await readlink(next);
      // Not resolved: `..` after a link is the folder above its target.
      rest.unshift(...partsOf(target));
      if (isAbsolute(target)) folder = parse(target).root;
    } else {
      requireOwn(next, stats, uid);
      folder = next;
    }
  }
  return folder;
}

const partsOf = (path: string) => path.slice(parse(path).root.length).split(sep).filter(Boolean);

function requireOwnLink(link: string, { uid }: Pick<Stats, 'uid'>, own: number): void {
  if (uid === 0 || uid === own) return;
  throw new SharedFolderError(
    `the link ${link} belongs to the user with id ${uid}, who could let it lead to another socket. Run \`chown -h ${own} ${link}\`, or name the folder itself`,
  );
}

function requireOwn(folder: string, { mode, uid }: Pick<Stats, 'mode' | 'uid'>, own: number): void {
  const shown = (mode & 0o7777).toString(8).padStart(4, '0');
  if (uid !== 0 && uid !== own)
    throw new SharedFolderError(
      `the folder ${folder} (mode ${shown}) belongs to the user with id ${uid}, who could replace the socket. Run \`chown ${own} ${folder}\`, or use a folder of the user that runs Sluice`,
    );
  if ((mode & WRITABLE_BY_OTHERS) === 0 || (mode & STICKY) !== 0) return;
  throw new SharedFolderError(
    `the folder ${folder} has mode ${shown}, so other users could replace the socket. Run \`chmod go-w ${folder}\`, or use a folder that only the user that runs Sluice may write to`,
  );
}
