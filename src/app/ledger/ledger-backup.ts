// Backup and restore of the embedded ledger. Temporal's own files are not part of a backup: the ledger knows what is
// left to do, and its workflows are started again.
import { cp, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { makeFolder } from '../../core/lock/make-folder.ts';
import type { Database } from '../../core/sql/database.ts';
import { copyOpenDatabase } from '../../core/sql/embedded/copy.ts';
import type { RestoreCounts } from '../../protect/restore/restores.ts';
import { markRestored } from '../../protect/restore/suspect.ts';
import { differentFile, hashFiles } from './backup-files.ts';
import { openLedger } from './ledger-database.ts';

const LEDGER = 'ledger';
const BACKUPS = 'backups';
const MARK = 'backup.json';
/** What a restore moves away beside the ledger: workflows of another past. */
const TEMPORAL = ['temporal.db', 'temporal.db-wal', 'temporal.db-shm'] as const;

type BackupMark = z.infer<typeof BackupMark>;
const BackupMark = z.strictObject({ takenAt: z.iso.datetime(), files: z.record(z.string(), z.string()) });

export interface Backup {
  /** Absolute. */
  readonly folder: string;
  /** Everything that was answered before is in the backup. ISO 8601. */
  readonly takenAt: string;
}

/** Thrown when a folder is not a complete backup. Nothing was changed. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/**
 * Copies the embedded ledger into a new folder below the state folder. Statements wait meanwhile.
 * @param db the open ledger of `stateDir`
 */
export async function backUpLedger(db: Database, stateDir: string): Promise<Backup> {
  if (db.kind !== 'pglite')
    throw new BackupError('the ledger is on PostgreSQL: back it up with the tools of that server');
  const takenAt = new Date().toISOString();
  const folder = join(stateDir, BACKUPS, takenAt.replaceAll(/[:.]/g, '-'));
  await makeFolder(join(stateDir, BACKUPS));
  await makeFolder(folder);
  try {
    await copyOpenDatabase(db, join(stateDir, LEDGER), join(folder, LEDGER));
    const mark: BackupMark = { takenAt, files: await hashFiles(join(folder, LEDGER)) };
    // Written last: a folder without it is incomplete.
    await writeFile(join(folder, MARK), `${JSON.stringify(mark)}\n`, { mode: 0o600 });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  return { folder, takenAt };
}

export interface Restored {
  readonly takenAt: string;
  readonly counts: RestoreCounts;
  /** Folder with the files that were there before; null when there were none. */
  readonly replaced: string | null;
}

/**
 * Replaces the embedded ledger by a backup, and marks it as restored. The caller holds the folder's lock.
 * @throws BackupError
 */
export async function restoreLedger(from: string, stateDir: string): Promise<Restored> {
  const { takenAt, files } = await readMark(from);
  const draft = await mkdtemp(join(stateDir, 'restoring-'));
  try {
    await copyOf(from, join(draft, LEDGER));
    const different = await differentFile(join(draft, LEDGER), files);
    if (different !== null)
      throw new BackupError(
        `${from} is not as it was when it was made: ${LEDGER}/${different} is missing or has another content; use another copy of this backup, or an older one`,
      );
    // Marked before it is in its place: if this process dies, nothing starts with a ledger that was only copied.
    const counts = await markOf(draft, new Date(takenAt));
    const replaced = await moveAway(stateDir);
    await rename(join(draft, LEDGER), join(stateDir, LEDGER)).catch(async (error: unknown) => {
      // Without a ledger, the next start would make an empty one, and send everything again.
      if (replaced !== null) await rename(join(replaced, LEDGER), join(stateDir, LEDGER));
      throw error;
    });
    return { takenAt, counts, replaced };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function markOf(stateDir: string, takenAt: Date): Promise<RestoreCounts> {
  const db = await openLedger({ stateDir, onError: () => undefined });
  try {
    return await markRestored(db, takenAt);
  } finally {
    await db.close();
  }
}

async function copyOf(from: string, to: string): Promise<void> {
  await cp(join(from, LEDGER), to, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new BackupError(`${from} is not a backup of the ledger: it has no folder ${LEDGER}`);
  });
}

async function readMark(folder: string): Promise<BackupMark> {
  let text: string;
  try {
    text = await readFile(join(folder, MARK), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new BackupError(`${folder} is not a backup of the ledger: it has no ${MARK}`);
  }
  const mark = BackupMark.safeParse(parsed(text));
  if (mark.success) return mark.data;
  throw new BackupError(`${folder}/${MARK} is damaged; use another copy of this backup, or an older one`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

async function moveAway(stateDir: string): Promise<string | null> {
  const folder = join(stateDir, `replaced-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`);
  let moved = false;
  // The ledger comes last: if this process dies, the shortest time is without one.
  for (const name of [...TEMPORAL, LEDGER]) {
    if (!(await exists(join(stateDir, name)))) continue;
    if (!moved) await mkdir(folder, { recursive: true, mode: 0o700 });
    moved = true;
    await rename(join(stateDir, name), join(folder, name));
  }
  return moved ? folder : null;
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}
