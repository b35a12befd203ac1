// Finds rows of a file again: what their cells say, and where a text editor and a spreadsheet show them.

import type { Fingerprint, SourceRow } from '../../../core/source.ts';
import { codecFor } from '../codec.ts';
import type { CsvSource } from '../config.ts';
import { readAt, requireSame, type SourceFile, withFile } from '../file.ts';
import { type Place, readRows } from '../pages.ts';
import { begin, csvFramer } from './csv.ts';

/** Rows that are passed at once: about 1 MB of text. */
const PASSED = 4000;

/** A row of the file as it is now. */
export interface LocatedRow {
  readonly row: number;
  /** Line of a text editor where the row begins. The header is usually line 1. */
  readonly line: number;
  /** Line of a spreadsheet. It is less than `line` where cells above have line breaks. */
  readonly sheetLine: number;
  /** By column; null for a row that cannot be read. */
  readonly values: SourceRow['values'];
}

/**
 * @param rows numbers of rows, ascending and without repetition
 * @param seen the file that the numbers are of; null: as it is now
 * @throws SourceError `changed` when the file is another one; `not_found`, `unreadable`
 */
export async function locateRows(
  config: CsvSource,
  baseDir: string,
  { rows, seen }: { readonly rows: readonly number[]; readonly seen: Fingerprint | null },
): Promise<{
  readonly header: readonly string[];
  readonly delimiter: string;
  readonly rows: readonly LocatedRow[];
}> {
  return await withFile(config.path, baseDir, async (file) => {
    if (seen !== null) requireSame(file, seen);
    const { at } = await begin(file, config, { limit: 1 });
    const frame = csvFramer(at, at.header, file.name);
    const blank = new RegExp(`^(?:[ \\t${at.delimiter === '|' ? '\\|' : at.delimiter}]*(?:\\r\\n|\\n|\\r))*`);
    const found: LocatedRow[] = [];
    let place: Place = { offset: at.offset, row: 0 };
    let line = 1 + breaksIn(await textOf(file, at.encoding, 0, at.offset));
    let inner = breaksIn(at.header.join(''));
    for (const wanted of rows) {
      while (place.row < wanted - 1 && place.offset < at.end) {
        const limit = Math.min(PASSED, wanted - 1 - place.row);
        const passed = await readRows(file, { ...at, ...place }, frame, { limit });
        line += breaksIn(await textOf(file, at.encoding, place.offset, passed.next.offset));
        inner += passed.rows.reduce(
          (sum, { values }) => sum + breaksIn(Object.values(values ?? {}).join('')),
          0,
        );
        place = passed.next;
      }
      const { rows: read, next } = await readRows(file, { ...at, ...place }, frame, { limit: 1 });
      const [row] = read;
      if (row === undefined || row.row !== wanted) break;
      const text = await textOf(file, at.encoding, place.offset, next.offset);
      const above = blank.exec(text)?.[0] ?? '';
      const own = text.slice(above.length).replace(/(?:\r\n|\n|\r)$/, '');
      const start = line + breaksIn(above);
      found.push({ row: wanted, line: start, sheetLine: start - inner, values: row.values });
      line += breaksIn(text);
      inner += breaksIn(own);
      place = next;
    }
    return { header: at.header, delimiter: at.delimiter, rows: found };
  });
}

async function textOf(file: SourceFile, encoding: string, from: number, to: number): Promise<string> {
  const bytes = await readAt(file.handle, from, to - from);
  return codecFor(encoding).read(bytes).utf8.toString('utf8');
}

function breaksIn(text: string): number {
  return text.match(/\r\n|\n|\r/g)?.length ?? 0;
}
