// The real server behind TLS that asks for client certificates, and an API key on its way. The dev server has no TLS of
// its own, so a proxy terminates it.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createSecureServer } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { createServer, type TLSSocket } from 'node:tls';
import { Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { createShutdown, type ShutdownHost } from '../../../src/core/shutdown.ts';
import { followAccess } from '../../../src/temporal/followed-access.ts';
import { openClient, openLazyClient } from '../../../src/temporal/temporal-client.ts';
import { checkTemporal, TemporalUnavailableError } from '../../../src/temporal/temporal-health.ts';
import { temporalTargetOf } from '../../../src/temporal/temporal-target.ts';
import { openWorkerConnection } from '../../../workers/worker-connection.ts';
// Brings the type of what the setup provides.
import type {} from '../../support/runner/global-setup.ts';
import {
  type Certificate,
  type Certificates,
  makeCertificates,
  makeExpired,
} from '../../support/tools/certificates.ts';

const API_KEY = 'key-of-a-cluster';
/** Of the workflow that runs while certificates are renewed: one each 100 ms. */
const STEPS = 40;
const NO_SIGNALS: ShutdownHost = { on() {}, off() {}, exit() {}, endNow() {} };

let folder: string;
let certificates: Certificates;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-tls-'));
  certificates = await makeCertificates(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What a server of this authority has, to ask clients for certificates of the same. */
async function pemsOf({ authority, server }: Certificates) {
  const [ca, cert, key] = await Promise.all(
    [authority.cert, server.cert, server.key].map((path) => readFile(path)),
  );
  return { ca, cert, key };
}

/** A proxy that only clients with a certificate of the authority pass. */
async function openProxy(of: Certificates = certificates) {
  const [host, port] = inject('temporalAddress').split(':') as [string, string];
  const open = new Set<TLSSocket>();
  const proxy = createServer(
    { ...(await pemsOf(of)), requestCert: true, rejectUnauthorized: true, ALPNProtocols: ['h2'] },
    (client) => {
      open.add(client);
      const upstream = connect(Number(port), host);
      // Either side may end first, and the clients of these tests do.
      pipeline(client, upstream, () => upstream.destroy());
      pipeline(upstream, client, () => open.delete(client));
    },
  );
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    address: `127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    /** From now on only certificates of this authority pass, as after the old one has expired. */
    async renew(next: Certificates) {
      proxy.setSecureContext(await pemsOf(next));
      for (const socket of open) socket.destroy();
    },
    drop() {
      for (const socket of open) socket.destroy();
    },
    async close() {
      for (const socket of open) socket.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}

const settings = (address: string, { authority, client } = certificates) => ({
  TEMPORAL_ADDRESS: address,
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: authority.cert,
  TEMPORAL_TLS_SERVER_NAME: 'temporal.test',
  TEMPORAL_TLS_CLIENT_CERT_PATH: client.cert,
  TEMPORAL_TLS_CLIENT_KEY_PATH: client.key,
});

async function check(env: Record<string, string>): Promise<void> {
  const target = temporalTargetOf(env);
  if (target === null) throw new Error('the environment names no server');
  const { address, namespace, access } = target;
  await checkTemporal(address, namespace, { timeoutMs: 5_000, access });
}

describe('a server that asks for a client certificate', () => {
  it('is reached by clients and workers with the settings of the environment', async () => {
    const proxy = await openProxy();
    try {
      await check(settings(proxy.address));
      const access = temporalTargetOf(settings(proxy.address))?.access;
      const native = await NativeConnection.connect({ ...access, address: proxy.address });
      await native.close();
    } finally {
      await proxy.close();
    }
  });

  it.each([
    [
      'without TLS',
      ['TEMPORAL_TLS_SERVER_CA_CERT_PATH', 'TEMPORAL_TLS_SERVER_NAME', 'CLIENT'],
      /can't be used/,
    ],
    [
      'without the client certificate',
      ['CLIENT'],
      /asks for a client certificate: .*TEMPORAL_TLS_CLIENT_CERT_PATH/,
    ],
    [
      'without its authority',
      ['TEMPORAL_TLS_SERVER_CA_CERT_PATH'],
      /not trusted: .*TEMPORAL_TLS_SERVER_CA_CERT_PATH/,
    ],
    ['under another name', ['TEMPORAL_TLS_SERVER_NAME'], /for another name: set .*TEMPORAL_TLS_SERVER_NAME/],
  ])('is not used %s', async (_, without, reason) => {
    const proxy = await openProxy();
    try {
      const env = Object.fromEntries(
        Object.entries(settings(proxy.address)).filter(
          ([name]) => !without.some((part) => name.includes(part)),
        ),
      );
      const error = await check(env).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(error).toBeInstanceOf(TemporalUnavailableError);
      expect((error as Error).message).toMatch(reason);
    } finally {
      await proxy.close();
    }
  });
});

it.each([
  [
    'of the client',
    (expired: Certificate) => ({ ...certificates, client: expired }),
    /client certificate has expired/,
  ],
  [
    'of the server',
    (expired: Certificate) => ({ ...certificates, server: expired }),
    /certificate of the server has expired/,
  ],
])('an expired certificate %s is refused', async (_, having, reason) => {
  const expired = await makeExpired(folder, certificates.authority, 'DNS:temporal.test');
  const set = having(expired);
  const proxy = await openProxy(set);
  try {
    await expect(check(settings(proxy.address, set))).rejects.toThrow(reason);
  } finally {
    await proxy.close();
  }
});

it('certificates, keys and the authority are renewed under a worker and its client: no work is lost or repeated', async () => {
  const [held, next] = await Promise.all(
    ['held', 'next'].map(async (name) => {
      await mkdir(join(folder, name));
      return await makeCertificates(join(folder, name));
    }),
  );
  if (held === undefined || next === undefined) throw new Error('no certificates');
  const proxy = await openProxy(held);
  const shutdown = createShutdown({ graceMs: 10_000, say: () => undefined, host: NO_SIGNALS });
  const lines: string[] = [];
  const note = ({ err }: { err?: Error }, line: string) => void lines.push(`${line} ${err?.message ?? ''}`);
  try {
    const env = settings(proxy.address, held);
    const target = temporalTargetOf(env);
    if (target === null) throw new Error('the environment names no server');
    const access = followAccess(target.access, {
      read: () => temporalTargetOf(env),
      signal: shutdown.signal,
      log: { info: note, error: note },
      everyMs: 50,
    });
    const connection = await openWorkerConnection(proxy.address, access, shutdown);
    const client = await openClient({ ...target, access }, {}, shutdown);
    const done: number[] = [];
    const taskQueue = `renewed-${randomUUID()}`;
    const worker = await Worker.create({
      connection: connection.current,
      taskQueue,
      workflowsPath: new URL('./steps-workflow.ts', import.meta.url).pathname,
      activities: {
        async step(count: number) {
          done.push(count);
        },
      },
    });
    connection.onChange((renewed) => {
      worker.connection = renewed;
    });
    const run = worker.run();
    const work = await client.workflow.start('steps', { taskQueue, workflowId: taskQueue, args: [STEPS] });
    await vi.waitUntil(() => done.length > 2, { timeout: 60_000 });
    // The certificate arrives before its key: not a pair, so the old pair stays in use.
    await copyFile(next.client.cert, held.client.cert);
    await vi.waitUntil(() => lines.some((line) => line.includes('cannot be used')), { timeout: 10_000 });
    expect(lines.join()).toMatch(/private key is not that of the certificate: correct `temporal\.tls\.key`/);
    await copyFile(next.client.key, held.client.key);
    await copyFile(next.authority.cert, held.authority.cert);
    // The service changes its side first, so nobody can connect between the two.
    await proxy.renew(next);
    await work.result();
    expect(done).toEqual(Array.from({ length: STEPS }, (_, count) => count));
    expect(lines.at(-1)).toMatch(/uses the renewed certificate/);
    worker.shutdown();
    await run;
  } finally {
    await shutdown.run('the test ends');
    await proxy.close();
  }
});

it('a renewed pair that the server refuses is not used by a client: the log says so, and the next pair is used', async () => {
  const [held, stranger] = await Promise.all(
    ['held-by-client', 'stranger'].map(async (name) => {
      await mkdir(join(folder, name));
      return await makeCertificates(join(folder, name));
    }),
  );
  if (held === undefined || stranger === undefined) throw new Error('no certificates');
  const proxy = await openProxy(held);
  const shutdown = createShutdown({ graceMs: 10_000, say: () => undefined, host: NO_SIGNALS });
  const lines: string[] = [];
  const note = ({ err }: { err?: Error }, line: string) => void lines.push(`${line} ${err?.message ?? ''}`);
  try {
    const config = {
      config: { temporal: { encryption: { keys: [] } } },
    } as unknown as Parameters<typeof openLazyClient>[1];
    const { connection } = await openLazyClient(settings(proxy.address, held), config, {
      shutdown,
      log: { info: note, error: note },
      everyMs: 50,
    });
    const ask = () => connection.workflowService.getSystemInfo({});
    await ask();
    await copyFile(stranger.client.key, held.client.key);
    await copyFile(stranger.client.cert, held.client.cert);
    await vi.waitUntil(() => lines.some((line) => line.includes("can't be used")), { timeout: 30_000 });
    proxy.drop();
    await connection.withDeadline(Date.now() + 20_000, ask);
    await copyFile(stranger.authority.cert, held.authority.cert);
    await proxy.renew(stranger);
    await vi.waitUntil(() => lines.some((line) => line.includes('uses the renewed')), { timeout: 30_000 });
    await connection.withDeadline(Date.now() + 20_000, ask);
  } finally {
    await shutdown.run('the test ends');
    await proxy.close();
  }
});

describe('an API key', () => {
  it('is sent with every call, over TLS', async () => {
    const { server } = certificates;
    const [cert, key] = await Promise.all([server.cert, server.key].map((path) => readFile(path)));
    const seen = new Set<string | undefined>();
    const fake = createSecureServer({ cert, key });
    fake.on('stream', (stream, headers) => {
      seen.add(headers.authorization);
      // 7: permission denied. The SDK does not repeat such a call.
      stream.respond(
        { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '7' },
        { endStream: true },
      );
    });
    fake.listen(0, '127.0.0.1');
    await once(fake, 'listening');
    const address = `127.0.0.1:${(fake.address() as AddressInfo).port}`;
    const target = temporalTargetOf({
      TEMPORAL_ADDRESS: address,
      TEMPORAL_API_KEY: API_KEY,
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: certificates.authority.cert,
      TEMPORAL_TLS_SERVER_NAME: 'temporal.test',
    });
    const connection = Connection.lazy({ ...target?.access, address });
    try {
      await expect(connection.workflowService.getSystemInfo({})).rejects.toMatchObject({ code: 7 });
      expect([...seen]).toEqual([`Bearer ${API_KEY}`]);
    } finally {
      await connection.close();
      fake.close();
    }
  });
});
