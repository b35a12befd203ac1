// Earlier files of a sync, which stay beside the present one under names with their time.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Files of one kind that stay. */
const KEPT = 5;
const TIME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$/;

/** `leads` is kept as `leads.2026-03-09T07-30-00-000Z.csv`. Names of syncs have no dots. */
export function keptName(name: string, now: Date): string {
  return `${name}.${now.toISOString().replaceAll(/[:.]/g, '-')}.csv`;
}

/** Deletes all but the newest files that were kept under the name. */
export async function forgetOldest(folder: string, name: string): Promise<void> {
  const prefix = `${name}.`;
  const kept = (await readdir(folder))
    .filter((file) => file.startsWith(prefix) && TIME.test(file.slice(prefix.length, -'.csv'.length)))
    .toSorted();
  for (const file of kept.slice(0, -KEPT)) await rm(join(folder, file), { force: true });
}
