// The guided first sync as operators see it. Everything shown of a file is masked.
import type { FIRST_SYNC } from '../../../contracts/operator/first-sync.ts';
import { RunSpec } from '../../../contracts/wire/run.ts';
import { maskRecord, maskWritten } from '../../../observability/masking.ts';
import { OperatorError } from '../../error.ts';
import type { Handlers, OperatorDeps } from '../deps.ts';
import { paceOf } from './plans.ts';

/** People of each kind of change that a dry run shows. */
const SAMPLES = 3;

export function firstSyncHandlers(deps: OperatorDeps): Handlers<keyof typeof FIRST_SYNC> {
  const { firstSync, dryRuns } = deps.tools;

  function requireAccount(account: string): void {
    const known = Object.keys(deps.config().config.accounts);
    if (known.includes(account)) return;
    throw new OperatorError(
      'notFound',
      `the configuration has no account "${account}"; it has ${known.join(', ')}`,
      { code: 'UNKNOWN_NAME' },
    );
  }

  return {
    'POST /uploads': async ({ name, file }) => {
      if (file.length === 0)
        throw new OperatorError('invalid', 'the file is empty; choose another one', { code: 'EMPTY_FILE' });
      const { id, expiresAt, recognized } = await firstSync.add(name, file);
      const columns = recognized.columns.map((column) => ({
        ...column,
        samples: column.samples.map(maskSample),
      }));
      return {
        upload: id,
        bytes: file.length,
        expiresAt,
        recognized: { ...recognized, columns, card: recognized.card ?? null },
      };
    },
    'POST /uploads/{upload}/preview': async ({ upload, mapping }, { identity }) => {
      const shown = await firstSync.preview(upload, mapping, identity);
      const { names: _names, records, problems, ...counts } = shown;
      return {
        ...counts,
        records: records.map(({ row, record }) => ({
          row,
          record: maskRecord(record) as Record<string, unknown>,
        })),
        problems,
      };
    },
    'POST /uploads/{upload}/plans': async ({ upload, account, sync, mapping }) => {
      requireAccount(account);
      const { path } = firstSync.find(upload);
      const spec = RunSpec.parse({
        account,
        sync,
        options: { account, source: sync, mapping: sync },
        source: { type: 'csv', path },
        mapping,
      });
      const { dir: baseDir } = deps.config();
      const callsPerMinute = paceOf(deps, spec);
      return { plan: dryRuns.start({ spec, baseDir, samples: SAMPLES, callsPerMinute, listed: true }) };
    },
    'POST /uploads/{upload}/sync': async ({ upload, account, sync, mapping }) => {
      requireAccount(account);
      return { sync, ...(await firstSync.write(upload, { account, sync, mapping })) };
    },
    'DELETE /uploads/{upload}': async ({ upload }) => {
      firstSync.find(upload);
      await firstSync.remove(upload);
      return { upload };
    },
  };
}

/** A value of unknown kind: its form stays visible. */
function maskSample(text: string): string {
  const at = text.indexOf('@');
  return at > 0 ? `${text[0]}•••${text.slice(at)}` : maskWritten(text);
}
