// Which Unix user is at the other end of a Unix socket, as the kernel says.
import type { Socket } from 'node:net';
import koffi from 'koffi';

/** `getsockopt(fd, SOL_SOCKET, SO_PEERCRED)` of Linux fills in pid, uid and gid, four bytes each. */
const SOL_SOCKET = 1;
const SO_PEERCRED = 17;
const CRED_BYTES = 12;

type ReadUid = (fd: number) => number;

let reader: ReadUid | undefined;

/**
 * The user id of the process that has connected.
 * @throws Error when the kernel does not tell, for example because the peer has gone, or on Windows
 */
export function peerUid(socket: Socket): number {
  // Node has no public way to the descriptor.
  const handle = Reflect.get(socket, '_handle') as { readonly fd?: number } | null;
  const fd = handle?.fd ?? -1;
  if (fd < 0) throw new Error('the connection is closed, so the kernel names no user');
  reader ??= openReader();
  return reader(fd);
}

function openReader(): ReadUid {
  const libc = koffi.load(null);
  if (process.platform === 'linux') {
    const getsockopt = libc.func(
      'int getsockopt(int fd, int level, int name, _Out_ void *value, _Inout_ uint32_t *bytes)',
    );
    return (fd) => {
      const cred = Buffer.alloc(CRED_BYTES);
      if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, cred, [CRED_BYTES]) !== 0) throw refused();
      return cred.readUInt32LE(4);
    };
  }
  if (process.platform === 'win32') throw new Error('Windows names no user of a named pipe');
  // macOS and the BSDs.
  const getpeereid = libc.func('int getpeereid(int fd, _Out_ uint32_t *uid, _Out_ uint32_t *gid)');
  return (fd) => {
    const uid = [0];
    if (getpeereid(fd, uid, [0]) !== 0) throw refused();
    return uid[0] as number;
  };
}

function refused(): Error {
  return new Error(`the kernel does not name the user of the connection (errno ${koffi.errno()})`);
}
