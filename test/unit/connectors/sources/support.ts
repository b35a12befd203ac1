// Writes files for source tests into one temporary folder, and reads a source to its end.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SourceConfig } from '../../../../src/connectors/sources/config.ts';
import { openSource } from '../../../../src/connectors/sources/index.ts';
import type { Source, SourceCursor, SourceRow } from '../../../../src/core/source.ts';

export interface Folder {
  readonly path: string;
  /** Writes `data` to a file and opens it as a source. */
  write(data: string | Uint8Array, options?: Partial<SourceConfig>): Promise<Source>;
  remove(): Promise<void>;
}

export async function makeFolder(): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), 'sluice-sources-'));
  let count = 0;
  return {
    path,
    async write(data, options = {}) {
      count += 1;
      const name = `file-${count}`;
      await writeFile(join(path, name), data);
      const config = { type: 'csv', path: name, encoding: 'auto', delimiter: 'auto', ...options };
      return openSource(config as SourceConfig, { baseDir: path });
    },
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

/** All rows in pages of `limit`; every cursor takes a round trip through JSON, as the ledger stores it. */
export async function readAll(source: Source, limit = 1000): Promise<SourceRow[]> {
  const rows: SourceRow[] = [];
  let cursor: SourceCursor | null = null;
  do {
    const page = await source.read(cursor, { limit });
    rows.push(...page.rows);
    cursor = page.next === null ? null : (JSON.parse(JSON.stringify(page.next)) as SourceCursor);
  } while (cursor !== null);
  return rows;
}

/** `values` of each row, or the problem's code. */
export const outcomes = (rows: readonly SourceRow[]): unknown[] =>
  rows.map((row) => row.values ?? row.problem?.code);
