// A server that npx started, when only npx is asked to end.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { readFolderLock } from '../../../src/core/lock/folder-lock.ts';
import { buildOnce } from '../../support/runner/build.ts';
import { until } from '../../support/until.ts';

it('a sandbox whose npx was killed ends, and its folder is free for the next', async () => {
  const main = join(await buildOnce(), 'src/cli/main.js');
  const data = await mkdtemp(join(tmpdir(), 'sluice-orphan-'));
  // As npx does it: a shell between, which hands on no signal.
  const command = `"${process.execPath}" "${main}" sandbox --data "${data}"; true`;
  const shell = spawn('sh', ['-c', command], { env: { ...process.env, npm_command: 'exec' } });
  try {
    const first = await createInterface({ input: shell.stdout })[Symbol.asyncIterator]().next();
    expect(JSON.parse(first.value as string)).toHaveProperty('baseUrl');
    expect(await readFolderLock(data)).not.toBeNull();
    shell.kill('SIGKILL');
    await until('the folder is free', async () => (await readFolderLock(data)) === null);
  } finally {
    shell.kill('SIGKILL');
    await rm(data, { recursive: true, force: true });
  }
});
