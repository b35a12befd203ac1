// Lets one process at a time own a state folder. The lock is a name that the kernel gives to one process and frees when
// that process dies, so no lock is stale and no pid has to be trusted. A file beside it only says who the owner is.
//
// Linux: an abstract unix socket; Windows: a named pipe; macOS and BSD: a file opened with O_EXLOCK. A lock file with a
// pid is not used: its takeover after `kill -9` is a race, and the system reuses pids. An abstract socket is visible
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

/** The owner of a folder. Further keys are what the owner wrote: ports, addresses. */
export const LockInfo = z
  .object({
    pid: z.int(),
    /** Start mark of the process; null where the system has none. */
    start: z.string().nullable(),
    host: z.string(),
    /** ISO 8601, UTC. */
    since: z.iso.datetime({ offset: true }),
    /** The command of the owner, for example `sluice dev`. */
    command: z.string(),
  })
  .catchall(z.json());
export type LockInfo = z.infer<typeof LockInfo>;

/** What an owner writes about itself. */
export type LockNote = { readonly command: string; readonly [key: string]: z.core.util.JSONType };

export interface FolderLock {
  /** Replaces what the owner wrote about itself; `pid` and `since` stay. */
  update(info: LockNote): Promise<void>;
  /** Releases the folder; a second call does nothing. */
  release(): Promise<void>;
}

/** Thrown when another process, or another part of this one, owns the folder. */
export class FolderLockedError extends Error {
  override readonly name = 'FolderLockedError';
  readonly folder: string;
  /** Null when the owner is alive but has not written who it is. */
  readonly holder: LockInfo | null;
  constructor(folder: string, holder: LockInfo | null) {
    super(
      holder === null
        ? `${folder} is in use by a process that has not written its name yet; wait for it to end, or use another folder`
        : `${folder} is in use by process ${holder.pid} (${holder.command}, since ${holder.since}); ` +
            `stop it first (kill ${holder.pid}), or use another folder`,
    );
    this.folder = folder;
    this.holder = holder;
  }
}

const INFO_FILE = 'holder.json';
/** An owner takes the name some milliseconds before it writes the file; on a loaded machine, longer. */
const NAMELESS_MS = 5_000;

/**
 * Takes the folder for this process until `release` or until the process dies, and closes it to other users. A missing
 * folder is made. The lock does not keep the event loop alive.
 * @param say receives what an operator should know about the folder's modes
 * @throws FolderLockedError when another owner has it; at the latest after 5 s.
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

/** The owner of the folder; null when there is none, or when it has not written its name yet. */
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
    // Readers never see half a file: it is written beside the old one, then moved over it.
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
    // Delete the file first: once the name is free, the file belongs to the next owner.
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

/** The owner in the file, if that very process lives; what a dead owner left is ignored. */
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
