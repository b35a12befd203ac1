// A fresh folder like a clone of the project after `npm ci`: the same files, and no state.
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../../..');

const SHARED = ['dist', 'docs', 'examples', 'node_modules', 'sluice.example.yaml', 'sluice.schema.json'];

export interface Clone {
  readonly folder: string;
  /** For what commands print. */
  readonly scratch: string;
  /** A folder for the PATH: its `npx sluice` starts the same program as npm's, without the second that npm takes first. */
  readonly quickNpx: string;
  remove(): Promise<void>;
}

export async function makeClone(): Promise<Clone> {
  // A short path: that of a Unix socket has at most 107 characters.
  const base = await mkdtemp(join(tmpdir(), 'sluice-docs-'));
  const [folder, scratch, quickNpx] = [join(base, 'sluice'), join(base, 'out'), join(base, 'bin')];
  for (const path of [folder, scratch, quickNpx]) await mkdir(path);
  for (const name of SHARED) await symlink(join(ROOT, name), join(folder, name));
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  // It is built already, and other processes use the build.
  manifest.scripts.build = 'true';
  manifest.scripts.prepare = 'true';
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  const main = join(folder, 'dist/src/cli/main.js');
  const npx = `#!/bin/sh\n[ "$1" = sluice ] || exit 64\nshift\nexec '${process.execPath}' '${main}' "$@"\n`;
  await writeFile(join(quickNpx, 'npx'), npx, { mode: 0o755 });
  return {
    folder,
    scratch,
    quickNpx,
    remove: () => rm(base, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Variables of the person who reads: nothing of npm, of a test run, or of Sluice, which would change what commands do. */
export function environmentOf(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const foreign =
    /^(npm_|SLUICE_|VITEST|NODE_|TEMPORAL_(ADDRESS|NAMESPACE|INSECURE)|DATABASE_URL|INIT_CWD|CI$)/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !foreign.test(name)));
}
