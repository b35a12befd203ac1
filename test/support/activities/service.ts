// A service and a ledger for activities: the sandbox over a folder, its panel, clients, and what counts their calls.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SandboxOptions, startSandbox } from '../../../src/sandbox/server.ts';
import { MessagingClient, type MessagingClientOptions } from '../../../src/service/api-client/client.ts';
import { type PanelRequest, panelOf } from '../panel.ts';
import { testLedger } from '../postgres/ledger.ts';
import { testCallCounter } from './call-counter.ts';

/** @param account of the sandbox: see `account` in environment.ts */
export async function openService(account: object, options: Pick<SandboxOptions, 'now' | 'choices'> = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'sluice-service-'));
  const fixture = { accounts: [account] };
  const sandbox = await startSandbox({ port: 0, dataDir: dir, fixture, rate: 0, ...options });
  const db = await testLedger();
  const calls = testCallCounter(db);
  const panel = panelOf(sandbox.panelUrl);
  const clients: MessagingClient[] = [];
  let seen = 0;
  return {
    sandbox,
    db,
    calls,
    panel,
    client(over: Partial<MessagingClientOptions> = {}): MessagingClient {
      const { baseUrl } = sandbox;
      const client = new MessagingClient({ baseUrl, token: 'svc_test_token', deadlineMs: 5000, ...over });
      clients.push(client);
      return client;
    },
    /** Requests since the last call of this. */
    async requests(): Promise<PanelRequest[]> {
      const all = await panel.requests(seen);
      seen = all.at(-1)?.seq ?? seen;
      return all;
    },
    async close() {
      await Promise.all(clients.map((client) => client.close()));
      // A second later its counts would reach the next test's run.
      await calls.close();
      await sandbox.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
