// The guided first sync: exports that operators upload, and the sync that is made of one. Uploads are personal data:
// they are private files, and they are deleted after an hour, with the process, or when the next process starts.
import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { NewEntries } from '../../config/edit/add-entries.ts';
import type { LiveConfig } from '../../config/live-config.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { TableForm } from '../../connectors/sources/csv/csv.ts';
import { isLikeData, SourceError } from '../../core/source.ts';
import type { MappingConfig } from '../../mapping/config.ts';
import { MappingConfigError, MappingStoppedError, openConfined } from '../../mapping/index.ts';
import { OperatorError } from '../../operator/error.ts';
import type { FirstSync, UploadedFile } from '../../operator/service/deps.ts';
import type { ExpensiveRequests } from '../../operator/service/expensive.ts';
import { previewMapping, recognize } from '../../recognize/index.ts';
import { writeConfig } from '../config-edit/write-config.ts';
import { columnsBefore, compareColumns, putInPlace, requireColumns } from './replace-export.ts';

const KEPT = 5;
const KEPT_MS = 3_600_000;
/** Rows of a preview, and records that it shows. */
const PREVIEW = { rows: 1000, records: 20 };

/** Limits of the expressions of one preview together. */
const EXPRESSIONS = { totalMs: 4000, memoryMb: 64 };

interface Options {
  readonly stateDir: string;
  config(): LoadedConfig;
  readonly live: LiveConfig | null;
  /** Whether the workers run in this process, and so see a sync that is added to its configuration. */
  readonly hasWorkers: boolean;
  readonly expensive: ExpensiveRequests;
}

export function createFirstSync(options: Options): FirstSync & { close(): Promise<void> } {
  const { stateDir, config, live, hasWorkers, expensive } = options;
  // What a killed process left goes with the files of its dry runs, see `removeLeft`.
  const folder = join(stateDir, `plans-${process.pid}`, 'uploads');
  const uploads = new Map<string, UploadedFile>();

  async function remove(id: string): Promise<void> {
    const found = uploads.get(id);
    uploads.delete(id);
    if (found !== undefined) await rm(found.path, { force: true });
  }

  function find(id: string): UploadedFile {
    const found = uploads.get(id);
    if (found !== undefined) return found;
    throw new OperatorError('notFound', 'the upload was deleted; upload the file again', {
      code: 'NO_UPLOAD',
    });
  }

  async function preview(path: string, mapping: MappingConfig, by: string, form: TableForm) {
    return await expensive.run(by, async () => {
      const confined = openConfined(EXPRESSIONS);
      try {
        const bytes = await readFile(path);
        return await previewMapping(bytes, mapping, { ...PREVIEW, form }, confined.compile).catch(asInvalid);
      } finally {
        await confined.close();
      }
    });
  }

  return {
    find,
    remove,
    async add(name, bytes) {
      const recognized = await recognize(bytes, name).catch(asInvalid);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const id = randomUUID();
      const path = join(folder, `${id}.csv`);
      await writeFile(path, bytes, { mode: 0o600, flag: 'wx' });
      const expiresAt = new Date(Date.now() + KEPT_MS).toISOString();
      uploads.set(id, { id, name, path, expiresAt });
      const [oldest] = uploads.keys();
      if (uploads.size > KEPT && oldest !== undefined) await remove(oldest);
      setTimeout(() => void remove(id), KEPT_MS).unref();
      return { id, expiresAt, recognized };
    },
    async recognize(id, encoding) {
      const { name, path } = find(id);
      return await recognize(await readFile(path), name, formOf(encoding)).catch(asInvalid);
    },
    preview: (id, { mapping, encoding }, by) => preview(find(id).path, mapping, by, formOf(encoding)),
    previewSource: (source, mapping, by) => preview(source.path, mapping, by, source),
    async write(id, name, made) {
      const { path } = find(id);
      const loaded = config();
      const file = `data/${name}.csv`;
      const kept = join(loaded.dir, file);
      const entries: NewEntries = {
        name,
        source: { type: 'csv', path: file, encoding: made?.encoding === 'auto' ? undefined : made?.encoding },
        ...(made !== null && {
          mapping: made.mapping,
          sync: { account: made.account, source: name, mapping: name },
        }),
      };
      await mkdir(join(loaded.dir, 'data'), { recursive: true });
      await copyFile(path, kept, 1).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
        throw new OperatorError('conflict', `${kept} exists already; choose another name`, {
          code: 'EXPORT_EXISTS',
        });
      });
      await writeConfig(loaded.file, { kind: 'entries', entries }).catch(async (error: unknown) => {
        await rm(kept, { force: true });
        throw error;
      });
      const report = await live?.reload('an uploaded file that was added');
      await remove(id);
      return { file: loaded.file, export: file, active: hasWorkers && report?.result === 'loaded' };
    },
    async columns(source) {
      const found = (await columnsBefore(source)) ?? [];
      // Of a file without a header, its first line is somebody's data.
      return found.some(isLikeData) ? [] : found;
    },
    async compare(id, target) {
      return await compareColumns(find(id).path, target).catch(asInvalid);
    },
    async replace(id, target) {
      const { path } = find(id);
      const columns = await compareColumns(path, target).catch(asInvalid);
      requireColumns(columns);
      const kept = await putInPlace(path, target.source.path, new Date());
      await remove(id);
      return { export: relative(config().dir, target.source.path), kept, columns, active: hasWorkers };
    },
    async forgetAll() {
      for (const id of uploads.keys()) await remove(id);
    },
    async close() {
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const formOf = (encoding: string): TableForm => ({ encoding, delimiter: 'auto' });

/** @throws OperatorError (invalid) for what is wrong with a file or a mapping */
export function asInvalid(error: unknown): never {
  if (error instanceof SourceError)
    throw new OperatorError('invalid', error.message, {
      code: error.failure,
      cause: error,
    });
  if (error instanceof MappingStoppedError)
    throw new OperatorError('invalid', error.message, { code: 'MAPPING_STOPPED', cause: error });
  if (error instanceof MappingConfigError)
    throw new OperatorError('invalid', error.message, { code: 'MAPPING', cause: error });
  throw error;
}
