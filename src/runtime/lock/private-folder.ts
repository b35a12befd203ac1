// A state folder that only its user can open. It holds phone numbers, message texts and the socket that takes commands.
import { chmodSync, lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from './make-folder.ts';

/** Thrown for a folder that another user of this machine owns or could replace. */
class UnsafeFolderError extends Error {
  override readonly name = 'UnsafeFolderError';
  readonly path: string;
  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

export interface PrivateFolder {
  /** Absolute, without symbolic links. */
  readonly path: string;
  /** What a person should know: what was closed to other users, and what could not be. */
  readonly notes: readonly string[];
}

const OTHERS = 0o077;
const OTHERS_WRITE = 0o002;
const STICKY = 0o1000;
/** What Sluice itself puts into a state folder. Anything else in it is the user's, and keeps its mode. */
const OURS =
  /^(?:ledger|socket|sandbox|demo|worker-\d+|(?:holder|temporal|journal|requests)\.[\w.-]+|messages\.jsonl)$/;

/**
 * Makes the folder, or takes an existing one back from other users: mode 0700, and no file of Sluice in it is open to
 * the group or to others. Windows has no such modes, and there nothing is checked or changed.
 * @throws UnsafeFolderError when another user owns the folder, something of Sluice in it, or a link to it; or when
 *   every user may rename it, because a folder above it is open to all.
 * @throws FolderPathError when there can be no folder at that path
 */
export async function openPrivateFolder(folder: string): Promise<PrivateFolder> {
  await makeFolder(folder);
  const path = await realpath(folder);
  if (process.getuid === undefined) return { path, notes: [] };
  checkOwner(folder, lstatSync(folder));
  checkOwner(path, statSync(path));
  const closed = closeFolder(path) + closeDefault(dirname(path));
  const keepsModes = (statSync(path).mode & OTHERS) === 0;
  if (!keepsModes)
    return {
      path,
      notes: [
        `the file system of ${path} keeps no modes: other users of this machine may read what is in it; ` +
          'choose a folder elsewhere with --state (sandbox: --data)',
      ],
    };
  checkAbove(path);
  if (closed === 0) return { path, notes: [] };
  const what = closed === 1 ? '1 file or folder' : `${closed} files and folders`;
  return {
    path,
    notes: [`closed ${path} to other users of this machine: ${what} had a mode that lets them in`],
  };
}

/** @throws UnsafeFolderError when the folder is another user's: what lies in it may lead a command to a foreign socket */
export function checkFolderOwner(path: string): void {
  if (process.getuid !== undefined) checkOwner(path, statSync(path));
}

/** The owner of a link decides where it leads: this user, or root, who may do everything anyway. */
function checkOwner(path: string, stats: Stats): void {
  const user = process.getuid?.();
  if (stats.uid === user || (stats.isSymbolicLink() && stats.uid === 0)) return;
  throw new UnsafeFolderError(
    path,
    `${path} belongs to another user of this machine (user id ${stats.uid}, this one is ${user}), who could read and ` +
      `replace what Sluice stores there; run Sluice as that user, take it over (chown -R), or use another folder`,
  );
}

/** Who may write to a folder above can put another one in its place, unless it is sticky as /tmp is. */
function checkAbove(path: string): void {
  for (let above = dirname(path); ; above = dirname(above)) {
    const { mode } = statSync(above);
    if ((mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0)
      throw new UnsafeFolderError(
        path,
        `every user of this machine may replace ${path}, because all may write to ${above}; ` +
          `close that one (chmod o-w ${above}), or use another folder`,
      );
    if (above === dirname(above)) return;
  }
}

/** Answers how many modes it changed. */
function closeFolder(path: string): number {
  let closed = close(path, statSync(path));
  for (const name of readdirSync(path))
    if (OURS.test(name)) closed += closeTree(join(path, name)) + closeLinked(join(path, name));
  return closed;
}

/** `.sluice` holds the folders of the demo and of the sandbox, each with a lock of its own. */
function closeDefault(above: string): number {
  const stats = statSync(above);
  return basename(above) === '.sluice' && stats.uid === process.getuid?.() ? close(above, stats) : 0;
}

/** Who keeps the ledger on another disk puts a link to a folder into the state folder. That folder is Sluice's then. */
function closeLinked(path: string): number {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return 0;
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return 0;
  const target = realpathSync(path);
  const closed = closeTree(target);
  checkAbove(target);
  return closed;
}

function closeTree(path: string): number {
  // Sockets and files of a server that still runs may disappear during the check.
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 0;
  checkOwner(path, stats);
  if (stats.isSymbolicLink()) return 0;
  const closed = close(path, stats);
  if (!stats.isDirectory()) return closed;
  return readdirSync(path).reduce((sum, name) => sum + closeTree(join(path, name)), closed);
}

/** No file of Sluice is a program. */
function close(path: string, stats: Stats): number {
  const wanted = stats.mode & (stats.isDirectory() ? 0o700 : 0o600);
  if ((stats.mode & 0o777) === wanted) return 0;
  chmodSync(path, wanted);
  return 1;
}
