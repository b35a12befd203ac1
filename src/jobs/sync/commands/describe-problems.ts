// Problems of rows as text.

import { formatMany, formatCount as n } from '../../../cli/lib/terminal/format.ts';
import type { Lines } from '../contract/lines.ts';
import type { ProblemTotal } from '../contract/run.ts';

/**
 * One line per reason why rows were rejected, failed or are unknown. Excluded values are among the warnings of a
 * report.
 * @param lines of the file, as far as they are known
 */
export function describeTotals(totals: readonly ProblemTotal[], lines: Lines = {}): string[] {
  return totals.flatMap(({ outcome, where, column, code, rows, first, reason, varied }) => {
    if (outcome === 'warning') return [];
    const at = rowWithLine(first, lines);
    const from = rows === 1 ? at : `the first is ${at}`;
    const why = varied ? `for example, ${reason}` : reason;
    return [`  ${formatMany(rows, 'row')} ${outcome} (${from}): ${placeOf(where, column)}: ${why} [${code}]`];
  });
}

/** The file has the row on a line of its own number where it has empty lines. */
function rowWithLine(row: number, lines: Lines): string {
  const line = lines[row];
  return line === undefined ? `row ${n(row)}` : `row ${n(row)}, line ${n(line)}`;
}

/** Field of the mapping or step of the sync, and the source column of the value. */
export function placeOf(where: string, column: string | undefined): string {
  return column === undefined ? where : `${where} (column ${column})`;
}
