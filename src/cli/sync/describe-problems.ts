// Problems of rows as people read them.
import type { ProblemTotal } from '../../contracts/wire/run.ts';
import { formatMany, formatCount as n } from '../lib/format.ts';

/** A line for each reason why rows were rejected, failed or are unknown; what was left out is among the warnings of a report. */
export function describeTotals(totals: readonly ProblemTotal[]): string[] {
  return totals.flatMap(({ outcome, where, column, code, rows, first, reason, varied }) => {
    if (outcome === 'warning') return [];
    const from = rows === 1 ? `row ${n(first)}` : `the first is row ${n(first)}`;
    const why = varied ? `for example, ${reason}` : reason;
    return [`  ${formatMany(rows, 'row')} ${outcome} (${from}): ${placeOf(where, column)}: ${why} [${code}]`];
  });
}

/** Field of the mapping or step of the sync, with the column of the source that the value came from. */
export function placeOf(where: string, column: string | undefined): string {
  return column === undefined ? where : `${where} (column ${column})`;
}
