// The configuration of a running process. A reload replaces all of it at once, or nothing.
import { isDeepStrictEqual } from 'node:util';
import { redactTokens } from '../core/redaction.ts';
import { changesOf, keepWhatNeedsRestart } from './config-changes.ts';
import { printsOf } from './file-prints.ts';
import type { LoadedConfig } from './load.ts';
import { commandsIn, type SecretStore } from './secret-store.ts';

type Renewed = Awaited<ReturnType<SecretStore['renew']>>;

/** A part of the process that works with the configuration. */
export interface ConfigPart {
  readonly name: string;
  /**
   * Opens what the next configuration needs, beside what is open.
   * @throws when this part cannot work with it; the running configuration stays
   */
  prepare(next: LoadedConfig): Promise<PreparedPart>;
}

export interface PreparedPart {
  /** Takes the next configuration into use. All parts commit in one tick, so it must neither wait nor throw. */
  commit(): void;
  /** Closes what was opened: another part cannot work with the configuration. */
  discard(): Promise<void>;
}

export interface ReloadReport {
  /** `loaded`: the process works with the configuration on the disk. `broken`: it keeps the one before. */
  readonly result: 'loaded' | 'broken';
  /** What is new, changed or gone: `accounts.acme`, `reload`. `secrets` for values of secrets. */
  readonly changes: readonly string[];
  /** Changed keys that only a restart takes into use: `admin.port`. */
  readonly needsRestart: readonly string[];
  /** Why it is broken, with file and line; null when it is not. */
  readonly error: string | null;
}

export interface ReloadState {
  /** ISO 8601. Null: the configuration on the disk is the running one, or has not been loaded since it changed. */
  readonly brokenSince: string | null;
  readonly error: string | null;
  readonly needsRestart: readonly string[];
}

export interface LiveConfig {
  /** The configuration in use. It never changes; a reload replaces it by another one. */
  current(): LoadedConfig;
  state(): ReloadState;
  /** Adds a part that follows reloads. */
  follow(part: ConfigPart): void;
  /** Hears of each attempt, for metrics. */
  onReport(listener: (report: ReloadReport) => void): void;
  /** Runs after each reload that was taken into use, with the configuration before it. */
  onChange(listener: (before: LoadedConfig, changes: readonly string[]) => void): void;
  /**
   * Loads the configuration as it is on the disk. Reloads that are asked for at the same time run one after the other.
   * Never rejects because of the configuration.
   * @param cause for the log: `SIGHUP`, `a changed file`
   */
  reload(cause: string): Promise<ReloadReport>;
  /** Runs the commands of secrets again, and loads the configuration if a value changed. */
  renewSecrets(): Promise<void>;
  /** Files and folders that the last attempt read, absolute. */
  files(): readonly string[];
  /** Whether one of these files has changed since the last attempt began. */
  isOutdated(): Promise<boolean>;
  /**
   * Loads the configuration if a file has changed and the process watches its files.
   * @returns whether the files are other ones than those in use: broken, or changed without being watched
   */
  refresh(cause: string): Promise<boolean>;
}

