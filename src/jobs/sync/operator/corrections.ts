// Fix and retry as operators use it: rejected rows as CSV, and a run over the corrected ones.

import { csvLine } from '../../../core/csv.ts';
import { OperatorError } from '../../../operator/error.ts';
import type { Handlers, OperatorDeps } from '../../../operator/service/deps.ts';
import type { CORRECTIONS } from '../../events/contract/corrections.ts';
import { findRun } from '../store/outcomes.ts';
import { listRejectedRows } from '../store/rejected-rows.ts';
import { listRuns } from '../store/run-list.ts';
import { beginAlone } from './begin.ts';

/** Rows of one file: few enough to correct by hand, and read in about 5 s. */
const MAX_ROWS = 5000;

export function correctionHandlers(deps: OperatorDeps): Handlers<keyof typeof CORRECTIONS> {
  const { db } = deps;
  const { corrections } = deps.tools;
  return {
    'POST /syncs/{sync}/runs/{run}/rejected-rows': async ({ sync, run: id }, { identity }) => {
      const { account } = deps.config().spec(sync);
      const run = await findRun(db, account, sync, id);
      if (run === null)
        throw new OperatorError('notFound', `the sync "${sync}" has no run ${id}`, { code: 'NO_RUN' });
      const { source } = run.spec;
      const seen = run.source_file;
      if (source.type !== 'csv' || seen === null)
        throw new OperatorError(
          'conflict',
          `the run ${id} did not read a CSV file that Sluice can find again; correct the rows where the source has them`,
          { code: 'NO_SOURCE_FILE' },
        );
      const listed = await listRejectedRows(db, run.id, MAX_ROWS + 1);
      const rejected = listed.slice(0, MAX_ROWS);
      const reasons = new Map(rejected.map(({ row, reason }) => [row, reason]));
      const located = await corrections.locate(source, { rows: [...reasons.keys()], seen, by: identity });
      const lines = located.rows.map(({ row, line, values }) =>
        csvLine(
          [...located.header.map((column) => String(values?.[column] ?? '')), line, reasons.get(row) ?? ''],
          located.delimiter,
        ),
      );
      return {
        csv: csvLine([...located.header, 'sluice_line', 'sluice_reason'], located.delimiter) + lines.join(''),
        rows: lines.length,
        more: listed.length > MAX_ROWS,
      };
    },
    'POST /uploads/{upload}/corrections': async ({ upload, sync }) => {
      const config = deps.config();
      const { account, mapping } = config.spec(sync);
      for (const token of config.config.accounts[account]?.tokens ?? []) await config.secret(token);
      const [last] = await listRuns(db, { account, sync }, { limit: 1, before: null });
      if (last !== undefined && last.finished_at === null)
        throw new OperatorError(
          'conflict',
          `the run ${last.id} has not ended; wait for its end, or cancel it, then upload the rows again`,
          { code: 'RUN_ACTIVE' },
        );
      const client = await deps.temporal();
      const { file, rows } = await corrections.keep(upload, sync, mapping);
      const { execution, workers } = await beginAlone(
        { db, client },
        { account, sync },
        { corrections: file, taskQueue: deps.workQueue },
      );
      return { execution, rows, workers };
    },
  };
}
