// The folder of a socket that all users of the machine connect to. Whoever may write to it can put another socket in its
// place, and answer commands as if Sluice did.
import type { Stats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

/** Thrown for a folder that another user than root and the one of this process controls. */
class SharedFolderError extends Error {
  override readonly name = 'SharedFolderError';
}

/**
 * Checks the folder of a socket, and the folder above it: who may write there can replace the folder, unless that one is
 * sticky, as /tmp is.
 * @param uid of this process
 * @throws SharedFolderError, or the error of the file system, for example ENOENT
 */
export async function requireOwnFolder(socket: string, uid: number): Promise<void> {
  const folder = await realpath(dirname(socket));
  requireOwn(folder, await stat(folder), uid, false);
  const above = dirname(folder);
  requireOwn(above, await stat(above), uid, true);
}

function requireOwn(
  folder: string,
  { mode, uid }: Pick<Stats, 'mode' | 'uid'>,
  own: number,
  mayBeSticky: boolean,
): void {
  const shown = (mode & 0o7777).toString(8).padStart(4, '0');
  if (uid !== 0 && uid !== own)
    throw new SharedFolderError(
      `the folder ${folder} (mode ${shown}) belongs to the user with id ${uid}, who could replace the socket. Run \`chown ${own} ${folder}\`, or use a folder of the user that runs Sluice`,
    );
  if ((mode & WRITABLE_BY_OTHERS) === 0 || (mayBeSticky && (mode & STICKY) !== 0)) return;
  throw new SharedFolderError(
    `the folder ${folder} has mode ${shown}, so other users could replace the socket. Run \`chmod go-w ${folder}\`, or use a folder that only the user that runs Sluice may write to`,
  );
}
