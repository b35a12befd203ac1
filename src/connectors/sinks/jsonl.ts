// The JSONL sink: a file with one event per line. An event counts as sent after it is on the disk.
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { JsonlSink } from './config.ts';
import type { CloudEvent } from './event.ts';
import { failed, SENT, sinkOf } from './sending.ts';
import { type Sent, type Sink, SinkError } from './sink.ts';

const NEWLINE = 0x0a;
/** On a busy machine another process may pause this long within its write. An end that stands still longer is torn. */
const CHECK_AGAIN_MS = 200;
/** Events are personal data, so only the owner can read a new file. */
const MODE = 0o600;
/** An existing file may be readable by a group, for a program that collects it, but never by all users. */
const OTHERS = 0o007;

/**
 * Appends one line per event, a batch with one write, and returns after the disk has it. It opens the file for each
 * batch, so a file that was moved away is created again. Other processes may append to the file at the same time. If a
 * crash left an incomplete line, the sink ends that line first. A reader sees at most one broken line, and never two
 * events in one line.
 * @param baseDir folder that a relative path starts from
 */
export function jsonlSink({ path }: JsonlSink, baseDir: string): Sink {
  const file = resolve(baseDir, path);
  let last: Promise<unknown> = Promise.resolve();

  async function append(events: readonly CloudEvent[], signal: AbortSignal): Promise<readonly Sent[]> {
    if (signal.aborted) return events.map(() => failed(signal.reason as SinkError));
    try {
      await appendLines(file, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
      return events.map(() => SENT);
    } catch (error) {
      const failure = failed(fileError(error, file));
      return events.map(() => failure);
    }
  }

  return sinkOf({
    kind: 'JSONL',
    // Batches run one after another: the check of the file's end must not run while another batch is being written.
    deliver(events, signal) {
      const appending = last.then(() => append(events, signal));
      last = appending;
      return appending;
    },
  });
}

async function appendLines(file: string, lines: string): Promise<void> {
  const handle = await open(file, 'a+', MODE);
  try {
    await closeToOthers(handle);
    const end = await endOf(handle);
    const bytes = Buffer.from(end === 'torn' ? `\n${lines}` : lines);
    const { bytesWritten } = await handle.write(bytes);
    // A second write for the rest could land after lines of another process.
    if (bytesWritten < bytes.length) throw new FileTrouble('ENOSPC');
    await handle.datasync();
    // The directory entry of a new file reaches the disk with its folder.
    if (end === 'empty' && process.platform !== 'win32') await syncFolder(dirname(file));
  } finally {
    await handle.close();
  }
}

async function closeToOthers(handle: FileHandle): Promise<void> {
  const stats = await handle.stat();
  // A pipe or a device is rejected below. Its mode is not ours to change.
  if ((stats.mode & OTHERS) === 0 || !stats.isFile() || process.getuid === undefined) return;
  if (stats.uid !== process.getuid() && process.getuid() !== 0) throw new FileTrouble('OPEN_TO_ALL');
  await handle.chmod(stats.mode & 0o770).catch((error: NodeJS.ErrnoException) => {
    // This user owns the file, so its file system stores no modes, and no restriction is possible there.
    if (!['EPERM', 'ENOTSUP', 'EINVAL'].includes(error.code ?? '')) throw error;
  });
}

async function endOf(handle: FileHandle): Promise<'empty' | 'whole' | 'torn'> {
  for (let before = -1; ; ) {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new FileTrouble('NOT_A_FILE');
    if (stats.size === 0) return 'empty';
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(1), 0, 1, stats.size - 1);
    if (bytesRead === 0 || buffer[0] === NEWLINE) return 'whole';
    if (stats.size === before) return 'torn';
    // A line that another process is writing looks the same at first, but it grows.
    before = stats.size;
    await delay(CHECK_AGAIN_MS);
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A condition that the system does not report as an error, with a code of its own. */
class FileTrouble extends Error {
  override readonly name = 'FileTrouble';
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** What an error of the file system means, and the fix. */
const MEANINGS: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist; create it (Sluice never does)',
  ENOTDIR: 'a part of its folder is a file; correct `path`',
  EISDIR: 'it is a folder; correct `path`',
  NOT_A_FILE: 'it is not a regular file; correct `path`',
  OPEN_TO_ALL: 'every user of this machine may read it, and another user owns it; restrict it (chmod o-rwx)',
  ELOOP: 'its symbolic links form a circle',
  ENAMETOOLONG: 'its name is too long; correct `path`',
  EACCES: 'the user that runs Sluice may not write to it; grant that permission',
  EPERM: 'the system does not allow writing; check its attributes',
  EROFS: 'its file system is read-only',
  ENOSPC: 'the disk is full; free some space',
  EDQUOT: 'the disk quota is used up; free some space',
  EFBIG: 'it has reached the maximum file size; move it away',
  EMFILE: 'the process has too many open files; raise its limit',
  ENFILE: 'the system has too many open files',
  EIO: 'the disk reports an error',
  ESTALE: 'the file server no longer knows the file',
};

/** All of these can be fixed or end on their own, so they are retryable: no event is lost meanwhile. */
function fileError(error: unknown, file: string): SinkError {
  const { code, message = '' } = (error ?? {}) as { code?: unknown; message?: string };
  const known = typeof code === 'string' ? code : 'FILE';
  const why = MEANINGS[known] ?? message;
  return new SinkError(known, `Sluice could not append the events to ${file}: ${why}`, {
    retryable: true,
    sinkWide: true,
    cause: error,
  });
}
