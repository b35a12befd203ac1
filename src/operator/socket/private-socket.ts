// A socket that only this user can connect to: a Unix domain socket in a private folder, or a named pipe on Windows.
import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { shortHash } from '../../core/sql/short-hash.ts';
import { requireOwnWay } from './shared-folder.ts';

/** Maximum length of a socket path in bytes: the kernel takes 107 on Linux and 103 on macOS and the BSDs. */
const MAX_PATH = 103;
/** Errors of file systems without sockets, such as those of some virtual machines and network shares. */
const NO_SOCKETS = new Set(['ENOTSUP', 'EOPNOTSUPP', 'EINVAL', 'EPERM', 'EACCES', 'ENAMETOOLONG', 'EROFS']);

export interface PrivateSocket {
  /** The path that a client connects to. */
  readonly path: string;
  /** Deletes the socket from the disk after the server is closed. */
  remove(): Promise<void>;
}

export interface SocketPlace {
  /** Folder whose lock the caller owns. A socket found there belongs to a process that died. */
  readonly folder: string;
  /** Name of the socket's own folder in `folder`. */
  readonly name: string;
  /** @default that of the system */
  readonly tmp?: string;
}

/**
 * Lets the server listen. The folder of the socket is private from its first moment, so that no other user can connect
 * at any time. The socket also gets mode 0600.
 * @throws what `server.listen` throws, when no folder can have a socket; SharedFolderError when other users may replace the
 *   temporary folder's content
 */
export async function listenPrivately(server: Server, place: SocketPlace): Promise<PrivateSocket> {
  const folder = resolve(place.folder);
  if (process.platform === 'win32') {
    const path = `\\\\.\\pipe\\sluice-${shortHash(folder)}-${randomBytes(8).toString('hex')}`;
    await listen(server, path);
    return { path, remove: async () => undefined };
  }
  const tmp = place.tmp ?? tmpdir();
  const inside = await listenIn(server, join(folder, place.name)).catch(giveUpOn(NO_SOCKETS));
  if (inside !== null) return inside;
  // Otherwise another user could rename the folder of the socket, and put their own in its place.
  await requireOwnWay(tmp, process.geteuid?.() ?? 0);
  // The name is the same at each start, so that a socket left by a killed process is found and replaced.
  const named = join(tmp, `sluice-${process.getuid?.() ?? 0}-${shortHash(folder)}-${place.name}`);
  const outside = await listenIn(server, named).catch(giveUpOn(new Set([...NO_SOCKETS, 'EEXIST'])));
  return outside ?? (await listenIn(server, await mkdtemp(join(tmp, 'sluice-'))));
}

function giveUpOn(codes: ReadonlySet<string>) {
  return (error: NodeJS.ErrnoException): null => {
    if (!codes.has(error.code ?? '')) throw error;
    return null;
  };
}

async function listenIn(server: Server, folder: string): Promise<PrivateSocket> {
  const path = join(folder, 'socket');
  if (Buffer.byteLength(path) > MAX_PATH) throw coded('ENAMETOOLONG', `${path} is too long for a socket`);
  await ownFolder(folder);
  await rm(path, { force: true });
  await listen(server, path);
  await chmod(path, 0o600);
  return { path, remove: async () => await rm(dirname(path), { recursive: true, force: true }) };
}

/** @throws with EEXIST when the path is not a folder, or belongs to another user */
async function ownFolder(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const found = await lstat(folder);
  if (!found.isDirectory() || found.uid !== process.getuid?.())
    throw coded('EEXIST', `${folder} is not a folder of this user`);
  await chmod(folder, 0o700);
}

function coded(code: string, message: string): NodeJS.ErrnoException {
  return Object.assign(new Error(message), { code });
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((done, failed) => {
    server.once('error', failed);
    // exclusive: a cluster worker must not share the handle of its primary.
    server.listen({ path, exclusive: true }, () => {
      server.off('error', failed);
      done();
    });
  });
}
