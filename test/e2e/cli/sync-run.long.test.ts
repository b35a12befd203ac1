// `sluice sync run` as users and scripts meet it: exit codes, a refused token, a missing file, an interruption.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { RunReport } from '../../../src/jobs/sync/contract/run.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/server.ts';
import { layCluster } from '../../support/postgres/cluster.ts';
import { buildOnce } from '../../support/runner/build.ts';

const TOKEN = 'svc_test_habits';
const HEADER = 'phone,name';

let main: string;
let dir: string;
let sandbox: Sandbox;

beforeAll(async () => {
  main = join(await buildOnce(), 'src/cli/main.js');
  dir = await mkdtemp(join(tmpdir(), 'sluice-sync-run-'));
  sandbox = await startSandbox({ port: 0, dataDir: join(dir, 'sandbox'), fixture: FIXTURE, rate: 600 });
  await layCluster(join(dir, '.sluice', 'ledger'));
  await writeFile(
    join(dir, 'sluice.yaml'),
    stringify({
      version: '1',
      accounts: { acme: { baseUrl: sandbox.baseUrl, tokens: ['env:ACME_TOKEN'] } },
      sources: { leads: { type: 'csv', path: 'leads.csv' } },
      mappings: {
        leads: {
          contact: { number: 'phone', name: 'name' },
          card: { pipeline: 'Sales', stage: { const: 'New' } },
        },
      },
      syncs: { leads: { account: 'acme', source: 'leads', mapping: 'leads' } },
    }),
  );
  await people(1, 3);
});
afterAll(async () => {
  await sandbox.close();
  await rm(dir, { recursive: true, force: true });
});

const FIXTURE = {
  accounts: [
    {
      id: 'acme',
      tokens: [{ value: TOKEN, scopes: ['contacts:write', 'cards:write'] }],
      connections: [{ id: 1, name: 'main', channel: 'waba', status: 'CONNECTED', isDefault: true }],
      pipelines: [{ id: 1, name: 'Sales', stages: [{ id: 11, name: 'New', order: 1 }] }],
    },
  ],
};

async function people(from: number, to: number): Promise<void> {
  const rows = Array.from(
    { length: to - from + 1 },
    (_, n) => `+1 415 555 ${2000 + from + n},Person ${from + n}`,
  );
  await writeFile(join(dir, 'leads.csv'), `${[HEADER, ...rows].join('\n')}\n`);
}

function start(args: readonly string[], token: string) {
  const { TEMPORAL_ADDRESS: _, DATABASE_URL: __, SLUICE_LOG_LEVEL: ___, ...inherited } = process.env;
  const child = spawn(process.execPath, [main, 'sync', 'run', 'leads', ...args], {
    cwd: dir,
    env: { ...inherited, ACME_TOKEN: token },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
    });
  return { child, written };
}

async function run(token = TOKEN, ...args: readonly string[]) {
  const { child, written } = start(['--json', ...args], token);
  const code = await exitCodeOf(child);
  return { code, ...written, report: () => JSON.parse(written.stdout) as RunReport };
}

async function exitCodeOf(child: ChildProcess): Promise<number> {
  const [code] = (await once(child, 'close')) as [number];
  return code;
}

// Each test starts up to two processes, each with a Temporal server: seconds of computing, more on a busy machine.
describe('sluice sync run', { timeout: 120_000 }, () => {
  it('ends with 4 when the token is refused and nobody watches; a new start with a good token takes the run up', async () => {
    const refused = await run('svc_test_wrong');
    expect(refused).toMatchObject({ code: 4, stdout: '' });
    expect(refused.stderr).toContain('ERR_TOKEN_INVALID');
    expect(refused.stderr).toContain('`sluice sync run leads`');
    expect(refused.stderr).not.toMatch(/^\s+at |sdkComponent/m);
    const again = await run();
    expect(again).toMatchObject({ code: 0 });
    expect(again.report()).toMatchObject({ run: 'acme/leads/1', created: 3, cards: 3 });
  });

  it('ends with 3 and one clear sentence when the file is missing', async () => {
    await rename(join(dir, 'leads.csv'), join(dir, 'away.csv'));
    const missing = await run();
    await rename(join(dir, 'away.csv'), join(dir, 'leads.csv'));
    expect(missing).toMatchObject({ code: 3, stdout: '' });
    expect(missing.stderr).toMatch(/leads\.csv\\?" does not exist/);
    expect(missing.stderr).not.toMatch(/^\s+at |sdkComponent/m);
  });

  it('ends with 6 when the account refuses cards, and says which step was stopped', async () => {
    const body = JSON.stringify({ tokens: [{ value: TOKEN, scopes: ['contacts:write'] }] });
    const headers = { 'content-type': 'application/json' };
    await fetch(`${sandbox.panelUrl}/accounts/acme`, { method: 'PATCH', headers, body });
    await people(1, 4);
    const partly = await run();
    expect(partly).toMatchObject({ code: 6 });
    expect(partly.report()).toMatchObject({ created: 1, cards: 0, stoppedSteps: ['createCard'] });
  });

  it('ends with 130 when it is interrupted, and the next start takes the run up', async () => {
    await people(1, 60);
    const { child, written } = start([], TOKEN);
    await new Promise<void>((begun) => {
      child.stderr.on('data', () => /created/.test(written.stderr) && begun());
    });
    child.kill('SIGINT');
    expect(await exitCodeOf(child)).toBe(130);
    const again = await run();
    expect(again.report()).toMatchObject({ read: 60, created: 56, unchanged: 4 });
  });
});
