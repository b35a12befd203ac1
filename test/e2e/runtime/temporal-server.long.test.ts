import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { isSameProcess, processStart } from '../../../src/core/lock/process-identity.ts';
import { listensOn } from '../../../src/core/net/ports.ts';
import { cacheDirOf } from '../../../src/temporal/cache-dir.ts';
import { closingCalls } from '../../../src/temporal/closing-calls.ts';
import { launchServer } from '../../../src/temporal/temporal-process.ts';
import {
  type StartTemporalOptions,
  startTemporal,
  type TemporalServer,
} from '../../../src/temporal/temporal-server.ts';
import { buildOnce } from '../../support/runner/build.ts';
import { type Child, runModule } from '../../support/runner/child.ts';
import type {} from '../../support/runner/global-setup.ts';

let dist: string;
let stateDir: string;
let said: string[];
const servers: TemporalServer[] = [];
const children: Child[] = [];
const pids: { pid: number; start: string | null }[] = [];
const env = { ...process.env, TEMPORAL_ADDRESS: undefined };
const cacheDir = cacheDirOf(process.env);

beforeAll(async () => {
  dist = await buildOnce();
});
beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'sluice-server-'));
  said = [];
});
afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => child.kill()));
  await Promise.all(servers.splice(0).map((server) => server.stop()));
  for (const { pid, start } of pids.splice(0)) if (isSameProcess(pid, start)) process.kill(pid, 'SIGKILL');
  await rm(stateDir, { recursive: true, force: true });
});

async function start(options: Partial<StartTemporalOptions> = {}): Promise<TemporalServer> {
  const say = (line: string) => said.push(line);
  const server = await startTemporal({
    stateDir,
    env,
    cacheDir,
    say,
    // A regular stop takes 1.2 s; what is not about stopping need not wait for it.
    stopGraceMs: 50,
    ...options,
  });
  servers.push(server);
  return server;
}

/** A process that starts a server and then stays, to be killed; answers the server's pid and address. */
async function parent(): Promise<{ child: Child; pid: number; address: string }> {
  const child = runModule(
    `import { startTemporal } from ${JSON.stringify(join(dist, 'src/temporal/temporal-server.js'))};
     const { TEMPORAL_ADDRESS, ...env } = process.env;
     const server = await startTemporal({
       stateDir: ${JSON.stringify(stateDir)}, cacheDir: ${JSON.stringify(cacheDir)}, env, say: console.error,
     });
     console.log(JSON.stringify({ pid: server.pid, address: server.address }));
     setInterval(() => {}, 60_000);`,
  );
  children.push(child);
  const { pid, address } = JSON.parse(await child.line());
  pids.push({ pid, start: processStart(pid) });
  return { child, pid, address };
}

async function withClient<T>(address: string, use: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address, interceptors: closingCalls() });
  try {
    return await use(new Client({ connection }));
  } finally {
    await connection.close();
  }
}

const startWorkflow = (address: string) =>
  withClient(address, (client) => client.workflow.start('any', { workflowId: 'w1', taskQueue: 'nobody' }));
const statusOf = (address: string) =>
  withClient(address, async (client) => (await client.workflow.getHandle('w1').describe()).status.name);
const exists = (name: string) =>
  access(join(stateDir, name)).then(
    () => true,
    () => false,
  );

