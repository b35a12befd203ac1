// Finds a program: named by a variable, on the PATH, in an earlier download, or by a new download.
import { access, constants, realpath, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { makeFolder } from '../core/lock/make-folder.ts';
import { distrust } from './binary-trust.ts';
import { install } from './download/install.ts';

export interface FindOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder of downloads, for example `~/.cache/sluice`; made when missing. */
  readonly cacheDir: string;
  /** Folder for downloads where `cacheDir` cannot be written to, as when the home folder is read-only. */
  readonly spareDir?: string | undefined;
  /** Receives one line for each step that takes time or fails. */
  say(line: string): void;
  readonly signal?: AbortSignal;
}

export interface FoundBinary {
  readonly path: string;
  /** Where it was found, as text: `TEMPORAL_CLI_PATH`, `PATH`, … */
  readonly origin: string;
}

/** Thrown when no binary was found. The message lists every way, why it failed, and what to do. */
export class BinaryNotFoundError extends Error {
  override readonly name = 'BinaryNotFoundError';
  readonly binary: string;
  constructor(binary: string, message: string) {
    super(message);
    this.binary = binary;
  }
}

/** One way to download a binary. */
export interface Download {
  readonly label: string;
  /**
   * @param draft an empty folder
   * @returns path of the program in it
   * @throws Error whose message says why it failed
   */
  make(draft: string, options: FindOptions): Promise<string>;
}

export interface BinarySpec {
  readonly binary: string;
  readonly envName: string;
  /** Folder of this version in the cache. */
  readonly folder: string;
  /** SHA-256 of the builds that may run without being named, one per platform. */
  readonly sha256: readonly string[];
  readonly downloads: readonly Download[];
  /** What to do when nothing worked. */
  readonly wayOut: string;
}

/**
 * Searches this machine in the usual order; null when nothing is found. Only pinned builds count. The binary that the
 * variable names is used in any case, because the user chose it.
 * @throws BinaryNotFoundError when the variable names no executable
 */
export async function locateBinary(
  spec: BinarySpec,
  { env, cacheDir, spareDir, say }: Pick<FindOptions, 'env' | 'cacheDir' | 'spareDir' | 'say'>,
): Promise<FoundBinary | null> {
  const named = env[spec.envName];
  if (named !== undefined && named !== '') {
    if (!(await isExecutable(named))) {
      throw new BinaryNotFoundError(
        spec.binary,
        `${spec.envName}=${named} is not an executable file; correct it or unset it`,
      );
    }
    const why = await distrust(named, spec.sha256);
    if (why !== null) say(`${spec.envName}=${named}: ${why}; Sluice runs it because you named it`);
    return { path: named, origin: spec.envName };
  }
  const onPath = await findOnPath(spec.binary, env.PATH ?? '');
  if (onPath !== null) {
    const why = await distrust(onPath, spec.sha256);
    if (why === null) return { path: onPath, origin: 'PATH' };
    say(`${onPath} is on the PATH, but ${why}; Sluice searches on. To run it, set ${spec.envName}=${onPath}`);
  }
  for (const folder of spareDir === undefined ? [cacheDir] : [cacheDir, spareDir]) {
    const path = join(folder, spec.folder, spec.binary);
    if (!(await isExecutable(path))) continue;
    const why = await distrust(path, spec.sha256, folder);
    if (why === null) return { path, origin: 'an earlier download' };
    say(`Sluice does not run ${path}: ${why}`);
  }
  return null;
}

/**
 * Searches this machine, then downloads. Earlier downloads come first, so that a closed network does not delay every
 * start.
 */
export async function findBinary(spec: BinarySpec, options: FindOptions): Promise<FoundBinary> {
  const here = await locateBinary(spec, options);
  if (here !== null) return here;
  const cacheDir = await writableFolder(options);
  const path = join(cacheDir, spec.folder, spec.binary);
  const failures: string[] = [];
  for (const { label, make } of spec.downloads) {
    options.signal?.throwIfAborted();
    options.say(`Downloading ${spec.binary} once: ${label}`);
    try {
      await install(cacheDir, path, async (draft) => {
        const program = await make(draft, options);
        const why = await distrust(program, spec.sha256);
        if (why !== null) throw new Error(why);
        return program;
      });
      return { path, origin: label };
    } catch (error) {
      options.signal?.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      options.say(`${label} failed: ${reason}`);
      failures.push(`  ${label}: ${reason}`);
    }
  }
  throw new BinaryNotFoundError(
    spec.binary,
    `No ${spec.binary} was found: ${spec.envName} is not set, no pinned build is on the PATH, and the downloads failed\n${failures.join('\n')}\n${spec.wayOut}`,
  );
}

/** @throws FolderPathError when neither folder can be written to */
async function writableFolder({ cacheDir, spareDir, say }: FindOptions): Promise<string> {
  try {
    await makeFolder(cacheDir);
    await access(cacheDir, constants.W_OK);
    return cacheDir;
  } catch (error) {
    if (spareDir === undefined) throw error;
    say(`${cacheDir} cannot be written to, so the download goes to ${spareDir}`);
    await makeFolder(spareDir);
    return spareDir;
  }
}

async function findOnPath(binary: string, path: string): Promise<string | null> {
  const names = process.platform === 'win32' ? [`${binary}.exe`] : [binary];
  for (const folder of path.split(delimiter).filter((entry) => entry !== '')) {
    for (const name of names) {
      const candidate = join(folder, name);
      if (await isExecutable(candidate)) return await realpath(candidate);
    }
  }
  return null;
}

/** True for an executable regular file. */
async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG'].includes(code)) return false;
    throw error;
  }
}
