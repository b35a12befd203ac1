// Rejected rows of a run: read again from the file for somebody who corrects them, and taken back as a file of their own.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoadedConfig } from '../../config/load.ts';
import { readCsvTable } from '../../connectors/sources/csv/csv.ts';
import { locateRows } from '../../connectors/sources/csv/csv-lines.ts';
import { exactCsvLine, readSafeCell } from '../../core/csv.ts';
import { OperatorError } from '../../operator/error.ts';
import type { Corrections, FirstSync } from '../../operator/service/deps.ts';
import type { ExpensiveRequests } from '../../operator/service/expensive.ts';
import { asInvalid } from './first-sync.ts';
import { forgetOldest, keptName } from './kept-files.ts';
import { missingOf, requireColumns } from './replace-export.ts';

/** Corrected rows of one upload. */
const MAX_ROWS = 5000;
/** Columns that Sluice adds to the rows that it hands out. */
const OWN = /^sluice_/;

export function createCorrections(options: {
  config(): LoadedConfig;
  readonly firstSync: Pick<FirstSync, 'find' | 'remove'>;
  readonly expensive: ExpensiveRequests;
}): Corrections {
  const { config, firstSync, expensive } = options;
  return {
    async locate(source, { rows, seen, by }) {
      return await expensive.run(by, () => locateRows(source, config().dir, { rows, seen })).catch(asInvalid);
    },
    async keep(id, sync, mapping) {
      const { path, name } = firstSync.find(id);
      const { header, rows } = await readCorrected(await readFile(path), name);
      const found = header.filter((column) => !OWN.test(column));
      requireColumns({ found, missing: missingOf(mapping, found, null) });
      const folder = join(config().dir, 'data');
      const kind = `${sync}.corrections`;
      const file = keptName(kind, new Date());
      await mkdir(folder, { recursive: true });
      const lines = [
        found,
        ...rows.map((values) => found.map((column) => readSafeCell(String(values[column])))),
      ];
      await writeFile(join(folder, file), lines.map(exactCsvLine).join(''), { mode: 0o600, flag: 'wx' });
      await forgetOldest(folder, kind);
      await firstSync.remove(id);
      return { file, rows: rows.length };
    },
  };
}

type Values = Readonly<Record<string, unknown>>;

/** @throws OperatorError when a row cannot be read: it would be left out without a word */
async function readCorrected(
  bytes: Buffer,
  name: string,
): Promise<{ header: readonly string[]; rows: readonly Values[] }> {
  const table = await readCsvTable(bytes, name, MAX_ROWS + 1).catch(asInvalid);
  if (!table.hasHeader)
    throw invalid(
      'SOURCE_NO_HEADER',
      'the first line looks like a row, not a header; keep the line with the names',
    );
  if (table.rows.length > MAX_ROWS)
    throw invalid(
      'TOO_MANY_ROWS',
      `the file has more than ${MAX_ROWS} rows; upload it in parts, or as a new file`,
    );
  if (table.rows.length === 0) throw invalid('EMPTY_FILE', 'the file has no row; choose another one');
  const rows = table.rows.map(({ row, values, problem }) => {
    if (values !== null) return values;
    throw invalid('SOURCE_FORMAT', `row ${row} can't be read: ${problem?.reason ?? 'it is not valid CSV'}`);
  });
  return { header: table.header, rows };
}

function invalid(code: string, message: string): OperatorError {
  return new OperatorError('invalid', message, { code });
}