describe('a server of our own', () => {
  it('keeps its workflows over a restart, and leaves no process and no record after stop', async () => {
    const first = await start({
      stopGraceMs: 10_000,
      searchAttributes: { SluiceAccount: 'Keyword', SluiceLane: 'Int' },
    });
    expect(first).toMatchObject({ owned: true, namespace: 'default', uiUrl: null });
    await startWorkflow(first.address);
    await first.stop();
    expect(await first.exited).toMatchObject({ expected: true, reason: expect.stringContaining('code 0') });
    expect(processStart(first.pid as number)).toBeNull();
    expect(await exists('temporal.json')).toBe(false);

    const second = await start({ searchAttributes: { SluiceAccount: 'Keyword', SluiceNew: 'Keyword' } });
    expect(await statusOf(second.address)).toBe('RUNNING');
    await withClient(second.address, (client) =>
      client.workflow.start('any', {
        workflowId: 'w2',
        taskQueue: 'nobody',
        searchAttributes: { SluiceAccount: ['acme'], SluiceLane: [2], SluiceNew: ['x'] },
      }),
    );
  });

  it('serves tasks fairly, by priority, from one partition', async () => {
    const server = await start();
    const command = (await readFile(`/proc/${server.pid}/cmdline`, 'utf8')).split('\0');
    expect(command).toEqual(
      expect.arrayContaining([
        'matching.enableFairness=true',
        'matching.useNewMatcher=true',
        'matching.numTaskqueueReadPartitions=1',
        'matching.numTaskqueueWritePartitions=1',
        'journal_mode=wal',
        'synchronous=normal',
      ]),
    );
  });

  it('is out of reach of a Ctrl-C in the terminal: it leads its own process group', async () => {
    const { child, pid } = await parent();
    const groups = execFileSync('ps', ['-o', 'pgid=', '-p', `${pid},${child.pid}`], { encoding: 'utf8' });
    const [one, two] = groups.trim().split(/\s+/);
    expect(one).not.toBe(two);
    expect(groups).toContain(String(pid));
  });

  it('reports when and how it ends on its own', async () => {
    const server = await start();
    process.kill(server.pid as number, 'SIGKILL');
    const exit = await server.exited;
    expect(exit.expected).toBe(false);
    expect(exit.reason).toContain('SIGKILL');
    expect(exit.reason).toContain(join(stateDir, 'temporal.log'));
  });

  it('two that start at once in two folders get ports of their own', async () => {
    const other = join(stateDir, 'other');
    await mkdir(other);
    const [one, two] = await Promise.all([start(), start({ stateDir: other })]);
    for (const server of [one, two]) {
      expect(listensOn(server.pid as number, Number(server.address.split(':')[1]))).toBe(true);
    }
    expect(one.address).not.toBe(two.address);
  });

  it('begins a new log when the old one is large, and keeps the old one', async () => {
    await writeFile(join(stateDir, 'temporal.log'), Buffer.alloc(6 * 1024 * 1024, 'x'));
    await start();
    expect((await stat(join(stateDir, 'temporal.log'))).size).toBeLessThan(1024 * 1024);
    expect((await stat(join(stateDir, 'temporal.log.1'))).size).toBe(6 * 1024 * 1024);
  });
});

describe('what a killed run left behind', () => {
  it('a healthy server is taken over with its workflows, watched, and ended by stop', async () => {
    const { child, pid, address } = await parent();
    await startWorkflow(address);
    await child.kill('SIGKILL');
    expect(processStart(pid)).not.toBeNull();

    const server = await start();
    expect(server).toMatchObject({ pid, address, owned: true });
    expect(said.join()).toContain(`process ${pid}`);
    expect(await statusOf(server.address)).toBe('RUNNING');
    await server.stop();
    expect(processStart(pid)).toBeNull();
    expect(await server.exited).toMatchObject({ expected: true });
  });

  it('reports when a server that was taken over ends on its own', async () => {
    const { child, pid } = await parent();
    await child.kill('SIGKILL');
    const server = await start();
    process.kill(pid, 'SIGKILL');
    expect(await server.exited).toMatchObject({ expected: false });
  });

  it('a server that no longer answers is ended, and its workflows go on in a new one', async () => {
    const { child, pid, address } = await parent();
    await startWorkflow(address);
    await child.kill('SIGKILL');
    process.kill(pid, 'SIGSTOP');
    const server = await start({ checkMs: 300, stopGraceMs: 300 });
    expect(server.pid).not.toBe(pid);
    expect(processStart(pid)).toBeNull();
    expect(said.join()).toContain(`process ${pid}`);
    expect(await statusOf(server.address)).toBe('RUNNING');
  });

  it('a server of another namespace is ended, not taken over', async () => {
    const { child, pid } = await parent();
    await child.kill('SIGKILL');
    const server = await start({ namespace: 'other' });
    expect(server).toMatchObject({ namespace: 'other' });
    expect(processStart(pid)).toBeNull();
  });

  it('a record whose pid now belongs to another process harms nobody', async () => {
    const bystander = spawn('sleep', ['60']);
    const pid = bystander.pid as number;
    const first = await start();
    const record = JSON.parse(await readFile(join(stateDir, 'temporal.json'), 'utf8'));
    await first.stop();
    const mark = processStart(pid) as string;
    await writeFile(join(stateDir, 'temporal.json'), JSON.stringify({ ...record, pid, start: `${mark}0` }));
    const server = await start();
    expect(server.pid).not.toBe(pid);
    expect(isSameProcess(pid, mark)).toBe(true);
    bystander.kill('SIGKILL');
    await once(bystander, 'close');
  });
});