export interface LiveConfigOptions {
  readonly log: {
    info(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
}

/** @param first the configuration that the process starts with */
export function createLiveConfig(first: LoadedConfig, { log }: LiveConfigOptions): LiveConfig {
  const started = first.config;
  const parts: ConfigPart[] = [];
  const listeners: ((before: LoadedConfig, changes: readonly string[]) => void)[] = [];
  const reporters: ((report: ReloadReport) => void)[] = [];
  let current = first;
  let files = first.files;
  let state: ReloadState = { brokenSince: null, error: null, needsRestart: [] };
  let last: Promise<unknown> = Promise.resolve();
  let prints = printsOf(first.files);

  /** @throws for a configuration that cannot be used */
  async function load(renewed: Renewed): Promise<Pick<ReloadReport, 'changes' | 'needsRestart'>> {
    const seen = new Set<string>();
    const loaded = await current.reload({ read: (path) => seen.add(path) }).finally(() => {
      files = [...seen];
    });
    const commands = commandsIn(loaded.config);
    const named = new Set(commands.map(redactTokens));
    // A command that the file no longer names may fail: its secret can be gone with its account.
    const failed = renewed.errors.find(({ ref }) => named.has(ref));
    if (failed !== undefined) throw failed;
    const { config, needsRestart } = keepWhatNeedsRestart(started, loaded.config);
    const next: LoadedConfig = { ...loaded, config };
    const prepared: PreparedPart[] = [];
    try {
      for (const part of parts) prepared.push(await part.prepare(next));
    } catch (error) {
      await Promise.all(prepared.map((part) => part.discard()));
      throw error;
    }
    const before = current;
    const changes = [...changesOf(before.config, next.config), ...(renewed.changed ? ['secrets'] : [])];
    // One tick: nothing runs between these lines.
    for (const part of prepared) part.commit();
    current = next;
    current.secrets.keepOnly(new Set([...commands, ...commandsIn(config)]));
    for (const listener of listeners) listener(before, changes);
    return { changes, needsRestart };
  }

  async function reload(cause: string, renewed: Renewed): Promise<ReloadReport> {
    const report = await attempt(cause, renewed);
    for (const hear of reporters) hear(report);
    return report;
  }

  async function attempt(cause: string, renewed: Renewed): Promise<ReloadReport> {
    const { file } = current;
    // Before it is read: a file that changes meanwhile counts as changed.
    const before = await printsOf(allFiles());
    try {
      const { changes, needsRestart } = await load(renewed);
      const isNews = !isDeepStrictEqual(needsRestart, state.needsRestart);
      state = { brokenSince: null, error: null, needsRestart };
      log.info({ cause, file, fields: changes.slice(0, 50) }, 'the configuration was loaded again');
      if (isNews && needsRestart.length > 0)
        log.error(
          { file, fields: needsRestart },
          'these keys changed, and only a restart takes them into use',
        );
      return { result: 'loaded', changes, needsRestart, error: null };
    } catch (failure) {
      const error = redactTokens(failure instanceof Error ? failure.message : String(failure));
      const isNews = state.error !== error;
      state = { ...state, brokenSince: state.brokenSince ?? new Date().toISOString(), error };
      if (isNews)
        log.error(
          { cause, file, reason: error },
          'the configuration on the disk is broken; the one before stays in use',
        );
      return { result: 'broken', changes: [], needsRestart: state.needsRestart, error };
    } finally {
      const now = await printsOf(allFiles());
      const read = await current.secrets.prints();
      prints = Promise.resolve(
        new Map([...now].map(([each, print]) => [each, before.get(each) ?? read.get(each) ?? print])),
      );
    }
  }

  const allFiles = (): readonly string[] => [...new Set([...files, ...current.secrets.files()])];

  /** A secret that was used for the first time since the last attempt is not new, but may have changed since. */
  async function isOutdated(): Promise<boolean> {
    const known = await prints;
    const now = await printsOf(allFiles());
    const read = await current.secrets.prints();
    for (const [each, print] of now) if (!known.has(each)) known.set(each, read.get(each) ?? print);
    return [...now].some(([each, print]) => known.get(each) !== print);
  }

  /** A failed reload rejects for its caller only. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const own = last.then(work);
    last = own.catch(() => undefined);
    return own;
  }

  return {
    current: () => current,
    state: () => state,
    follow: (part) => {
      parts.push(part);
    },
    onReport: (listener) => {
      reporters.push(listener);
    },
    onChange: (listener) => {
      listeners.push(listener);
    },
    reload: (cause) => inTurn(async () => await reload(cause, await current.secrets.renew())),
    renewSecrets: () =>
      inTurn(async () => {
        const renewed = await current.secrets.renew();
        // An error that is over must leave the state, too.
        if (!renewed.changed && renewed.errors.length === 0 && state.error === null) return;
        await reload('the command of a secret', renewed);
      }),
    files: allFiles,
    isOutdated,
    refresh: (cause) =>
      inTurn(async () => {
        if (await isOutdated()) {
          if (!current.config.reload.watch) return true;
          await reload(cause, await current.secrets.renew());
        }
        return state.error !== null;
      }),
  };
}
