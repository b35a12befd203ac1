// Copies an embedded database while its process uses it.
import { constants } from 'node:fs';
import { cp } from 'node:fs/promises';
import type { Database } from '../database.ts';

/**
 * Copies the files of an open database. Statements wait meanwhile. Where the file system can, the copy shares blocks
 * with the original and takes no time.
 * @param db the database in the folder `from`
 */
export async function copyOpenDatabase(db: Database, from: string, to: string): Promise<void> {
  await db.query('checkpoint');
  // PGlite serves one transaction at a time, so nobody changes the files during this one.
  await db.transaction(() => cp(from, to, { recursive: true, mode: constants.COPYFILE_FICLONE }));
}
