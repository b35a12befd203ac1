// A state folder that only its user can open. It has phone numbers, message texts and the operator socket.
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
  /** What an operator should know: what was closed to other users, and what could not be closed. */
  readonly notes: readonly string[];
}

const OTHERS = 0o077;
const OTHERS_WRITE = 0o002;
const STICKY = 0o1000;
/** Names that Sluice itself makes in a state folder. Everything else belongs to the user and keeps its mode. */
const OURS =
  /^(?:ledger|socket|sandbox|demo|worker-\d+|(?:holder|temporal|journal|requests)\.[\w.-]+|messages\.jsonl)$/;

/**
 * Makes the folder, or closes an existing one to other users: the folder gets mode 0700, and no file of Sluice in it
 * stays open to the group or to others. On Windows it checks and changes nothing.
 * @throws UnsafeFolderError when another user owns the folder, a file of Sluice in it, or a link to it; or when every
 *   user may rename it, because a folder above it is open to all.
 * @throws FolderPathError when no folder can be made at that path
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
    notes: [`closed ${path} to other users of this machine: ${what} had an open mode`],
  };
}

/** @throws UnsafeFolderError when another user owns the folder: its files could lead a command to a foreign socket */
export function checkFolderOwner(path: string): void {
  if (process.getuid !== undefined) checkOwner(path, statSync(path));
}

/** The owner of a link decides its target: this user, or root, who may do everything anyway. */
function checkOwner(path: string, stats: Stats): void {
  const user = process.getuid?.();
  if (stats.uid === user || (stats.isSymbolicLink() && stats.uid === 0)) return;
  throw new UnsafeFolderError(
    path,
    `${path} belongs to another user of this machine (user id ${stats.uid}, this one is ${user}), who could read and ` +
      `replace what Sluice stores there; run Sluice as that user, take it over (chown -R), or use another folder`,
  );
}

/** A user who may write to a parent can replace the folder, unless the parent is sticky like /tmp. */
function checkAbove(path: string): void {
  for (let above = dirname(path); ; above = dirname(above)) {
    const { mode } = statSync(above);
    if ((mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0)
      throw new UnsafeFolderError(
        path,
        `every user of this machine may replace ${path}, because ${above} is writable by all; ` +
          `close it (chmod o-w ${above}), or use another folder`,
      );
    if (above === dirname(above)) return;
  }
}

/** @returns the number of modes that it changed */
function closeFolder(path: string): number {
  let closed = close(path, statSync(path));
  for (const name of readdirSync(path))
    if (OURS.test(name)) closed += closeTree(join(path, name)) + closeLinked(join(path, name));
  return closed;
}

/** `.sluice` has the folders of the demo and of the sandbox, each with its own lock. */
function closeDefault(above: string): number {
  const stats = statSync(above);
  return basename(above) === '.sluice' && stats.uid === process.getuid?.() ? close(above, stats) : 0;
}

/**
 * A user who keeps the ledger on another disk links to it from the state folder. That folder then belongs to Sluice.
 */
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
