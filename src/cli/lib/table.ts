// Tables of text.
import { neutralLine } from '../../observability/neutral.ts';

/** A column: its title, its alignment, and its cell for a row. */
export type Column<T> = readonly [title: string, side: 'left' | 'right', cell: (row: T) => string];

/** Lines of a table, with the titles first. */
export function tableOf<T>(columns: readonly Column<T>[], rows: readonly T[]): string[] {
  const cells = [
    columns.map(([title]) => title),
    ...rows.map((row) => columns.map(([, , cell]) => neutralLine(cell(row)))),
  ];
  const widths = columns.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  return cells.map((row) =>
    row
      .map((cell, at) =>
        columns[at]?.[1] === 'right' ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}

/** Cells of one line separated by tabs, for lists that programs also read. */
export function tabbed(cells: readonly string[]): string {
  return cells.map(neutralLine).join('\t');
}
