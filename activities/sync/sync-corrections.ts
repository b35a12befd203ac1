// Opens a run over rows that were corrected. The file has only those rows, so nobody else counts as gone.
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/activity';
import type { Database } from '../../src/core/sql/database.ts';
import { RETRY_REFUSED } from '../../src/jobs/sync/contract/retry.ts';
import type { RunSpec } from '../../src/jobs/sync/contract/run.ts';
import { openRun, type RunRow } from '../../src/jobs/sync/store/runs.ts';

/**
 * @param from.file name of a file in the folder `data` of `baseDir`
 * @throws ApplicationFailure while another run is open
 */
export async function openCorrections(
  db: Database,
  spec: RunSpec,
  { file, baseDir = '' }: { readonly file: string; readonly baseDir: string | undefined },
): Promise<RunRow> {
  const path = join(baseDir, 'data', file);
  const run = await openRun(db, {
    ...spec,
    source: { type: 'csv', path, encoding: 'utf-8', delimiter: ',' },
    partial: true,
  });
  const { source } = run.spec;
  if (source.type === 'csv' && source.path === path) return run;
  throw ApplicationFailure.nonRetryable(
    `the run ${run.id} is still open; finish it with \`sluice sync run ${spec.sync}\` first`,
    RETRY_REFUSED.open,
  );
}
