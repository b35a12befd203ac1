// Finds the day and month order of a date column from all its rows, before the first row is mapped.
import type { RowScan, SourceNote } from '../core/source.ts';
import { type FoundOrder, readings } from './dates.ts';
import { ValueError } from './errors.ts';
import type { ExpressionCompiler, Reader } from './expression/expression.ts';
import { toText } from './text.ts';

interface Found {
  readonly order: FoundOrder;
  /** Number of dates readable in both orders. */
  readonly unsure: number;
  /** First row readable only day first, and first row readable only month first. 0 if there is none. */
  readonly rows: readonly [dayFirst: number, monthFirst: number];
}

/**
 * Judges what `read` yields in every row. One row that fits only one order decides. Two rows that contradict each other
 * decide nothing.
 */
export function dateScan(read: Reader, { columns }: ExpressionCompiler): RowScan {
  let [dayFirst, monthFirst, unsure] = [0, 0, 0];
  return {
    add(values, row) {
      columns.bind(values);
      const found = readings(textOf(read, values));
      if (found === undefined) return;
      const { dmy, mdy } = found;
      if (dmy !== undefined && mdy !== undefined) unsure += dmy === mdy ? 0 : 1;
      else if (dmy !== undefined) dayFirst ||= row;
      else if (mdy !== undefined) monthFirst ||= row;
    },
    result() {
      const order =
        dayFirst > 0 && monthFirst > 0 ? 'mixed' : dayFirst > 0 ? 'dmy' : monthFirst > 0 ? 'mdy' : 'open';
      return JSON.stringify({ order, unsure, rows: [dayFirst, monthFirst] } satisfies Found);
    },
  };
}

function textOf(read: Reader, values: Readonly<Record<string, unknown>>): string {
  try {
    return toText(read({ values, results: [] })) ?? '';
  } catch (error) {
    if (error instanceof ValueError) return '';
    throw error;
  }
}

/** @param scan result of {@link dateScan} */
export function orderOf(scan: string | undefined): FoundOrder {
  return scan === undefined ? 'open' : (JSON.parse(scan) as Found).order;
}

/** For the report: dates left out because no row decides their order. */
export function describeDates(scan: string): SourceNote[] {
  const { order, unsure, rows } = JSON.parse(scan) as Found;
  if (unsure === 0 || (order !== 'mixed' && order !== 'open')) return [];
  const dates = unsure === 1 ? '1 date' : `${unsure} dates`;
  const why =
    order === 'open'
      ? 'no row shows whether the day or the month comes first'
      : `row ${rows[0]} has the day first and row ${rows[1]} the month`;
  const reason = `${dates} of card.expectedCloseDate ${unsure === 1 ? 'is' : 'are'} left out: ${why}; set \`dateOrder\` in the mapping`;
  return [{ code: 'DATE_ORDER', reason }];
}
