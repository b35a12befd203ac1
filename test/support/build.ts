// Child processes in tests run the built JavaScript: Node 20 cannot run TypeScript.
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { acquireFolderLock, FolderHeldError, type FolderLock } from '../../src/runtime/folder-lock.ts';
import { buildWorkflowBundle } from '../../workers/bundle.ts';

const root = resolve(import.meta.dirname, '../..');

/**
 * Compiles the project and returns the absolute path of `dist/`.
 * Safe to call from several test files at once: the compiler runs alone, and a repeated call with nothing changed is quick.
 */
export async function buildOnce(): Promise<string> {
  const dist = join(root, 'dist');
  await mkdir(dist, { recursive: true });
  const lock = await waitForLock(dist);
  try {
    await compile();
  } finally {
    await lock.release();
  }
  return dist;
}

/** Builds, bundles the workflow code, and answers the bundle's path. */
export async function buildWorkflowBundleOnce(): Promise<string> {
  const dist = await buildOnce();
  const target = join(dist, 'workflow-bundle.js');
  await buildWorkflowBundle(join(dist, 'workflows'), target);
  return target;
}

async function waitForLock(folder: string): Promise<FolderLock> {
  for (;;) {
    try {
      return await acquireFolderLock(folder, { command: 'tsc (test build)' });
    } catch (error) {
      if (!(error instanceof FolderHeldError)) throw error;
      await delay(50);
    }
  }
}

function compile(): Promise<void> {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  return new Promise((done, failed) => {
    execFile(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root }, (error, stdout) => {
      // Exit 2 means: type errors, but JavaScript was written. `tsc --noEmit` is the gate for those.
      if (error && error.code !== 2) failed(new Error(`tsc failed:\n${stdout}`, { cause: error }));
      else done();
    });
  });
}
