// The Temporal SDK's own download of its servers. The SDK downloads only on the way to starting a server, and in
// native code that can't be stopped; so it runs in a child process, which can.
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fetch } from 'undici';
import { z } from 'zod';
import { type FindOptions, isExecutable } from './find-binary.ts';

type Kind = 'dev-server' | 'time-skipping';

/** How long to wait for the download site to answer at all; on closed networks it never does. */
const PROBE_MS = 5_000;
/** About 45 MB; generous for slow lines. */
const DOWNLOAD_MS = 300_000;
/** Only asked whether it answers; the SDK fetches from it. */
const SITE = 'https://temporal.download/';

/** Path of an earlier download by this version of the SDK, or null. */
export async function cachedSdkDownload(kind: Kind, cacheDir: string): Promise<string | null> {
  const path = join(cacheDir, 'sdk', fileName(kind));
  return (await isExecutable(path)) ? path : null;
}

/** Lets the SDK download; fails within 5 s when the download site can't be reached. */
export async function fetchBySdk(kind: Kind, options: FindOptions): Promise<string> {
  await probe(options.signal);
  const downloadDir = join(options.cacheDir, 'sdk');
  await mkdir(downloadDir, { recursive: true });
  await startOnceInChild(kind, downloadDir, options);
  const path = await cachedSdkDownload(kind, options.cacheDir);
  if (path === null) throw new Error(`the SDK started its server but left no ${fileName(kind)}`);
  return path;
}

async function probe(signal: AbortSignal | undefined): Promise<void> {
  const limit = AbortSignal.timeout(PROBE_MS);
  try {
    const response = await fetch(SITE, {
      method: 'HEAD',
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    await response.body?.cancel();
  } catch (error) {
    throw new Error('its download site cannot be reached from here', { cause: error });
  }
}

/** The SDK names the file after itself; its time to live (a day) is not ours: a newer SDK has another file name. */
function fileName(kind: Kind): string {
  const require = createRequire(import.meta.url);
  const { version } = z.object({ version: z.string() }).parse(require('@temporalio/testing/package.json'));
  const prefix = kind === 'dev-server' ? 'temporal' : 'temporal-test-server';
  return `${prefix}-sdk-typescript-${version}${process.platform === 'win32' ? '.exe' : ''}`;
}

function startOnceInChild(kind: Kind, downloadDir: string, options: FindOptions): Promise<void> {
  const sdk = createRequire(import.meta.url).resolve('@temporalio/testing');
  const create = kind === 'dev-server' ? 'createLocal' : 'createTimeSkipping';
  const code = `
    const { TestWorkflowEnvironment } = require(${JSON.stringify(sdk)});
    const executable = { type: 'cached-download', downloadDir: ${JSON.stringify(downloadDir)} };
    TestWorkflowEnvironment.${create}({ server: { executable } })
      .then((env) => env.teardown())
      .then(() => process.exit(0), (error) => { console.error(error.message); process.exit(1); });`;
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      ['-e', code],
      { timeout: DOWNLOAD_MS, killSignal: 'SIGKILL', signal: options.signal, env: { ...options.env } },
      (error, _stdout, stderr) => {
        if (error) {
          const lastLine = stderr.trim().split('\n').at(-1);
          reject(new Error(lastLine || 'it was too slow', { cause: error }));
        } else resolve();
      },
    );
  });
}
