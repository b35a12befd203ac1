// Where rejected rows are in the file of their run. The file is read for it, so what was found is kept.

import type { CsvSource } from '../../../connectors/sources/config.ts';
import { OperatorError } from '../../../operator/error.ts';
import type { Corrections } from '../../../operator/service/deps.ts';
import type { Lines } from '../contract/lines.ts';
import type { SyncRow } from '../contract/runs.ts';
import type { RunRow } from '../store/runs.ts';

type Place = NonNullable<SyncRow['place']>;

export interface RowLines {
  readonly places: ReadonlyMap<number, Place>;
  /** Why rows have no line; null when they have. */
  readonly problem: string | null;
}

/** A run, or a dry run. */
type FileOfRun = Pick<RunRow, 'id' | 'spec' | 'source_file'>;

export type FindLines = (run: FileOfRun, rows: readonly number[], by: string) => Promise<RowLines>;

/** Lines of a spreadsheet, as answers carry them. */
export function sheetLines({ places }: RowLines, rows: readonly number[]): Lines {
  return Object.fromEntries(
    rows.flatMap((row) => {
      const place = places.get(row);
      return place === undefined ? [] : [[row, place.sheetLine]];
    }),
  );
}

/** Of a file as it is now, which somebody has just looked into. */
export async function locateNow(
  { locate }: Pick<Corrections, 'locate'>,
  source: CsvSource,
  { rows, by }: { readonly rows: readonly number[]; readonly by: string },
): Promise<Lines> {
  const wanted = [...new Set(rows)].toSorted((a, b) => a - b);
  if (wanted.length === 0) return {};
  const located = await locate(source, { rows: wanted, seen: null, by });
  return Object.fromEntries(located.rows.map(({ row, sheetLine }) => [row, sheetLine]));
}

/** To read more takes longer than somebody waits for a list. An upload is not larger. */
const MAX_BYTES = 64 * 1024 * 1024;
const KEPT_RUNS = 8;
const KEPT_ROWS = 10_000;

export function createRowLines({ locate }: Pick<Corrections, 'locate'>): FindLines {
  const known = new Map<string, Map<number, Place>>();

  function placesOf(run: string): Map<number, Place> {
    const found = known.get(run);
    const places = found === undefined || found.size > KEPT_ROWS ? new Map<number, Place>() : found;
    known.delete(run);
    known.set(run, places);
    const [oldest] = known.keys();
    if (known.size > KEPT_RUNS && oldest !== undefined) known.delete(oldest);
    return places;
  }

  return async (run, rows, by) => {
    const { source } = run.spec;
    const seen = run.source_file;
    if (rows.length === 0 || source.type !== 'csv' || seen === null)
      return { places: new Map(), problem: null };
    const places = placesOf(run.id);
    const left = [...new Set(rows.filter((row) => row > 0 && !places.has(row)))].toSorted((a, b) => a - b);
    if (left.length === 0) return { places, problem: null };
    if (seen.size > MAX_BYTES)
      return { places, problem: 'the file is larger than 64 MB, so the lines of its rows are not looked up' };
    try {
      const located = await locate(source, { rows: left, seen, by });
      for (const { row, line, sheetLine } of located.rows) places.set(row, { line, sheetLine });
      return { places, problem: null };
    } catch (error) {
      // The rows are worth showing without their lines: of a file that was replaced, nobody can say them.
      if (!(error instanceof OperatorError)) throw error;
      return { places, problem: error.message };
    }
  };
}
