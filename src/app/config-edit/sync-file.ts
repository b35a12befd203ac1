// Reads, changes and removes syncs in sluice.yaml for the operator API, each with the mapping that it uses.
import { createHash } from 'node:crypto';
import { readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import { EditEntryError, type EntryPlace, readEntry } from '../../config/edit/edit-entry.ts';
import type { LiveConfig } from '../../config/live-config.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { OperatorError } from '../../operator/error.ts';
import type { SyncFile } from '../../operator/service/deps.ts';
import { onDisk } from '../on-disk.ts';
import { forgetOldest, keptName } from '../uploads/kept-files.ts';
import { changedKeys } from './changed-keys.ts';
import { writeConfig } from './write-config.ts';

interface Options {
  config(): LoadedConfig;
  readonly live: LiveConfig | null;
  /** Whether the workers run in this process, and so see a sync that is changed in its configuration. */
  readonly hasWorkers: boolean;
}

/** A sync as the file has it. */
interface Written {
  readonly yaml: string | null;
  readonly mapping: { readonly name: string; readonly yaml: string } | null;
  readonly hash: string;
}

export function createSyncFile({ config, live, hasWorkers }: Options): SyncFile {
  const hasLoaded = async (why: string) => {
    const report = await live?.reload(why);
    return hasWorkers && report?.result === 'loaded';
  };
  return {
    async read(sync) {
      const loaded = config();
      const written = syncIn(await readFile(loaded.file, 'utf8'), sync);
      return {
        file: loaded.file,
        yaml: written.yaml,
        mapping:
          written.mapping === null
            ? null
            : { ...written.mapping, usedBy: usersOfMapping(loaded, written.mapping.name, sync) },
        hash: written.hash,
      };
    },
    async write({ sync, yaml, mapping, hash, mayStart }) {
      const loaded = config();
      const before = await onDisk(loaded);
      // An accepted edit replaces what has this text: the hash says so.
      const old = syncIn(await readFile(loaded.file, 'utf8'), sync);
      const { name } = old.mapping ?? { name: null };
      if (mapping !== null && name === null)
        throw new OperatorError(
          'conflict',
          `${loaded.file} does not have the mapping of "${sync}"; change it in the file that has it`,
          { code: 'MAPPING_ELSEWHERE' },
        );
      const edit = {
        kind: 'sync',
        sync,
        yaml,
        mapping: mapping === null || name === null ? null : { name, yaml: mapping },
      } as const;
      const next = await writeConfig(loaded.file, edit, {
        check: (text) => requireUnchanged(text, { sync, hash, file: loaded.file }),
        accept: (changed) => {
          if (!mayStart) requireSameStarts(sync, changed, [loaded, before]);
        },
      });
      const active = await hasLoaded('a sync that was written');
      const { hash: now } = syncIn(await readFile(loaded.file, 'utf8'), sync);
      const rescheduled = !isDeepStrictEqual(scheduleOf(next, sync), scheduleOf(before, sync));
      const changed = changedIn(old, { yaml, mapping });
      return { file: loaded.file, hash: now, active, rescheduled, changed };
    },
    removalOf: (sync) => removalOf(config(), sync),
    async remove({ sync, hash }) {
      const loaded = config();
      const before = await onDisk(loaded);
      for (const each of [loaded, before]) requireNoSchedule(sync, each);
      const { entries, export: file } = removalOf(before, sync);
      await writeConfig(
        loaded.file,
        { kind: 'sync-removal', entries },
        { check: (text) => requireUnchanged(text, { sync, hash, file: loaded.file }) },
      );
      const kept = file === null ? null : await setAside(loaded.dir, sync);
      const active = await hasLoaded('a sync that was removed');
      return { file: loaded.file, removed: entries.map(nameOf), kept, active };
    },
    async names() {
      const { dir, config: known } = config();
      const files = (await readdir(join(dir, 'data')).catch(asNone)).filter((name) =>
        /^[a-z][a-z0-9_-]*\.csv$/.test(name),
      );
      const named = (kind: 'sync' | 'source' | 'mapping', names: object) =>
        Object.keys(names).map((name) => ({ name, kind }));
      return [
        ...named('sync', known.syncs),
        ...named('source', known.sources),
        ...named('mapping', known.mappings),
        ...files.map((name) => ({ name: name.slice(0, -'.csv'.length), kind: 'file' as const })),
      ];
    },
  };
}

function asNone(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

/** @throws OperatorError (invalid) when the file cannot be read */
function syncIn(text: string, sync: string): Written {
  try {
    const yaml = readEntry(text, { section: 'syncs', name: sync });
    const name = yaml === null ? null : (parse(yaml) as { mapping?: unknown } | null)?.mapping;
    const mapping = typeof name === 'string' ? readEntry(text, { section: 'mappings', name }) : null;
    return {
      yaml,
      mapping: typeof name !== 'string' || mapping === null ? null : { name, yaml: mapping },
      hash: createHash('sha256')
        .update(JSON.stringify([yaml, mapping]))
        .digest('hex'),
    };
  } catch (error) {
    if (!(error instanceof EditEntryError)) throw error;
    throw new OperatorError('invalid', error.message, { code: 'YAML', cause: error });
  }
}

/** Keys of the sync, and those of its mapping. */
function changedIn(old: Written, now: { readonly yaml: string; readonly mapping: string | null }): string[] {
  const mapping = now.mapping === null ? [] : changedKeys(old.mapping?.yaml ?? null, now.mapping);
  return [...changedKeys(old.yaml, now.yaml), ...mapping.map((key) => `mapping.${key}`)];
}

/** @throws OperatorError (conflict) */
function requireUnchanged(
  text: string,
  { sync, hash, file }: { readonly sync: string; readonly hash: string; readonly file: string },
): void {
  if (syncIn(text, sync).hash === hash) return;
  throw new OperatorError(
    'conflict',
    `the sync "${sync}" in ${file} has changed since you read it; nothing was written. Read it again, and repeat your change`,
    { code: 'CONFIG_CHANGED' },
  );
}

/**
 * A schedule starts the sync, and a reload may put it into effect at once.
 * @throws OperatorError (forbidden) when the schedule would start something else than before
 */
function requireSameStarts(sync: string, next: LoadedConfig, before: readonly LoadedConfig[]): void {
  const after = next.config.syncs[sync];
  const isSame = before.every((each) => isDeepStrictEqual(each.config.syncs[sync], after));
  const isScheduled = [next, ...before].some((each) => scheduleOf(each, sync) !== undefined);
  if (isSame || !isScheduled) return;
  throw new OperatorError(
    'forbidden',
    `"${sync}" has a schedule, which starts it: somebody with the role operator changes it. You may change its mapping`,
    { code: 'SCHEDULE_STARTS' },
  );
}

/** @throws OperatorError (conflict) */
function requireNoSchedule(sync: string, loaded: LoadedConfig): void {
  if (scheduleOf(loaded, sync) === undefined) return;
  throw new OperatorError(
    'conflict',
    `"${sync}" has a schedule; remove \`schedule\` from the sync, and save it, before you delete it`,
    { code: 'SCHEDULED' },
  );
}

const scheduleOf = ({ config }: LoadedConfig, sync: string) => config.syncs[sync]?.schedule;

const nameOf = ({ section, name }: EntryPlace) => `${section}.${name}`;

/** Entries that go with a sync: those that have its name, as the console made them, and that nothing else uses. */
function removalOf(loaded: LoadedConfig, sync: string): { entries: EntryPlace[]; export: string | null } {
  const { config, dir } = loaded;
  const own = config.syncs[sync];
  const file = `data/${sync}.csv`;
  const source = config.sources[sync];
  const hasMapping = own?.mapping === sync && usersOfMapping(loaded, sync, sync).length === 0;
  const hasSource =
    own?.source === sync &&
    source?.type === 'csv' &&
    source.path === join(dir, file) &&
    usersOfSource(loaded, sync, sync).length === 0;
  return {
    entries: [
      { section: 'syncs', name: sync },
      ...(hasMapping ? [{ section: 'mappings', name: sync } as const] : []),
      ...(hasSource ? [{ section: 'sources', name: sync } as const] : []),
    ],
    export: hasSource ? file : null,
  };
}

/** Who uses a mapping, besides the sync itself. */
function usersOfMapping({ config }: LoadedConfig, mapping: string, sync: string) {
  return [
    ...users('sync', config.syncs, (each) => each.mapping === mapping).filter(({ name }) => name !== sync),
    ...users('route', config.routes, ({ action }) => action.type === 'lead' && action.mapping === mapping),
  ];
}

/** Who reads a source, besides the sync itself. */
function usersOfSource({ config }: LoadedConfig, source: string, sync: string) {
  return [
    ...users('sync', config.syncs, (each) => each.source === source).filter(({ name }) => name !== sync),
    ...users('campaign', config.campaigns, ({ audience, exclude: { numbers } }) => {
      const isAudience = audience.some((part) => part.from === 'source' && part.source === source);
      return isAudience || (numbers !== undefined && !Array.isArray(numbers) && numbers.source === source);
    }),
  ];
}

function users<K extends string, T>(
  kind: K,
  section: Readonly<Record<string, T>>,
  uses: (entry: T) => boolean,
): { kind: K; name: string }[] {
  return Object.entries(section).flatMap(([name, entry]) => (uses(entry) ? [{ kind, name }] : []));
}

/** The name is free again, and the file stays with those that the sync had before. Null: the file is gone. */
async function setAside(dir: string, sync: string): Promise<string | null> {
  const folder = join(dir, 'data');
  const kept = keptName(sync, new Date());
  try {
    await rename(join(folder, `${sync}.csv`), join(folder, kept));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return null;
  }
  await forgetOldest(folder, sync);
  return kept;
}
