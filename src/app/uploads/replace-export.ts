// The file of a sync that the console wrote: what another export changes in its columns, and how the export takes its
// place. The file is never missing meanwhile, and the last ones stay beside it.
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, lstat, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { CsvSource } from '../../connectors/sources/config.ts';
import { csvSource } from '../../connectors/sources/csv/csv.ts';
import { isLikeData, SourceError } from '../../core/source.ts';
import type { ColumnChanges } from '../../jobs/sync/contract/first-sync.ts';
import { compileMapping, describeMissingNumber } from '../../mapping/index.ts';
import { OperatorError } from '../../operator/error.ts';
import type { ReplacedExport } from '../../operator/service/deps.ts';
import { forgetOldest, keptName } from './kept-files.ts';

/**
 * Compares the columns of an export with those of the file that it would replace.
 * @throws SourceError when the export is no table; OperatorError (invalid) without a header
 */
export async function compareColumns(path: string, target: ReplacedExport): Promise<ColumnChanges> {
  const found = await columnsOf(path, target.source);
  if (found.some(isLikeData))
    throw new OperatorError(
      'invalid',
      'the first line of the file looks like a row, not a header; add a line with the column names above it',
      { code: 'SOURCE_NO_HEADER' },
    );
  const before = await columnsBefore(target.source);
  return {
    found,
    added: before === null ? [] : found.filter((column) => !before.includes(column)),
    removed: before === null ? [] : before.filter((column) => !found.includes(column)),
    missing: [...new Set(target.mappings.flatMap((mapping) => missingOf(mapping, found, before)))],
  };
}

/** A column that the file before lacked too is a matter of the mapping, which the runs report. */
export function missingOf(
  config: ReplacedExport['mappings'][number],
  found: readonly string[],
  before: readonly string[] | null,
): readonly string[] {
  const mapping = compileMapping(config);
  const known = new Set(before === null ? [] : mapping.missing(before));
  const missing = mapping.missing(found).filter((column) => !known.has(column));
  const lacksNumber = describeMissingNumber(mapping.numberColumns, found) !== null;
  return lacksNumber ? [...mapping.numberColumns, ...missing] : missing;
}

/** @throws OperatorError (invalid) with the missing columns and those of the file */
export function requireColumns({ missing, found }: Pick<ColumnChanges, 'missing' | 'found'>): void {
  if (missing.length === 0) return;
  const names = (list: readonly string[]) => list.map((name) => JSON.stringify(name)).join(', ');
  throw new OperatorError(
    'invalid',
    `the file lacks columns that the mapping uses: ${names(missing)}; columns found: ${names(found)}. Name the columns as in the file before, or change the mapping first`,
    { code: 'COLUMNS_MISSING' },
  );
}

/**
 * Puts a copy of `path` in the place of the file, and keeps the file under a name with the time.
 * @returns the name of the file that was kept; null when there was none
 */
export async function putInPlace(path: string, target: string, now: Date): Promise<string | null> {
  const folder = dirname(target);
  const name = basename(target, '.csv');
  const draft = join(folder, `.sluice-${randomUUID()}.csv`);
  try {
    await copyFile(path, draft, constants.COPYFILE_EXCL);
    const handle = await open(draft, 'r+');
    await handle.sync().finally(() => handle.close());
    const kept = (await exists(target)) ? keptName(name, now) : null;
    if (kept !== null) await copyFile(target, join(folder, kept), constants.COPYFILE_EXCL);
    await rename(draft, target);
    await forgetOldest(folder, name);
    return kept;
  } finally {
    await rm(draft, { force: true });
  }
}

/** @throws OperatorError (conflict) for a link or a folder: what it points to is not the console's */
async function exists(target: string): Promise<boolean> {
  const found = await lstat(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return null;
  });
  if (found === null || found.isFile()) return found !== null;
  throw new OperatorError(
    'conflict',
    `${target} is a link or a folder; replace the file that it names yourself`,
    {
      code: 'NOT_UPLOADED',
    },
  );
}

async function columnsOf(path: string, source: CsvSource): Promise<readonly string[]> {
  const { columns } = await csvSource({ ...source, path }, '/').read(null, { limit: 1 });
  return columns ?? [];
}

/** Null: the file is gone, or is no table. Another one may take its place all the same. */
export async function columnsBefore(source: CsvSource): Promise<readonly string[] | null> {
  try {
    return await columnsOf(source.path, source);
  } catch (error) {
    if (error instanceof SourceError) return null;
    throw error;
  }
}
