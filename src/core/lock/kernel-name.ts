// A name for a folder that at most one process owns, and that the kernel frees when that process dies.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';

export interface OwnedName {
  release(): Promise<void>;
}

// Flags of open(2) on macOS and the BSDs that Node does not name.
const O_SHLOCK = 0x10;
const O_EXLOCK = 0x20;

/** Takes the folder's name; null when another process has it. Never waits. */
export async function takeName(folder: string): Promise<OwnedName | null> {
  const address = await addressOf(folder);
  return address === null ? takeFile(folder) : listen(address);
}

/**
 * True when a process has the folder's name. The kernel answers, so this works even while the owner is stopped or busy.
 */
export async function probeName(folder: string): Promise<boolean> {
  const address = await addressOf(folder);
  if (address !== null) return isListening(address);
  const file = await openLocked(folder, O_SHLOCK);
  await file?.close();
  return file === null;
}

/** By device and inode, so that a renamed folder, a bind mount or another letter case is still the same folder. */
async function addressOf(folder: string): Promise<string | null> {
  if (process.platform !== 'linux' && process.platform !== 'win32') return null;
  const { dev, ino } = await stat(folder, { bigint: true });
  const hash = createHash('sha256').update(`${dev}:${ino}`).digest('hex').slice(0, 32);
  return process.platform === 'linux' ? `\0sluice-folder-${hash}` : `\\\\.\\pipe\\sluice-folder-${hash}`;
}

function listen(address: string): Promise<OwnedName | null> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(null);
      else reject(error);
    });
    // exclusive: a cluster worker must not share the handle of its primary.
    server.listen({ path: address, exclusive: true }, () => {
      server.unref();
      resolve({ release: () => new Promise((done) => server.close(() => done())) });
    });
  });
}

function isListening(address: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(address);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(false);
      // A full backlog (EAGAIN, EBUSY) or an owner that ends meanwhile (ECONNRESET) means that there was an owner.
      else if (['EAGAIN', 'EBUSY', 'ECONNRESET', 'EPIPE'].includes(error.code ?? '')) resolve(true);
      else reject(error);
    });
  });
}

async function takeFile(folder: string): Promise<OwnedName | null> {
  const file = await openLocked(folder, O_EXLOCK);
  return file && { release: () => file.close() };
}

async function openLocked(folder: string, lock: number): Promise<FileHandle | null> {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | lock;
  try {
    return await open(join(folder, 'holder.lock'), flags, 0o600);
  } catch (error) {
    if (['EAGAIN', 'EWOULDBLOCK'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}
