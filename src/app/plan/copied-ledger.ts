// A copy of the embedded ledger, for work that needs the database for itself while the process goes on.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../core/sql/database.ts';
import { copyOpenDatabase } from '../../core/sql/embedded/copy.ts';

/** @param work receives a state folder with the copy; it is deleted afterwards */
export async function withCopy<T>(
  { db, stateDir }: { readonly db: Database; readonly stateDir: string },
  work: (stateDir: string) => Promise<T>,
): Promise<T> {
  const folder = join(stateDir, `plans-${process.pid}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const copy = await mkdtemp(join(folder, 'ledger-'));
  try {
    await copyOpenDatabase(db, join(stateDir, 'ledger'), join(copy, 'ledger'));
    return await work(copy);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}
