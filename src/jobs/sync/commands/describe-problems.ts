// Problems of rows as text.

import { formatMany, formatCount as n } from '../../../cli/lib/terminal/format.ts';
import type { ProblemTotal } from '../contract/run.ts';

/**
 * One line per reason why rows were rejected, failed or are unknown. Excluded values are among the warnings of a
 * report.
 */
export function describeTotals(totals: readonly ProblemTotal[]): string[] {
  return totals.flatMap(({ outcome, where, column, code, rows, first, reason, varied }) => {
    if (outcome === 'warning') return [];
    const from = rows === 1 ? `row ${n(first)}` : `the first is row ${n(first)}`;
    const why = varied ? `for example, ${reason}` : reason;
    return [`  ${formatMany(rows, 'row')} ${outcome} (${from}): ${placeOf(where, column)}: ${why} [${code}]`];
  });
}

/** Field of the mapping or step of the sync, and the source column of the value. */
export function placeOf(where: string, column: string | undefined): string {
  return column === undefined ? where : `${where} (column ${column})`;
}
