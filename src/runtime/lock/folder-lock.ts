// One process at a time owns a state folder. The lock is a name that the kernel gives to one process and takes
// back when it dies, so there is no stale lock to break and no pid to mistrust; a file beside it only tells who holds it.
//
// Linux: an abstract unix socket; Windows: a named pipe; macOS and BSD: a file opened with O_EXLOCK. A lock file with a
// pid was not chosen: its takeover after `kill -9` is a race, and pids are reused. An abstract socket is seen
// within one network namespace: two containers that share a folder do not see each other's lock.
import { randomUUID } from 'node:crypto';
import { readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { probeName, takeName } from './kernel-name.ts';
import { checkFolderOwner, openPrivateFolder } from './private-folder.ts';
import { isSameProcess, processStart } from './process-identity.ts';

/** Who holds a folder. Further keys are what the holder wrote: ports, addresses. */
export const LockInfo = z
  .object({
    pid: z.int(),
    /** Start mark of the process; null where the system has none. */
    start: z.string().nullable(),
    host: z.string(),
    /** ISO 8601, UTC. */
    since: z.iso.datetime({ offset: true }),
    /** What the holder runs, for example `sluice start`. */
    command: z.string(),
  })
  .catchall(z.json());
export type LockInfo = z.infer<typeof LockInfo>;

/** What a holder tells about itself. */
export type LockNote = { readonly command: string; readonly [key: string]: z.core.util.JSONType };

export interface FolderLock {
  /** Replaces what the holder tells about itself (`pid` and `since` stay). */
  update(info: LockNote): Promise<void>;
  /** Gives the folder free; a second call does nothing. */
  release(): Promise<void>;
}

/** Thrown when another process, or another part of this one, holds the folder. */
export class FolderLockedError extends Error {
  override readonly name = 'FolderLockedError';
  readonly folder: string;
  /** Null when the holder lives but has not said who it is. */
  readonly holder: LockInfo | null;
  constructor(folder: string, holder: LockInfo | null) {
    super(
      holder === null
        ? `${folder} is in use by a process that has not said who it is; wait for it to end, or use another folder`
        : `${folder} is in use by process ${holder.pid} (${holder.command}, since ${holder.since}); ` +
            `stop it first (kill ${holder.pid}), or use another folder`,
    );
    this.folder = folder;
    this.holder = holder;
  }
}

const INFO_FILE = 'holder.json';
/** Between taking the name and writing the file a holder is nameless for some milliseconds; for longer on a loaded machine. */
const NAMELESS_MS = 5_000;

/**
 * Takes the folder (made when missing) for this process until `release` or the process's death, however it dies, and
 * closes it to other users. Does not keep the event loop alive.
 * @param say receives what an operator should know of the folder's modes
 * @throws FolderLockedError when it is paused; at the latest after 5 s.
 * @throws UnsafeFolderError as `openPrivateFolder`
 */
export async function acquireFolderLock(
  folder: string,
  info: LockNote,
  say: (line: string) => void = () => undefined,
): Promise<FolderLock> {
  const { path, notes } = await openPrivateFolder(resolve(folder));
  const deadline = Date.now() + NAMELESS_MS;
  for (;;) {
    const name = await takeName(path);
    if (name !== null) {
      for (const note of notes) say(note);
      return ownFolderLock(path, name, info);
    }
    const holder = await readHolder(path);
    if (holder !== null || Date.now() > deadline) throw new FolderLockedError(path, holder);
    await delay(20);
  }
}

/** Who holds the folder; null when nobody does, or when the holder has not yet said who it is. */
export async function readFolderLock(folder: string): Promise<LockInfo | null> {
  let path: string;
  try {
    path = await realpath(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  checkFolderOwner(path);
  const deadline = Date.now() + NAMELESS_MS;
  while (await probeName(path)) {
    const holder = await readHolder(path);
    if (holder !== null || Date.now() > deadline) return holder;
    await delay(20);
  }
  return null;
}

async function ownFolderLock(
  path: string,
  name: { release(): Promise<void> },
  first: LockNote,
): Promise<FolderLock> {
  const file = join(path, INFO_FILE);
  const fixed = {
    pid: process.pid,
    start: processStart(process.pid),
    host: hostname(),
    since: new Date().toISOString(),
  };
  const write = async (note: LockNote): Promise<void> => {
    // Readers never see half a file: written beside it, then moved over.
    const draft = `${file}.${randomUUID()}`;
    await writeFile(draft, `${JSON.stringify({ ...note, ...fixed })}\n`, { mode: 0o600 });
    await rename(draft, file);
  };
  try {
    await write(first);
  } catch (error) {
    await name.release();
    throw error;
  }
  let released: Promise<void> | null = null;
  const release = async (): Promise<void> => {
    // The file goes first: once the name is free, the file belongs to the next holder.
    await rm(file, { force: true });
    await name.release();
  };
  return {
    update: async (note) => {
      if (released !== null)
        throw new Error(`${path} was released; take it again before updating its holder`);
      await write(note);
    },
    release: () => {
      released ??= release();
      return released;
    },
  };
}

/** The file's holder, if that very process lives; what a dead holder left behind counts as nothing. */
async function readHolder(path: string): Promise<LockInfo | null> {
  let text: string;
  try {
    text = await readFile(join(path, INFO_FILE), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const holder = LockInfo.safeParse(parseJson(text));
  if (!holder.success) return null;
  const { pid, start } = holder.data;
  return start === null || isSameProcess(pid, start) ? holder.data : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
