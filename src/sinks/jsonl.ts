// The JSONL sink: a file that each event is a line of, on the disk before it counts as sent.
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { JsonlSink } from '../contracts/config/config.ts';
import type { SinkEvent } from '../contracts/wire/events.ts';
import { FileTrouble, fileError } from './jsonl-error.ts';
import { failed, SENT, sinkOf } from './sending.ts';
import type { Sent, Sink, SinkError } from './sink.ts';

const NEWLINE = 0x0a;
const CHECK_AGAIN_MS = 20;
/** Events are personal data: a new file is for its owner. */
const MODE = 0o600;
/** A file that is there already may be readable by a group, for a program that collects it; never by all users. */
const OTHERS = 0o007;

/**
 * Appends one line an event, a batch with one write, and answers when the disk has it. The file is opened for each batch, so that
 * one that was moved away is made anew. Others may append to it at the same time. What a crash left of a line is ended first:
 * a reader sees at most one broken line, never two events in one.
 * @param baseDir folder that a relative path begins at
 */
export function jsonlSink({ path }: JsonlSink, baseDir: string): Sink {
  const file = resolve(baseDir, path);
  let last: Promise<unknown> = Promise.resolve();

  async function append(events: readonly SinkEvent[], signal: AbortSignal): Promise<readonly Sent[]> {
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
    // One after another: who looks how the file ends must not look while another batch is being written.
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
    // The rest in a second write could stand behind somebody else's lines.
    if (bytesWritten < bytes.length) throw new FileTrouble('ENOSPC');
    await handle.datasync();
    // The name of a new file is on the disk with its folder.
    if (end === 'empty' && process.platform !== 'win32') await syncFolder(dirname(file));
  } finally {
    await handle.close();
  }
}

async function closeToOthers(handle: FileHandle): Promise<void> {
  const stats = await handle.stat();
  // A pipe or a device is refused below, and its mode is not ours.
  if ((stats.mode & OTHERS) === 0 || !stats.isFile() || process.getuid === undefined) return;
  if (stats.uid !== process.getuid() && process.getuid() !== 0) throw new FileTrouble('OPEN_TO_ALL');
  await handle.chmod(stats.mode & 0o770).catch((error: NodeJS.ErrnoException) => {
    // The file is this user's, so its file system keeps no modes: nothing can be closed there.
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
    // A line that another process is writing looks the same at first, but grows.
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
