// What a web page, and a program that reads the environment, get out of the embedded Temporal server: nothing.

import { mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cacheDirOf } from '../../../src/temporal/cache-dir.ts';
import { closingCalls } from '../../../src/temporal/closing-calls.ts';
import { startTemporal, type TemporalServer } from '../../../src/temporal/temporal-server.ts';

const SECRETS = {
  ACME_TOKEN: 'svc_live_stolen',
  DATABASE_URL: 'postgres://u:p@db/x',
  SITE_SECRET: 'whsec_stolen',
  TEMPORAL_API_KEY: 'key-of-a-cluster',
  npm_config__authToken: 'token-of-npm',
};
const EVIL = 'evil.example';
const START = JSON.stringify({ workflowType: { name: 'any' }, taskQueue: { name: 'nobody' } });

let stateDir: string;
let server: TemporalServer;
let withUi: TemporalServer;

beforeAll(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'sluice-attack-'));
  server = await start('plain', false);
  withUi = await start('ui', true);
});
afterAll(async () => {
  await Promise.all([server?.stop(), withUi?.stop()]);
  await rm(stateDir, { recursive: true, force: true });
});

async function start(name: string, ui: boolean): Promise<TemporalServer> {
  const folder = await mkdtemp(join(stateDir, name));
  const env = { ...process.env, ...SECRETS, TEMPORAL_ADDRESS: undefined };
  return await startTemporal({
    stateDir: folder,
    env,
    cacheDir: cacheDirOf(process.env),
    say: () => undefined,
    ui,
    stopGraceMs: 50,
  });
}

interface Listener {
  readonly host: string;
  readonly port: number;
}

/** Every TCP port that the process listens on, as the kernel has it. */
async function listeners(pid: number): Promise<Listener[]> {
  const fds = await readdir(`/proc/${pid}/fd`);
  const links = await Promise.all(fds.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')));
  const inodes = new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
  const found: Listener[] = [];
  for (const table of ['tcp', 'tcp6'])
    for (const line of (await readFile(`/proc/${pid}/net/${table}`, 'utf8')).split('\n')) {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      if (state !== '0A' || !inodes.has(inode)) continue;
      const [address = '', port = ''] = local.split(':');
      const bytes = address.match(/../g)?.map((byte) => Number.parseInt(byte, 16)) ?? [];
      found.push({ host: bytes.toReversed().join('.'), port: Number.parseInt(port, 16) });
    }
  return found;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** As a browser sends it, but with any `Host`; null: no HTTP/1.1 is spoken there. */
async function ask(
  { host, port }: Listener,
  method: string,
  path: string,
  headers: Record<string, string>,
): Promise<Answer | null> {
  return await new Promise((resolve) => {
    const request = httpRequest({ host, port, method, path, headers, timeout: 3_000 }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', () => resolve(null));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(null));
    request.end(method === 'POST' ? START : undefined);
  });
}

const workflowsOf = async ({ address }: TemporalServer): Promise<string[]> => {
  const connection = await Connection.connect({ address, interceptors: closingCalls() });
  try {
    const { executions } = await connection.workflowService.listWorkflowExecutions({ namespace: 'default' });
    return executions.map(({ execution }) => String(execution?.workflowId));
  } finally {
    await connection.close();
  }
};

describe('a web page that finds the ports of the embedded Temporal server', () => {
  const WORKFLOWS = '/api/v1/namespaces/default/workflows';
  const PATHS = [
    [WORKFLOWS, 'GET'],
    [`${WORKFLOWS}/stolen`, 'POST'],
    [`${WORKFLOWS}/any/signal/approve`, 'POST'],
    [`${WORKFLOWS}/any/update/approve`, 'POST'],
    ['/namespaces/default/workflows/stolen', 'POST'],
    ['/api/v1/namespaces', 'GET'],
    ['/api/v1/cluster-info', 'GET'],
    ['/cluster', 'GET'],
    ['/api/v1/nexus/endpoints', 'POST'],
  ] as const;
  const HOSTS = ['own', 'localhost', EVIL, 'none.invalid', '', 'no', '[::1]', '0.0.0.0'];
  const TYPES = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/json',
  ];

  it('listens on the loopback address only', async () => {
    const found = await listeners(server.pid as number);
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter(({ host }) => host !== '127.0.0.1')).toEqual([]);
  });

  it.each(PATHS)('%s %s reads and starts nothing, on any port, under any Host', async (path, method) => {
    const spoken: unknown[] = [];
    for (const listener of await listeners(server.pid as number))
      for (const host of HOSTS)
        for (const type of method === 'POST' ? TYPES : TYPES.slice(0, 1)) {
          const at = host === 'own' ? `127.0.0.1:${listener.port}` : host;
          const headers = { Host: at, Origin: `http://${EVIL}`, 'Content-Type': type };
          const answer = await ask(listener, method, path, headers);
          if (answer !== null && answer.status < 400) spoken.push([listener.port, at, type, answer.body]);
          expect(answer?.headers['access-control-allow-origin']).toBeUndefined();
        }
    expect(spoken).toEqual([]);
    expect(await workflowsOf(server)).toEqual([]);
  });

  it('still serves gRPC', async () => {
    const connection = await Connection.connect({ address: server.address, interceptors: closingCalls() });
    const client = new Client({ connection });
    await client.workflow.start('any', { workflowId: 'ours', taskQueue: 'nobody' });
    await client.workflow.getHandle('ours').terminate();
    await connection.close();
  });
});

describe('the web UI', () => {
  it('is not there unless it is asked for', async () => {
    expect(server.uiUrl).toBeNull();
    for (const listener of await listeners(server.pid as number)) {
      const page = await ask(listener, 'GET', '/', {});
      expect(page?.body ?? '').not.toContain('<html');
    }
  });

  it.runIf(process.platform === 'linux')(
    'listens where no page can guess: neither on 127.0.0.1 nor on a usual port',
    async () => {
      const { hostname, port } = new URL(withUi.uiUrl as string);
      expect(hostname).toMatch(/^127\./);
      expect(hostname).not.toBe('127.0.0.1');
      expect(port).not.toBe('8233');
      expect((await fetch(withUi.uiUrl as string)).status).toBe(200);
      const elsewhere = { host: '127.0.0.1', port: Number(port) };
      expect(await ask(elsewhere, 'GET', '/', {})).toBeNull();
    },
  );

  it('refuses a cross-origin post: it wants a token from a cookie that such a page does not get', async () => {
    const { hostname, port } = new URL(withUi.uiUrl as string);
    const answer = await ask(
      { host: hostname, port: Number(port) },
      'POST',
      '/api/v1/namespaces/default/workflows/stolen',
      {
        Origin: `http://${EVIL}`,
        'Content-Type': 'text/plain',
      },
    );
    expect(answer).toMatchObject({ status: 400, body: expect.stringContaining('csrf') });
    expect(await workflowsOf(withUi)).toEqual([]);
  });
});

describe('the environment of the Temporal process', () => {
  it('holds no secret and no name of a secret', async () => {
    const environment = (await readFile(`/proc/${server.pid}/environ`, 'utf8')).split('\0');
    const names = environment.filter((entry) => entry !== '').map((entry) => entry.split('=')[0]);
    expect(names).toContain('PATH');
    for (const [name, value] of Object.entries(SECRETS)) {
      expect(names).not.toContain(name);
      expect(environment.join()).not.toContain(value);
    }
  });
});
