// The address of the admin listener: the environment of a process wins over the configuration.
import pino from 'pino';
import { afterEach, expect, it } from 'vitest';
import { openAdmin } from '../../../../src/cli/lib/connect/admin.ts';
import { createShutdown, type Shutdown } from '../../../../src/core/shutdown.ts';

let shutdown: Shutdown | undefined;
afterEach(() => shutdown?.run('the end of the test'));

function open(env: NodeJS.ProcessEnv) {
  shutdown = createShutdown({ graceMs: 5000, say: () => undefined });
  const admin = { host: '127.0.0.1', port: 0 };
  return openAdmin({ process: 'worker', admin, env, log: pino({ level: 'silent' }), shutdown });
}

it('without variables, it listens where the configuration says', async () => {
  expect((await open({})).url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
});

it('SLUICE_ADMIN_HOST wins over admin.host', async () => {
  const { url } = await open({ SLUICE_ADMIN_HOST: '127.0.0.2' });
  expect(url).toMatch(/^http:\/\/127\.0\.0\.2:\d+$/);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

it('an address that this machine does not have names the variable', async () => {
  await expect(open({ SLUICE_ADMIN_HOST: '192.0.2.1' })).rejects.toThrow('SLUICE_ADMIN_HOST');
});
