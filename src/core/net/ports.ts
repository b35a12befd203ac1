// TCP ports on the loopback address: finds free ones, and the process behind a used one.
import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';

/**
 * Below the ports that Linux (32768 and up) and macOS (49152 and up) give to outgoing connections. A busy machine opens
 * hundreds of those a second, and each could take a port between our choice and the caller's `listen`.
 */
const FIRST_PORT = 15_000;
const END_PORT = 32_000;
const TRIES = 50;

/**
 * Returns `preferred` when it is free now, else any free port. Another program may take it before the caller listens,
 * so the caller must be ready to try again.
 */
export async function freePort(preferred?: number): Promise<number> {
  for (let tried = 0; tried < TRIES; tried += 1) {
    const wanted = tried === 0 && preferred !== undefined ? preferred : randomInt(FIRST_PORT, END_PORT);
    const port = await tryPort(wanted);
    if (port !== null) return port;
  }
  throw new Error(
    `no free TCP port on 127.0.0.1: ${TRIES} between ${FIRST_PORT} and ${END_PORT - 1} are taken; end some programs that listen`,
  );
}

/** Null when the port is taken, or may not be used by this user. */
export function tryPort(port: number): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(null);
      else reject(error);
    });
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const found = (server.address() as AddressInfo).port;
      server.close(() => resolve(found));
    });
  });
}

/**
 * True when process `pid` itself listens on 127.0.0.1:`port`. An answer at the port proves nothing: another server may
 * have taken it a moment earlier.
 */
export function listensOn(pid: number, port: number): boolean {
  if (process.platform !== 'linux') return lsofPids(port).includes(pid);
  const inodes = listeningInodes(port);
  if (inodes.size === 0) return false;
  const folder = `/proc/${pid}/fd`;
  for (const fd of orGone(() => readdirSync(folder)) ?? []) {
    const target = orGone(() => readlinkSync(`${folder}/${fd}`));
    if (target?.startsWith('socket:[') && inodes.has(target.slice(8, -1))) return true;
  }
  return false;
}

function listeningInodes(port: number): Set<string> {
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const inodes = new Set<string>();
  for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n')) {
    const fields = line.trim().split(/\s+/);
    // 0A: LISTEN.
    if (fields[1] === local && fields[3] === '0A' && fields[9] !== undefined) inodes.add(fields[9]);
  }
  return inodes;
}

/** Null when the process or the descriptor has gone meanwhile. */
function orGone<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ESRCH') return null;
    throw error;
  }
}

function lsofPids(port: number): number[] {
  try {
    const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };
    const args = ['-nP', '-t', `-iTCP@127.0.0.1:${port}`, '-sTCP:LISTEN'];
    return execFileSync('lsof', args, { encoding: 'utf8', env }).trim().split('\n').map(Number);
  } catch (error) {
    // lsof exits with 1 when it finds nothing.
    if ((error as { status?: number }).status === 1) return [];
    throw error;
  }
}
