// Tables of text. On a terminal they fit its width; elsewhere nothing is cut.
import { neutralLine } from '../../observability/neutral.ts';
import { cutTo, padTo, widthOf } from './width.ts';

/**
 * A column: its title, its alignment, and its cell for a row. `cut`: the first to become shorter where the terminal is
 * narrow. `keep`: never shorter, such as an id that people copy. Columns on the right are numbers, and stay whole.
 */
export type Column<T> = readonly [
  title: string,
  side: 'left' | 'right',
  cell: (row: T) => string,
  fit?: 'cut' | 'keep',
];

/** The part of a stream that tables need; process.stdout is one. */
export interface TableStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

const GAP = '  ';
/** Cells of the shortest column that still says something. */
const MIN_CELLS = 8;

/** Cells of a line. A terminal that does not know its width reports 0. */
export function lineWidth(stream: TableStream): number {
  if (stream.isTTY !== true) return Number.POSITIVE_INFINITY;
  return stream.columns || 80;
}

/** Lines of a table, with the titles first. */
export function tableOf<T>(
  columns: readonly Column<T>[],
  rows: readonly T[],
  width = lineWidth(process.stdout),
): string[] {
  return layOut(columns, [columns.map(([title]) => title), ...cellsOf(columns, rows)], width);
}

/** Cells of one line separated by tabs, for lists that programs also read. */
export function tabbed(cells: readonly string[]): string {
  return cells.map(neutralLine).join('\t');
}

/**
 * Lines of a list: on a terminal a table, elsewhere cells separated by tabs without titles, for programs. An empty list
 * has no lines.
 */
export function listOf<T>(
  columns: readonly Column<T>[],
  rows: readonly T[],
  stream: TableStream = process.stdout,
): string[] {
  if (rows.length === 0) return [];
  if (stream.isTTY === true) return tableOf(columns, rows, lineWidth(stream));
  return rows.map((row) => tabbed(columns.map(([, , cell]) => cell(row))));
}

function cellsOf<T>(columns: readonly Column<T>[], rows: readonly T[]): string[][] {
  return rows.map((row) => columns.map(([, , cell]) => neutralLine(cell(row))));
}

function layOut<T>(columns: readonly Column<T>[], lines: readonly string[][], width: number): string[] {
  const natural = columns.map((_, at) => Math.max(...lines.map((line) => widthOf(line[at] ?? ''))));
  const widths = fitTo(columns, natural, width);
  return lines.map((line) => {
    const cells = line.map((cell, at) => {
      const cells = widths[at] ?? 0;
      return padTo(cutTo(cell, cells), cells, columns[at]?.[1] ?? 'left');
    });
    return cutTo(cells.join(GAP).trimEnd(), width);
  });
}

/** Shortens the least important columns, each to its title at most, until a line has this width. */
function fitTo<T>(columns: readonly Column<T>[], natural: readonly number[], width: number): number[] {
  const widths = [...natural];
  const sum = widths.reduce((cells, column) => cells + column, GAP.length * (columns.length - 1));
  let over = sum - width;
  const textColumns = columns
    .map(([title, side, , fit], at) => ({ at, side, fit, least: Math.max(MIN_CELLS, widthOf(title)) }))
    .filter(({ side, fit }) => side === 'left' && fit !== 'keep')
    .toSorted(
      (a, b) =>
        Number(b.fit === 'cut') - Number(a.fit === 'cut') || (natural[b.at] ?? 0) - (natural[a.at] ?? 0),
    );
  for (const { at, least } of textColumns) {
    if (over <= 0) break;
    const now = widths[at] ?? 0;
    const less = Math.min(over, Math.max(0, now - least));
    widths[at] = now - less;
    over -= less;
  }
  return widths;
}
