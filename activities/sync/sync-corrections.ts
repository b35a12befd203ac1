// Opens a run over rows that were corrected. The file has only those rows, so nobody else counts as gone.
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/activity';
import { RETRY_REFUSED } from '../../src/contracts/wire/retry.ts';
import type { RunSpec } from '../../src/contracts/wire/run.ts';
import type { Database } from '../../src/ledger/database.ts';
import { openRun, type RunRow } from '../../src/ledger/sync/runs.ts';

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
