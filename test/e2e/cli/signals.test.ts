// A command that keeps nothing open ends at a signal too, with the exit code of an interruption.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { buildOnce } from '../../support/runner/build.ts';

it.each(['SIGINT', 'SIGTERM'] as const)('doctor ends with 130 at %s', async (signal) => {
  const dist = await buildOnce();
  const dir = await mkdtemp(join(tmpdir(), 'sluice-signals-'));
  const silent = createServer(() => undefined);
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  try {
    const baseUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/wapi`;
    const config = { version: 1, accounts: { acme: { baseUrl, tokens: ['env:ACME_TOKEN'] } } };
    await writeFile(join(dir, 'sluice.yaml'), JSON.stringify(config));
    const child = spawn(process.execPath, [join(dist, 'src/cli/main.js'), 'doctor'], {
      cwd: dir,
      env: { ...process.env, ACME_TOKEN: 'svc_test_local' },
      stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    await once(silent, 'request');
    child.kill(signal);
    expect(await ended).toEqual([130, null]);
  } finally {
    silent.closeAllConnections();
    silent.close();
    await rm(dir, { recursive: true, force: true });
  }
});
