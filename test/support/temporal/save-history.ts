// Keeps a workflow's history as the replayer reads it.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { cacheDirOf } from '../../../src/temporal/cache-dir.ts';
import { findTemporalCli } from '../../../src/temporal/temporal-binary.ts';
import type { TestTemporal } from './temporal.ts';

/** The SDK has no public writer of histories; the CLI writes the JSON that the replayer reads. */
export async function saveHistory(
  temporal: TestTemporal,
  workflowId: string,
  file: string,
  runId?: string,
): Promise<void> {
  const { path } = await findTemporalCli({
    env: process.env,
    cacheDir: cacheDirOf(process.env),
    say: () => {},
  });
  const place = ['--address', inject('temporalAddress'), '--namespace', temporal.namespace];
  const show = ['workflow', 'show', ...place, '--workflow-id', workflowId, '--output', 'json'];
  if (runId !== undefined) show.push('--run-id', runId);
  const { stdout } = await promisify(execFile)(path, show, { maxBuffer: 64 << 20 });
  // Stack traces name the folder of who recorded.
  const history = JSON.stringify(JSON.parse(stdout)).replaceAll(process.cwd(), '/sluice');
  await writeFile(file, `${history}\n`);
}
