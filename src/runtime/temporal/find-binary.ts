// Finds a program: named by a variable, on the PATH, from an earlier download, or by a new one.
import { access, constants, realpath, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { distrust } from './binary-trust.ts';

export interface FindOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where downloads are kept, for example `~/.cache/sluice`; made when missing. */
  readonly cacheDir: string;
  /** Receives one line for each thing that takes time or fails. */
  say(line: string): void;
  readonly signal?: AbortSignal;
}

export interface FoundBinary {
  readonly path: string;
  /** Where it came from, for people: `TEMPORAL_CLI_PATH`, `PATH`, … */
  readonly origin: string;
}

/** Thrown when no way led to the binary; the message lists every way, why it failed and what to do. */
export class BinaryNotFoundError extends Error {
  override readonly name = 'BinaryNotFoundError';
  readonly binary: string;
  constructor(binary: string, message: string) {
    super(message);
    this.binary = binary;
  }
}

/** One way of bringing a binary here. */
export interface Download {
  readonly label: string;
  /** Path of an earlier download, or null. */
  cached(cacheDir: string): Promise<string | null>;
  /** @throws Error whose message says why it failed. */
  fetch(options: FindOptions): Promise<string>;
}

export interface BinarySpec {
  readonly binary: string;
  readonly envName: string;
  /** SHA-256 of the builds that are run without being asked for by name, one a platform. */
  readonly sha256: readonly string[];
  readonly downloads: readonly Download[];
  /** What a person can do when nothing worked. */
  readonly wayOut: string;
}

/**
 * What is on this machine already, in the order for any binary; null when nothing is. Only pinned builds count, but for
 * the one that the variable names: to name it is to choose it.
 * @throws BinaryNotFoundError when the variable names no executable
 */
export async function locateBinary(
  spec: BinarySpec,
  { env, cacheDir, say }: Pick<FindOptions, 'env' | 'cacheDir' | 'say'>,
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
    say(
      `${onPath} is on the PATH, but ${why}; Sluice looks elsewhere. To run it, set ${spec.envName}=${onPath}`,
    );
  }
  for (const download of spec.downloads) {
    const path = await download.cached(cacheDir);
    if (path === null) continue;
    const why = await distrust(path, spec.sha256, cacheDir);
    if (why === null) return { path, origin: `${download.label} (cached)` };
    say(`${path} is not run: ${why}`);
  }
  return null;
}

/** What is here, else a download. Earlier downloads come before new ones: a closed network must not cost every start its timeout. */
export async function findBinary(spec: BinarySpec, options: FindOptions): Promise<FoundBinary> {
  const here = await locateBinary(spec, options);
  if (here !== null) return here;
  const failures: string[] = [];
  for (const download of spec.downloads) {
    options.signal?.throwIfAborted();
    options.say(`Bringing ${spec.binary} here once: ${download.label}`);
    try {
      const path = await download.fetch(options);
      const why = await distrust(path, spec.sha256, options.cacheDir);
      if (why !== null) throw new Error(why);
      return { path, origin: download.label };
    } catch (error) {
      options.signal?.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      options.say(`${download.label} did not work: ${reason}`);
      failures.push(`  ${download.label}: ${reason}`);
    }
  }
  throw new BinaryNotFoundError(
    spec.binary,
    `No ${spec.binary} was found: ${spec.envName} is not set, no pinned build is on the PATH, and the downloads failed\n${failures.join('\n')}\n${spec.wayOut}`,
  );
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
export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG'].includes(code)) return false;
    throw error;
  }
}