describe('TEMPORAL_ADDRESS', () => {
  it('is used as it is: nothing is started, and stop leaves it alone', async () => {
    const address = inject('temporalAddress');
    const server = await start({ env: { ...env, TEMPORAL_ADDRESS: address } });
    expect(server).toMatchObject({ address, owned: false, pid: null, origin: 'TEMPORAL_ADDRESS' });
    await server.stop();
    expect(
      await withClient(address, async (client) => (await client.workflow.count()).count),
    ).toBeGreaterThanOrEqual(0);
    expect(await exists('temporal.db')).toBe(false);
  });

  it('that nobody answers is refused, naming the address and the fix', async () => {
    const failure = start({ env: { ...env, TEMPORAL_ADDRESS: '127.0.0.1:1' }, checkMs: 300 });
    await expect(failure).rejects.toMatchObject({ name: 'TemporalUnavailableError', address: '127.0.0.1:1' });
    await expect(failure).rejects.toThrow(/127\.0\.0\.1:1.*remove it/s);
  });

  it('with a namespace that does not exist there is refused, naming it', async () => {
    const failure = start({
      env: { ...env, TEMPORAL_ADDRESS: inject('temporalAddress') },
      namespace: 'no-such-namespace',
    });
    await expect(failure).rejects.toThrow('no-such-namespace');
  });
});

describe('a start that fails', () => {
  async function fakeCli(script: string): Promise<string> {
    const path = join(stateDir, 'fake');
    await writeFile(path, `#!/bin/sh\n${script}\n`);
    await chmod(path, 0o755);
    return path;
  }

  it('says how the program ended and what it printed, and leaves no record', async () => {
    const path = await fakeCli('echo "no such pragma"; exit 3');
    const failure = start({ env: { ...env, TEMPORAL_CLI_PATH: path } });
    await expect(failure).rejects.toMatchObject({ name: 'TemporalStartError' });
    await expect(failure).rejects.toThrow(/code 3.*temporal\.log.*no such pragma/s);
    expect(await exists('temporal.json')).toBe(false);
  });

  it('is refused when TEMPORAL_CLI_PATH is not a program, instead of looking elsewhere', async () => {
    const failure = start({ env: { ...env, TEMPORAL_CLI_PATH: join(stateDir, 'nothing') } });
    await expect(failure).rejects.toThrow(/TEMPORAL_CLI_PATH=.*nothing/);
  });

  it('leaves no process behind when it is given up half way', async () => {
    const path = await fakeCli('exec sleep 60');
    const abort = new AbortController();
    const failure = start({ env: { ...env, TEMPORAL_CLI_PATH: path }, signal: abort.signal }).catch(
      (error) => error,
    );
    const record = await vi.waitFor(async () =>
      JSON.parse(await readFile(join(stateDir, 'temporal.json'), 'utf8')),
    );
    abort.abort(new Error('given up'));
    expect((await failure).message).toBe('given up');
    expect(processStart(record.pid)).toBeNull();
    expect(await exists('temporal.json')).toBe(false);
  });

  it('does not mistake a server that took its port for its own', async () => {
    const port = Number(inject('temporalAddress').split(':')[1]);
    // It passes its own check the port, loses the race for it, and dies a second later.
    const binary = await fakeCli('sleep 1; echo "panic: listen tcp: bind: address already in use"; exit 2');
    const other = { stateDir, binary, env, namespace: 'default', port, ui: null, searchAttributes: {} };
    await expect(launchServer(other)).rejects.toMatchObject({ name: 'TemporalStartError', portTaken: true });
    expect(await exists('temporal.json')).toBe(false);
  });

  it('names the port when the wanted one is taken', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const { port } = blocker.address() as { port: number };
    await expect(start({ port })).rejects.toThrow(`port ${port} is taken`);
    blocker.close();
  });
});
