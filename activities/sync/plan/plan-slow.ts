// Stops a plan when an expression has exceeded its time limit on three rows. At two seconds per row, a million rows
// would take weeks.
import type { RowFinding } from '../../../src/jobs/sync/store/row-problems.ts';
import { EXPRESSION_TIMEOUT, MappingStoppedError } from '../../../src/mapping/index.ts';

/** The plan stops at this many slow rows. */
export const SLOW_ROWS = 3;

/** A row on which an expression exceeded its time limit, and the field of the expression. */
export interface SlowRow {
  readonly row: number;
  readonly field: string;
}

export class SlowRows {
  /** The rows found so far. */
  readonly rows: SlowRow[];

  /** @param before rows that earlier pages of the run have found */
  constructor(before: readonly SlowRow[]) {
    this.rows = [...before];
  }

  /** @throws MappingStoppedError at the third row */
  add(findings: readonly RowFinding[]): void {
    for (const { row, problem } of findings)
      if (problem.code === EXPRESSION_TIMEOUT) this.rows.push({ row, field: problem.field });
    if (new Set(this.rows.map(({ row }) => row)).size < SLOW_ROWS) return;
    const fields = [...new Set(this.rows.map(({ field }) => field))].join(' and ');
    const rows = [...new Set(this.rows.map(({ row }) => row))].sort((a, b) => a - b).join(', ');
    throw new MappingStoppedError(
      `the JSONata expression of ${fields} ran into its time limit on ${SLOW_ROWS} rows (${rows}): correct it in the mapping; the rows after them were not read`,
    );
  }
}
