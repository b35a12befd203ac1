// Tables of text. On a terminal they fit its width; elsewhere nothing is cut.
import { neutralLine } from '../../../observe/neutral.ts';
import { cutTo, padTo, widthOf } from './width.ts';

/**
 * A column: its title, its alignment, and its cell for a row. What it does on a narrow terminal: `cut` becomes shorter
 * first, then `drop` is left out, then columns without a word become shorter. `keep` stays whole, such as an id that
 * people copy, and so do columns on the right: they are numbers.
 */
export type Column<T> = readonly [
  title: string,
  side: 'left' | 'right',
  cell: (row: T) => string,
  fit?: 'cut' | 'drop' | 'keep',
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

/**
 * Lines of a list, or of a page of it, titles first: on a terminal a table, elsewhere cells separated by tabs, for
 * programs. An empty list has no lines.
 * @param page number of the page, from 0: only the first one has titles
 */
export function listOf<T>(
  columns: readonly Column<T>[],
  rows: readonly T[],
  { page = 0, stream = process.stdout }: { readonly page?: number; readonly stream?: TableStream } = {},
): string[] {
  if (rows.length === 0) return [];
  if (stream.isTTY === true) return tableOf(columns, rows, lineWidth(stream)).slice(page === 0 ? 0 : 1);
  const titles = page === 0 ? [columns.map(([title]) => title).join('\t')] : [];
  return [...titles, ...rows.map((row) => columns.map(([, , cell]) => neutralLine(cell(row))).join('\t'))];
}

function cellsOf<T>(columns: readonly Column<T>[], rows: readonly T[]): string[][] {
  return rows.map((row) => columns.map(([, , cell]) => neutralLine(cell(row))));
}

function layOut<T>(columns: readonly Column<T>[], lines: readonly string[][], width: number): string[] {
  const natural = columns.map(([title, side, , fit], at) => ({
    at,
    side,
    fit,
    least: Math.max(MIN_CELLS, widthOf(title)),
    cells: Math.max(...lines.map((line) => widthOf(line[at] ?? ''))),
  }));
  const shown = fitTo(natural, width);
  return lines.map((line) => {
    const cells = shown.map(({ at, side, cells }) => padTo(cutTo(line[at] ?? '', cells), cells, side));
    return cutTo(cells.join(GAP).trimEnd(), width);
  });
}

interface Sized {
  /** Index among all columns. */
  readonly at: number;
  readonly side: 'left' | 'right';
  readonly fit: Column<never>[3];
  /** Cells below which it is not cut. */
  readonly least: number;
  readonly cells: number;
}

/** The columns to show, with their width, so that a line fits. */
function fitTo(columns: readonly Sized[], width: number): readonly Sized[] {
  const cut = shortened(columns, width, ({ fit }) => fit === 'cut');
  if (sumOf(cut) <= width) return cut;
  const last = columns.findLast(({ fit }) => fit === 'drop');
  if (last !== undefined)
    return fitTo(
      columns.filter((column) => column !== last),
      width,
    );
  return shortened(cut, width, ({ side, fit }) => side === 'left' && fit === undefined);
}

function sumOf(columns: readonly Sized[]): number {
  return columns.reduce((sum, { cells }) => sum + cells, GAP.length * (columns.length - 1));
}

/** Shortens the columns that may be, the widest first. */
function shortened(
  columns: readonly Sized[],
  width: number,
  may: (column: Sized) => boolean,
): readonly Sized[] {
  let over = sumOf(columns) - width;
  const less = new Map<Sized, number>();
  for (const column of columns.filter(may).toSorted((a, b) => b.cells - a.cells)) {
    const cells = Math.max(0, Math.min(over, column.cells - column.least));
    less.set(column, cells);
    over -= cells;
  }
  return columns.map((column) => ({ ...column, cells: column.cells - (less.get(column) ?? 0) }));
}
