// A command ends at a signal wherever it is, with the exit code of an interruption.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { buildOnce } from '../../support/runner/build.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const COMMANDS = [
  ['a service that does not answer', ['doctor']],
  ['a source that does not answer', ['sync', 'plan', 'leads']],
  ['a server that does not answer', ['sync', 'list', '--server', 'SILENT']],
] as const;

it.each(SIGNALS.flatMap((signal) => COMMANDS.map(([what, args]) => [signal, what, args] as const)))(
  '%s ends a command that waits for %s',
  async (signal, _what, args) => {
    const dist = await buildOnce();
    const dir = await mkdtemp(join(tmpdir(), 'sluice-signals-'));
    const silent = createServer(() => undefined);
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    try {
      const origin = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
      const config = {
        version: 1,
        accounts: { acme: { baseUrl: `${origin}/wapi`, tokens: ['env:ACME_TOKEN'] } },
        sources: { crm: { type: 'http', url: `${origin}/rows`, items: 'items' } },
        mappings: { crm: { contact: { number: 'phone' } } },
        syncs: { leads: { account: 'acme', source: 'crm', mapping: 'crm' } },
      };
      await writeFile(join(dir, 'sluice.yaml'), JSON.stringify(config));
      const words = args.map((word) => (word === 'SILENT' ? origin : word));
      const child = spawn(process.execPath, [join(dist, 'src/cli/main.js'), ...words], {
        cwd: dir,
        env: { ...process.env, ACME_TOKEN: 'svc_test_local', SLUICE_SERVER_TOKEN: 'token' },
        stdio: 'ignore',
      });
      const ended = once(child, 'exit');
      await once(silent, 'request');
      child.kill(signal);
      const [code, by] = (await ended) as [number | null, NodeJS.Signals | null];
      // What a shell shows: on a busy machine the process ends by the signal itself, as soon as its time is over.
      expect(by === null ? code : 128 + constants.signals[by]).toBe(130);
    } finally {
      silent.closeAllConnections();
      silent.close();
      await rm(dir, { recursive: true, force: true });
    }
  },
);
