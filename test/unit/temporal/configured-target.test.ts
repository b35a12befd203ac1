import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { configuredTarget } from '../../../src/temporal/configured-target.ts';
import { pemOf } from '../../../src/temporal/temporal-access.ts';
import { makeCertificates } from '../../support/tools/certificates.ts';

const CLOUD = 'acme.tmprl.cloud:7233';
/** What another team's variables would say. */
const OTHER = {
  TEMPORAL_ADDRESS: 'other.example.com:7233',
  TEMPORAL_NAMESPACE: 'other',
  TEMPORAL_API_KEY: 'key-of-others',
  TEMPORAL_TLS_SERVER_CA_CERT_DATA: 'CA OF OTHERS',
  TEMPORAL_TLS_CLIENT_CERT_DATA: 'CERT OF OTHERS',
  TEMPORAL_TLS_CLIENT_KEY_DATA: 'KEY OF OTHERS',
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-configured-'));
  await makeCertificates(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function targetOf(temporal: string, env: Record<string, string>) {
  const file = join(folder, 'sluice.yaml');
  await writeFile(
    file,
    `version: 1\naccounts: { acme: { baseUrl: "http://127.0.0.1:9/wapi", tokens: [env:T], timeZone: UTC } }\ntemporal: ${temporal}\n`,
  );
  const loaded = await loadConfig(file, { env: { ...env, T: 'svc_test_a' } });
  return await configuredTarget(env, loaded);
}

describe('keys of sluice.yaml', () => {
  it.each<{ name: string; yaml: string; env: Record<string, string>; expected: object | null }>([
    { name: 'none name no server', yaml: '{}', env: {}, expected: null },
    { name: 'a namespace alone names no server', yaml: '{ namespace: sluice }', env: {}, expected: null },
    {
      name: 'the address alone',
      yaml: '{ address: "127.0.0.1:7233" }',
      env: {},
      expected: {
        address: '127.0.0.1:7233',
        namespace: 'default',
        origin: 'temporal.address',
        access: { tls: false },
      },
    },
    {
      name: 'each comes before its variable',
      yaml: `{ address: "${CLOUD}", namespace: prod, apiKey: env:KEY, tls: true }`,
      env: {
        ...OTHER,
        KEY: 'key-of-acme',
        TEMPORAL_TLS_CLIENT_CERT_DATA: '',
        TEMPORAL_TLS_CLIENT_KEY_DATA: '',
      },
      expected: { address: CLOUD, namespace: 'prod', access: { apiKey: 'key-of-acme' } },
    },
    {
      name: 'variables say what the keys leave open',
      yaml: '{ namespace: prod }',
      env: OTHER,
      expected: {
        address: OTHER.TEMPORAL_ADDRESS,
        namespace: 'prod',
        origin: 'TEMPORAL_ADDRESS',
        access: { apiKey: 'key-of-others' },
      },
    },
  ])('$name', async ({ yaml, env, expected }) => {
    const target = await targetOf(yaml, env);
    if (expected === null) expect(target).toBeNull();
    else expect(target).toMatchObject(expected);
  });

  it('files stand relative to sluice.yaml, and replace contents of variables', async () => {
    const target = await targetOf(
      `{ address: "${CLOUD}", tls: { ca: authority.pem, cert: client.pem, key: client.key, serverName: frontend } }`,
      OTHER,
    );
    const { access } = target as NonNullable<typeof target>;
    const pem = pemOf(access);
    const names = ['authority.pem', 'client.pem', 'client.key'];
    const contents = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    expect([pem.ca, pem.cert, pem.key].map(String)).toEqual(contents);
    expect(access.tls).toMatchObject({ serverNameOverride: 'frontend' });
  });

  it.each([
    ['an address with a scheme', '{ address: "https://acme.example.com" }', {}, /host:port/],
    ['a certificate without its key', '{ tls: { cert: client.pem } }', {}, /both cert and key/],
    [
      'another machine without TLS',
      `{ address: "${CLOUD}" }`,
      {},
      /temporal\.address is acme.*`temporal.tls: true`/,
    ],
    [
      'an API key without TLS',
      `{ address: "${CLOUD}", apiKey: env:KEY, tls: false }`,
      { KEY: 'k' },
      /anybody on the network could read the API key/,
    ],
    [
      'a file that is not there',
      `{ address: "${CLOUD}", tls: { ca: gone.pem } }`,
      {},
      /gone\.pem does not exist; .*temporal\.tls/,
    ],
    ['an API key that is not set', `{ address: "${CLOUD}", apiKey: env:KEY }`, {}, /KEY/],
  ])('are refused with %s', async (_, yaml, env, message) => {
    await expect(targetOf(yaml, env as Record<string, string>)).rejects.toThrow(message);
  });
});
