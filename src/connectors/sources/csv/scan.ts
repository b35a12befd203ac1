// Reads a whole file once before its first row, for facts that need all rows (the order of its dates).
import type { ReadOptions } from '../../../core/source.ts';
import type { SourceFile } from '../file.ts';
import { type Extent, type Framer, type Place, readRows } from '../pages.ts';

const ROWS = 4000;

/** @returns the result of `options.scan`; an empty text when no scan is asked for */
export async function scanRows(
  file: SourceFile,
  from: Place & Extent,
  frame: Framer,
  { scan, signal }: ReadOptions,
): Promise<string> {
  if (scan === undefined) return '';
  let place: Place = from;
  while (place.offset < from.end) {
    const { rows, next } = await readRows(file, { ...from, ...place }, frame, { limit: ROWS, signal });
    for (const { row, values } of rows) if (values !== null) scan.add(values, row);
    place = next;
  }
  return scan.result();
}
