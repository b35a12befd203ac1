// A CSV file of opt-outs, as requests take its rows.
import { csvSource } from '../../../connectors/sources/csv/csv.ts';
import { readSafeCell } from '../../../core/csv.ts';
import { isLikeData, type SourceCursor } from '../../../core/source.ts';
import { type DateOrder, toDate } from '../../../mapping/dates.ts';
import { ValueError } from '../../../mapping/errors.ts';
import { type ImportRow, MOST_ROWS, type RejectedRow } from '../../contract/opt-outs.ts';
import { OperatorError } from '../../error.ts';

/** `2026-11-20`, `2026-11-20 06:00`, `2026-11-20T06:00:00` or `20/11/2026 06:00`. */
const LOCAL_TIME = /^(\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4})(?:[ T](\d\d:\d\d)(:\d\d(?:\.\d{1,3})?)?)?$/;

export interface OptOutColumns {
  readonly number: string;
  readonly time: string;
  readonly evidence?: string | undefined;
  /** Of times without one. Without it they stay as they are, and are rejected. */
  readonly offset?: string | undefined;
  /** Of dates such as 01/02/2026. Without it, those that can be read in two ways stay as they are, and are rejected. */
  readonly dateOrder?: DateOrder | undefined;
}

export interface OptOutFile {
  readonly path: string;
  /** Folder that `path` is relative to, and from which messages name it. */
  readonly baseDir: string;
  /** @default auto */
  readonly encoding?: string;
}

/** Rows of the file, as many as a request takes at a time. */
export interface OptOutPage {
  readonly rows: readonly ImportRow[];
  /** The number in the file of each of `rows`. */
  readonly places: readonly number[];
  /** Rows that are no rows of a table. */
  readonly rejected: readonly RejectedRow[];
}

/**
 * @throws SourceError for a file that is no table; OperatorError (invalid) NO_COLUMN for a column that it does not have
 */
export async function* readOptOutFile(
  { path, baseDir, encoding = 'auto' }: OptOutFile,
  { number, time, evidence, offset, dateOrder }: OptOutColumns,
): AsyncGenerator<OptOutPage> {
  const source = csvSource({ type: 'csv', path, encoding, delimiter: 'auto' }, baseDir);
  let cursor: SourceCursor | null = null;
  do {
    const page = await source.read(cursor, { limit: MOST_ROWS });
    // Before the first row, so that a file without rows is refused too.
    for (const column of [number, time, evidence])
      if (column !== undefined) requireColumn(column, page.columns ?? []);
    const rows: ImportRow[] = [];
    const places: number[] = [];
    const rejected: RejectedRow[] = [];
    for (const { row, values, problem } of page.rows) {
      if (values === null) {
        const { code = 'malformed_row', reason = 'the row cannot be read' } = problem ?? {};
        rejected.push({ row, code, reason });
        continue;
      }
      const cell = (column: string) => readSafeCell(String(values[column] ?? ''));
      const note = evidence === undefined ? '' : cell(evidence);
      rows.push({
        number: cell(number),
        at: timeOf(cell(time).trim(), offset, dateOrder),
        evidence: note === '' ? undefined : note,
      });
      places.push(row);
    }
    yield { rows, places, rejected };
    cursor = page.next;
  } while (cursor !== null);
}

/** All rejected rows of a page, with their numbers in the file. @param refused with their numbers in the request */
export function rejectedOf(
  { places, rejected }: OptOutPage,
  refused: readonly RejectedRow[],
): readonly RejectedRow[] {
  const placed = refused.map((each) => ({ ...each, row: places[each.row - 1] ?? each.row }));
  return [...rejected, ...placed].sort((a, b) => a.row - b.row);
}

function requireColumn(column: string, columns: readonly string[]): void {
  if (columns.includes(column)) return;
  // The first line of a file without a header is somebody's data.
  const names = columns.filter((name) => !isLikeData(name));
  const found = names.length === 0 ? 'its first line looks like a row' : `it has ${names.join(', ')}`;
  throw new OperatorError('invalid', `the file has no column "${column}"; ${found}`, { code: 'NO_COLUMN' });
}

/** Adds the offset to a time without one. A day begins at midnight. What cannot be read stays as it is. */
function timeOf(text: string, offset: string | undefined, order: DateOrder | undefined): string {
  const [, date, clock = '00:00', seconds = ':00'] = LOCAL_TIME.exec(text) ?? [];
  if (date === undefined || offset === undefined) return text;
  try {
    return `${toDate(date, order ?? 'open')}T${clock}${seconds}${offset}`;
  } catch (error) {
    if (error instanceof ValueError) return text;
    throw error;
  }
}
