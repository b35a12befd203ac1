// The real server behind TLS that asks for client certificates, and an API key on its way. The dev server has no TLS of
// its own, so a proxy terminates it.
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createSecureServer } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { createServer, type TLSSocket } from 'node:tls';
import { Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { checkTemporal, TemporalUnavailableError } from '../../../src/temporal/temporal-health.ts';
import { temporalTargetOf } from '../../../src/temporal/temporal-target.ts';
import { type Certificates, makeCertificates } from '../../support/certificates.ts';
// Brings the type of what the setup provides.
import type {} from '../../support/runner/global-setup.ts';

const API_KEY = 'key-of-a-cluster';

let folder: string;
let certificates: Certificates;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-tls-'));
  certificates = await makeCertificates(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A proxy that only clients with a certificate of the authority pass. */
async function openProxy() {
  const [host, port] = inject('temporalAddress').split(':') as [string, string];
  const { authority, server } = certificates;
  const [ca, cert, key] = await Promise.all(
    [authority.cert, server.cert, server.key].map((path) => readFile(path)),
  );
  const open = new Set<TLSSocket>();
  const proxy = createServer(
    { ca, cert, key, requestCert: true, rejectUnauthorized: true, ALPNProtocols: ['h2'] },
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
    async close() {
      for (const socket of open) socket.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}

const settings = (address: string) => ({
  TEMPORAL_ADDRESS: address,
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: certificates.authority.cert,
  TEMPORAL_TLS_SERVER_NAME: 'temporal.test',
  TEMPORAL_TLS_CLIENT_CERT_PATH: certificates.client.cert,
  TEMPORAL_TLS_CLIENT_KEY_PATH: certificates.client.key,
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
    ['without TLS', ['TEMPORAL_TLS_SERVER_CA_CERT_PATH', 'TEMPORAL_TLS_SERVER_NAME', 'CLIENT']],
    ['without the client certificate', ['CLIENT']],
    ['without its authority', ['TEMPORAL_TLS_SERVER_CA_CERT_PATH']],
    ['under another name', ['TEMPORAL_TLS_SERVER_NAME']],
  ])('is not used %s', async (_, without) => {
    const proxy = await openProxy();
    try {
      const env = Object.fromEntries(
        Object.entries(settings(proxy.address)).filter(
          ([name]) => !without.some((part) => name.includes(part)),
        ),
      );
      await expect(check(env)).rejects.toThrow(TemporalUnavailableError);
    } finally {
      await proxy.close();
    }
  });
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
