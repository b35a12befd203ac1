// The guided first sync as operators see it. Everything shown of a file is masked.
import { join } from 'node:path';
import { maskRecord, maskWritten } from '../../../observe/masking.ts';
import { OperatorError } from '../../../operator/error.ts';
import type { Handlers, OperatorDeps, ReplacedExport } from '../../../operator/service/deps.ts';
import type { FIRST_SYNC, MappingPreview, RecognizedFile, ShownPreview } from '../contract/first-sync.ts';
import type { Lines } from '../contract/lines.ts';
import { RunSpec } from '../contract/run.ts';
import { listRuns } from '../store/run-list.ts';
import { paceOf } from './plans.ts';
import { locateNow } from './row-lines.ts';

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

  /** @throws OperatorError (conflict) while a run reads the file */
  async function requireUnread(syncs: readonly string[]): Promise<void> {
    for (const sync of syncs) {
      const { account } = deps.config().spec(sync);
      const [last] = await listRuns(deps.db, { account, sync }, { limit: 1, before: null });
      if (last === undefined || last.finished_at !== null || last.status !== 'planning') continue;
      throw new OperatorError(
        'conflict',
        `a run of "${sync}" is reading the file; wait until it has read the source, or cancel it`,
        { code: 'RUN_READS' },
      );
    }
  }

  return {
    'POST /uploads': async ({ name, file }) => {
      if (file.length === 0)
        throw new OperatorError('invalid', 'the file is empty; choose another one', { code: 'EMPTY_FILE' });
      const { id, expiresAt, recognized } = await firstSync.add(name, file);
      return { upload: id, bytes: file.length, expiresAt, recognized: maskedColumns(recognized) };
    },
    'POST /uploads/{upload}/recognize': async ({ upload, encoding }, { identity }) => {
      const { name, expiresAt } = firstSync.find(upload);
      const again = () => firstSync.recognize(upload, encoding);
      const recognized = await deps.tools.expensive.run(identity, again);
      return { upload, name, expiresAt, recognized: maskedColumns(recognized) };
    },
    'POST /uploads/{upload}/preview': async ({ upload, mapping, encoding, unmask }, { identity }) => {
      const preview = await firstSync.preview(upload, { mapping, encoding }, identity);
      const { path } = firstSync.find(upload);
      const source = { type: 'csv', path, encoding, delimiter: 'auto' } as const;
      return shownPreview(preview, await linesOfPreview(deps, source, { preview, by: identity }), unmask);
    },
    'POST /uploads/{upload}/plans': async ({ upload, account, sync, mapping, encoding }) => {
      requireAccount(account);
      const { path } = firstSync.find(upload);
      const spec = RunSpec.parse({
        account,
        sync,
        options: { account, source: sync, mapping: sync },
        source: { type: 'csv', path, encoding },
        mapping,
      });
      const { dir: baseDir } = deps.config();
      const callsPerMinute = await paceOf(deps, spec);
      return { plan: dryRuns.start({ spec, baseDir, samples: SAMPLES, callsPerMinute, listed: true }) };
    },
    'POST /uploads/{upload}/sync': async ({ upload, account, sync, mapping, encoding }, { identity }) => {
      requireAccount(account);
      const write = () => firstSync.write(upload, sync, { account, mapping, encoding });
      return { sync, ...(await deps.tools.expensive.run(identity, write)) };
    },
    'POST /uploads/{upload}/source': async ({ upload, source }, { identity }) => ({
      source,
      ...(await deps.tools.expensive.run(identity, () => firstSync.write(upload, source, null))),
    }),
    'POST /uploads/{upload}/compare': async ({ upload, sync }) =>
      await firstSync.compare(upload, uploadedFileOf(deps.config(), sync)),
    'POST /uploads/{upload}/replace': async ({ upload, sync }) => {
      const target = uploadedFileOf(deps.config(), sync);
      await requireUnread(target.syncs);
      return { sync, ...(await firstSync.replace(upload, target)) };
    },
    'DELETE /uploads/{upload}': async ({ upload }) => {
      firstSync.find(upload);
      await firstSync.remove(upload);
      return { upload };
    },
  };
}

function maskedColumns(recognized: RecognizedFile): RecognizedFile {
  const columns = recognized.columns.map((column) => ({
    ...column,
    samples: column.samples.map(maskSample),
  }));
  return { ...recognized, columns, card: recognized.card ?? null };
}

/** Of all rows that a preview names. */
export async function linesOfPreview(
  { tools }: Pick<OperatorDeps, 'tools'>,
  source: Parameters<typeof locateNow>[1],
  { preview, by }: { readonly preview: MappingPreview; readonly by: string },
): Promise<Lines> {
  const { records, problems } = preview;
  const rows = [...records.map(({ row }) => row), ...problems.flatMap((problem) => problem.rows)];
  return await locateNow(tools.corrections, source, { rows, by });
}

/** Without names of tags and stages, which may be people's values. */
export function shownPreview(
  { records, problems, rows, whole, mapped, rejected, garbled }: MappingPreview,
  lines: Lines,
  unmask: boolean,
): ShownPreview {
  return {
    lines,
    rows,
    whole,
    mapped,
    rejected,
    garbled,
    records: records.map(({ row, record, country }) => ({
      row,
      country,
      record: unmask ? record : (maskRecord(record) as Record<string, unknown>),
    })),
    problems,
  };
}

type Config = ReturnType<OperatorDeps['config']>;

/** Whether a source is a file as the console writes it: `data/NAME.csv` beside the configuration. */
export function isUploadedFile({ config, dir }: Pick<Config, 'config' | 'dir'>, name: string): boolean {
  const source = config.sources[name];
  return source?.type === 'csv' && source.path === join(dir, 'data', `${name}.csv`);
}

/** @throws OperatorError (conflict) when the file of the sync did not come from the console */
function uploadedFileOf(
  loaded: Config,
  sync: string,
): ReplacedExport & { readonly syncs: readonly string[] } {
  const { source, options } = loaded.spec(sync);
  if (source.type !== 'csv' || !isUploadedFile(loaded, options.source))
    throw new OperatorError(
      'conflict',
      `the sync "${sync}" reads no file that was uploaded here; replace its source where it comes from`,
      { code: 'NOT_UPLOADED' },
    );
  const syncs = Object.entries(loaded.config.syncs).flatMap(([name, each]) =>
    each.source === options.source ? [name] : [],
  );
  return { source, syncs, mappings: syncs.map((name) => loaded.spec(name).mapping) };
}

/** A value of unknown kind: its form stays visible. */
function maskSample(text: string): string {
  const at = text.indexOf('@');
  return at > 0 ? `${text[0]}•••${text.slice(at)}` : maskWritten(text);
}
