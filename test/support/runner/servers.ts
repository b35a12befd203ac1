// The servers that processes of Sluice work with: Temporal, PostgreSQL, and a sandbox without a limit.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox } from '../../../src/sandbox/server.ts';
import { SEARCH_ATTRIBUTES } from '../../../src/temporal/search-attributes.ts';
import { account } from '../environment.ts';
import { panelOf } from '../panel.ts';
import { startPostgres } from '../postgres/postgres.ts';
import { connectTestTemporal } from '../temporal/temporal.ts';
import { buildOnce } from './build.ts';

/**
 * @param name part of the name of the folder
 * @param ends gets what ends them, in the order of their start
 */
export async function startServers(name: string, ends: (() => Promise<unknown>)[]) {
  const dir = await mkdtemp(join(tmpdir(), `sluice-${name}-`));
  ends.push(() => rm(dir, { recursive: true, force: true }));
  const [dist, temporal, postgres, sandbox] = await Promise.all([
    buildOnce(),
    connectTestTemporal({ searchAttributes: SEARCH_ATTRIBUTES }),
    startPostgres(),
    startSandbox({ port: 0, dataDir: join(dir, 'sandbox'), fixture: { accounts: [account()] }, rate: 0 }),
  ]);
  ends.push(
    () => postgres.stop(),
    () => temporal.close(),
    () => sandbox.close(),
  );
  return { dir, dist, temporal, postgres, sandbox, panel: panelOf(sandbox.panelUrl) };
}
