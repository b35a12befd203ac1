// A dry run ends: with its result, when it is cancelled, and at its limit, wherever it is.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDryRuns } from '../../../src/app/plan/dry-runs.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { layCluster } from '../../support/postgres/cluster.ts';

let dir: string;
let silent: Server;
/** Settled when the source was asked. */
let asked: Promise<void>;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice-dry-runs-'));
  asked = new Promise((done) => {
    silent = createServer(() => done());
  });
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
});
afterEach(async () => {
  silent.closeAllConnections();
  await new Promise((done) => silent.close(done));
  await rm(dir, { recursive: true, force: true });
});

async function requestOf(sync: string) {
  await layCluster(join(dir, 'ledger'));
  await writeFile(join(dir, 'rows.csv'), 'phone,name\n+1 415 555 1000,Canaria\n');
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
  const config = {
    version: 1,
    accounts: { acme: { baseUrl: 'http://127.0.0.1:9/wapi', tokens: ['env:TOKEN'] } },
    sources: {
      rows: { type: 'csv', path: 'rows.csv' },
      absent: { type: 'csv', path: 'absent.csv' },
      silent: { type: 'http', url, items: 'data', pagination: { type: 'none' } },
    },
    mappings: {
      plain: { contact: { number: 'phone', name: 'name' } },
      endless: { contact: { number: 'phone', name: '=($f := function($x) { $f($x + 1) }; $f(1))' } },
    },
    syncs: {
      plain: { account: 'acme', source: 'rows', mapping: 'plain' },
      silent: { account: 'acme', source: 'silent', mapping: 'plain' },
      absent: { account: 'acme', source: 'absent', mapping: 'plain' },
      endless: { account: 'acme', source: 'rows', mapping: 'endless' },
    },
  };
  await writeFile(join(dir, 'sluice.yaml'), JSON.stringify(config));
  const loaded = await loadConfig(join(dir, 'sluice.yaml'), { env: { TOKEN: 'svc_test_canary' } });
  return { spec: loaded.spec(sync), baseDir: dir, samples: 1, callsPerMinute: 60, listed: false };
}

const open = (limitMs?: number) =>
  createDryRuns({
    stateDir: dir,
    env: {},
    lendLedger: (work) => work(dir),
    keys: () => [],
    ...(limitMs === undefined ? {} : { limitMs }),
  });

it('a source of one row is planned', async () => {
  const runs = open();
  const kept = runs.get(runs.start(await requestOf('plain')));
  await kept?.endWithin(60_000);
  expect(kept?.read()).toMatchObject({ state: 'done', error: null, report: { create: 1, read: 1 } });
  await runs.close();
});

it('a source that does not exist has the kind and the code of that error', async () => {
  const runs = open();
  const kept = runs.get(runs.start(await requestOf('absent')));
  await kept?.endWithin(60_000);
  const error = { kind: 'notFound', code: 'SOURCE_NOT_FOUND' };
  expect(kept?.read()).toMatchObject({ state: 'failed', error });
  expect(kept?.read().error?.message).toContain('absent.csv');
  await runs.close();
});

it.each(['silent', 'endless', 'plain'])(
  'the dry run of the source %s that reaches its limit fails, with the limit in its error',
  async (sync) => {
    // Shorter than the thread takes to start: no source ends before it.
    const runs = open(6);
    const kept = runs.get(runs.start(await requestOf(sync)));
    await kept?.endWithin(60_000);
    expect(kept?.read()).toMatchObject({ state: 'failed', error: { kind: 'failed' } });
    expect(kept?.read().error?.message).toMatch(
      new RegExp(`"${sync}" was stopped after 0\\.0001 minutes, the maximum`),
    );
    await runs.close();
  },
);

it('a dry run whose source does not answer is cancelled, not failed', async () => {
  const runs = open();
  const kept = runs.get(runs.start(await requestOf('silent')));
  await Promise.race([asked, kept?.endWithin(60_000)]);
  await kept?.cancel();
  expect(kept?.read()).toMatchObject({ state: 'cancelled', error: null });
  await runs.close();
});
