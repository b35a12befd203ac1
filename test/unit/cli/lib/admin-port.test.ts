// Several processes of Sluice on one machine, of which each needs a port for its metrics and its health.
import { createServer } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import type { ProcessName } from '../../../../src/app/admin.ts';
import { openAdmin } from '../../../../src/cli/lib/connect/admin.ts';
import { EXIT } from '../../../../src/cli/lib/exit.ts';
import { createShutdown, type Shutdown } from '../../../../src/core/shutdown.ts';

const HOST = '127.0.0.1';
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const idle = { on: () => undefined, off: () => undefined, exit: () => undefined, endNow: () => undefined };
const open: Shutdown[] = [];

describe('the port of the admin listener', () => {
  afterEach(async () => {
    for (const shutdown of open.splice(0)) await shutdown.run('the test has ended');
  });

  function start(process: ProcessName, port: number, env: NodeJS.ProcessEnv = {}, host = HOST) {
    const shutdown = createShutdown({ graceMs: 1000, say: () => undefined, host: idle });
    open.push(shutdown);
    return openAdmin({ process, admin: { host, port }, env, log: silent, shutdown });
  }

  async function usedPort(): Promise<number> {
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, HOST, done));
    onTestFinished(async () => {
      await new Promise((done) => server.close(done));
    });
    return (server.address() as { port: number }).port;
  }

  it.each(['worker', 'ingress'] as const)(
    'in use: sluice %s ends with 8 and names the way out, as Prometheus would not find another port',
    async (process) => {
      const port = await usedPort();
      const wayOut = `\`SLUICE_ADMIN_PORT=${port + 1} sluice ${process}\``;
      await expect(start(process, port)).rejects.toMatchObject({
        exitCode: EXIT.unavailable,
        message: `metrics and health can't be served: port ${port} is in use, often by another Sluice process of this machine; give each its own port, for example ${wayOut}; 0 takes a free one`,
      });
    },
  );

  it.each(['dev', 'demo', 'console'] as const)('in use: sluice %s takes a free one', async (process) => {
    const port = await usedPort();
    const { url } = await start(process, port);
    expect(['0', `${port}`]).not.toContain(new URL(url).port);
  });

  it('SLUICE_ADMIN_PORT comes before the configuration', async () => {
    const { url } = await start('worker', await usedPort(), { SLUICE_ADMIN_PORT: '0' });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  it('SLUICE_ADMIN_PORT=0 gives every worker of a machine a port of its own', async () => {
    const env = { SLUICE_ADMIN_PORT: '0' };
    const workers = await Promise.all([1, 2, 3].map(() => start('worker', 9464, env)));
    expect(new Set(workers.map(({ url }) => url)).size).toBe(3);
  });

  it.each(['-1', '65536', '1e3', ' 80', 'x'])('SLUICE_ADMIN_PORT "%s" is refused as usage', async (text) => {
    await expect(start('worker', 0, { SLUICE_ADMIN_PORT: text })).rejects.toMatchObject({
      exitCode: EXIT.usage,
      message: expect.stringContaining(`"${text}" is no port`),
    });
  });

  it('an address that this machine does not have: the error names what to change', async () => {
    await expect(start('worker', 0, {}, '192.0.2.1')).rejects.toMatchObject({
      exitCode: EXIT.unavailable,
      message: expect.stringMatching(/EADDRNOTAVAIL.*; change admin\.host/),
    });
  });
});
