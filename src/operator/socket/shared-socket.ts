// A socket that every Unix user of this machine may connect to. Who may do what is decided by the kernel's word on the
// user, not by file modes.
import { chmod, lstat, rm } from 'node:fs/promises';
import { connect, type Server } from 'node:net';
import type { PrivateSocket } from './private-socket.ts';
import { requireOwnFolder } from './shared-folder.ts';

/**
 * Lets the server listen at this path.
 * @throws what `server.listen` throws, for example EADDRINUSE when another process listens there, or when the path is
 *   something else than a socket; SharedFolderError when other users may replace the socket
 */
export async function listenShared(server: Server, path: string): Promise<PrivateSocket> {
  const uid = process.geteuid?.();
  // Windows has no users of folders; there the path is a named pipe.
  if (uid !== undefined) await requireOwnFolder(path, uid);
  await removeLeftOver(path);
  await new Promise<void>((done, failed) => {
    server.once('error', failed);
    server.listen({ path, exclusive: true }, () => {
      server.off('error', failed);
      done();
    });
  });
  await chmod(path, 0o666);
  return { path, remove: () => rm(path, { force: true }) };
}

/** A socket without a process behind it belongs to one that was killed. */
async function removeLeftOver(path: string): Promise<void> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (found?.isSocket() && !(await answers(path))) await rm(path, { force: true });
}

function answers(path: string): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      done(true);
    });
    socket.once('error', () => done(false));
  });
}
