// `sluice sync plan` as a process: it needs no token, ends within two seconds of a signal wherever it is, and leaves
// nothing behind.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { layCluster } from '../../support/postgres/cluster.ts';
import { buildOnce } from '../../support/runner/build.ts';
import { until } from '../../support/until.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const IN_TIME_MS = 2000;

const children: ChildProcess[] = [];
let built: string;
let dir: string;
let server: Server;
/** Requests that were answered, or left without an answer. */
let requests = 0;

beforeAll(async () => {
  built = await buildOnce();
  dir = await mkdtemp(join(tmpdir(), 'sluice-plan-process-'));
  server = createServer((request, response) => {
    const answer = JSON.stringify({ data: [{ phone: '+1 415 555 1000', name: 'Canaria' }] });
    if (request.url?.startsWith('/silent')) requests++;
    else response.end(answer, () => requests++);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  await layCluster(join(dir, '.sluice/ledger'));
  const { port } = server.address() as AddressInfo;
  const http = (path: string) => ({
    type: 'http',
    url: `http://127.0.0.1:${port}/${path}`,
    items: 'data',
    pagination: { type: 'none' },
  });
  const names = {
    plain: 'name',
    endless: '=($f := function($x) { $f($x + 1) }; $f(1))',
    stuck: '=($f := function($n) { $n = 0 ? "x" : $f($n - 1) }; $f(100000000))',
  };
  const mappings = Object.fromEntries(
    Object.entries(names).map(([key, name]) => [key, { contact: { number: 'phone', name } }]),
  );
  await writeFile(
    join(dir, 'many.csv'),
    `phone,name\n${Array.from({ length: 20_000 }, (_, n) => `+1 415 ${5_550_000 + n},Canaria ${n}`).join('\n')}\n`,
  );
  await writeFile(
    join(dir, 'sluice.yaml'),
    stringify({
      version: 1,
      accounts: { acme: { baseUrl: 'http://127.0.0.1:9/wapi', tokens: ['env:NO_SUCH_TOKEN'] } },
      sources: {
        rows: http('rows'),
        silent: http('silent'),
        many: { type: 'csv', path: 'many.csv' },
      },
      mappings,
      syncs: {
        plain: { account: 'acme', source: 'rows', mapping: 'plain' },
        many: { account: 'acme', source: 'many', mapping: 'plain' },
        silent: { account: 'acme', source: 'silent', mapping: 'plain' },
        endless: { account: 'acme', source: 'rows', mapping: 'endless' },
        stuck: { account: 'acme', source: 'rows', mapping: 'stuck' },
        'stuck-file': { account: 'acme', source: 'many', mapping: 'stuck' },
      },
    }),
  );
}, 60_000);
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  await rm(dir, { recursive: true, force: true });
});

function plan(sync: string, ...args: string[]) {
  const { DATABASE_URL: _, ...env } = process.env;
  const child = spawn(process.execPath, [join(built, 'src/cli/main.js'), 'sync', 'plan', sync, ...args], {
    cwd: dir,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const errors = text(child.stderr);
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  /** Waits for something that the plan does; a plan that ends first fails the test with what it said. */
  const does = (what: string, ask: () => Promise<boolean> | boolean) =>
    Promise.race([
      until(what, ask),
      closed.then(async ([code]) => {
        throw new Error(`the plan ended with ${code}: ${await errors}`);
      }),
    ]);
  return { child, errors, closed, does };
}

/** Files of temporary tables in the ledger. */
async function leftovers(): Promise<string[]> {
  const files = await readdir(join(dir, '.sluice/ledger/base'), { recursive: true });
  return files.filter((file) => /[/\\]t\d+_/.test(file));
}

describe.each(SIGNALS)('%s', (signal) => {
  it.each([
    ['in an endless expression', 'endless'],
    ['in an expression that does not end', 'stuck'],
    ['while the source does not answer', 'silent'],
  ])('ends a plan %s, with exit code 130', async (_where, sync) => {
    const before = requests;
    const { child, closed, errors, does } = plan(sync);
    await does('the source was asked', () => requests > before);
    const began = performance.now();
    child.kill(signal);
    expect(await closed).toEqual([130, null]);
    expect(performance.now() - began).toBeLessThan(IN_TIME_MS);
    expect(await errors).not.toMatch(/Error|at .*\.js:/);
    expect(await leftovers()).toEqual([]);
  });

  it('ends a plan that reads a file and writes to the ledger, and removes its temporary tables', async () => {
    const { child, closed, does } = plan('stuck-file');
    await does('the plan has temporary tables', async () => (await leftovers()).length > 0);
    child.kill(signal);
    expect(await closed).toEqual([130, null]);
    expect(await leftovers()).toEqual([]);
  });
});

it('removes what a plan that was killed has left, and plans with no token', async () => {
  const { child, closed, does } = plan('stuck-file');
  await does('the plan has temporary tables', async () => (await leftovers()).length > 0);
  child.kill('SIGKILL');
  expect(await closed).toEqual([null, 'SIGKILL']);
  expect(await leftovers()).not.toEqual([]);
  const next = plan('many', '--json');
  const out = await text(next.child.stdout);
  expect(await next.closed, await next.errors).toEqual([0, null]);
  expect(JSON.parse(out)).toMatchObject({ read: 20_000, create: 20_000, pace: { callsPerMinute: 120 } });
  expect(await leftovers()).toEqual([]);
});

it('is no error when the reader of its output has gone', async () => {
  const { child, closed, errors } = plan('plain');
  child.stdout.destroy();
  expect(await closed).toEqual([0, null]);
  expect(await errors).not.toMatch(/EPIPE|at .*\.js:/);
});

it.skipIf(!existsSync('/dev/full'))('says in one line that the disk of its output is full', async () => {
  const full = openSync('/dev/full', 'w');
  const main = join(built, 'src/cli/main.js');
  const child = spawn(process.execPath, [main, '--version'], { stdio: ['ignore', full, 'pipe'] });
  children.push(child);
  const errors = text(child.stderr as Readable);
  expect(await once(child, 'close')).toEqual([1, null]);
  closeSync(full);
  expect(await errors).toBe("sluice: stdout can't be written (ENOSPC)\n");
});
