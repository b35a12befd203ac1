import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { certificateFiles } from '../../../src/app/certificate-files.ts';
import type { ResolvedConfig } from '../../../src/config/resolved-config.ts';
import { createMetrics } from '../../../src/observe/metrics/index.ts';

const ENDS = '2046-11-23T17:05:30Z';
const PEM = `-----BEGIN CERTIFICATE-----
MIIBcjCCARmgAwIBAgIUc6nelN/6944u4akDJ6r/0rS07wUwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEdGVzdDAeFw0yNjExMjgxNzA1MzBaFw00NjExMjMxNzA1MzBa
MA8xDTALBgNVBAMMBHRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATadJ03
yHQ71U0/ZpvGmGOWpYos2Dd6ey+MJJlpPBZ1zhgI6+RRYXs10bkgGDgTK2DMwFKr
BoqAqpC2m2ARZgqMo1MwUTAdBgNVHQ4EFgQUuldExFkolce04T9WbMEyjYXz6bAw
HwYDVR0jBBgwFoAUuldExFkolce04T9WbMEyjYXz6bAwDwYDVR0TAQH/BAUwAwEB
/zAKBggqhkjOPQQDAgNHADBEAiAMYYEeEqTMUepr0HoVah+uP5zSWEu6eLd79isN
PbBwvwIgA7kTfbACDn4z/CYeqrMN7kQpKeR/MWIB8k4JdnGhLic=
-----END CERTIFICATE-----
`;

it('shows when each certificate of the configuration ends, also after it was renewed, and none that cannot be read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-ends-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = (name: string) => join(folder, name);
  for (const name of ['ca.pem', 'client.pem']) await writeFile(path(name), PEM);
  await writeFile(path('broken.pem'), 'no certificate');
  const config = {
    temporal: { tls: { cert: path('client.pem'), key: path('client.key') } },
    operator: { http: { tls: { cert: path('broken.pem'), key: path('client.key') } } },
    ingress: { kafka: { bus: { tls: { ca: path('ca.pem') } }, plain: { tls: true } } },
    sinks: {
      out: { type: 'kafka', tls: { cert: path('gone.pem') } },
      hook: { type: 'http' },
    },
  } as unknown as ResolvedConfig;
  const { registry, certificates } = createMetrics('worker', '');
  const page = async () =>
    (await registry.metrics()).split('\n').filter((line) => line.startsWith('sluice_certificate_'));
  expect(await page()).toEqual([]);
  // Keys of the configuration come before variables.
  const env = {
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: path('ca.pem'),
    TEMPORAL_TLS_CLIENT_CERT_PATH: path('gone.pem'),
  };
  certificates.watch(() => certificateFiles(config, env));
  const line = (connection: string, part: string) =>
    `sluice_certificate_expiry_timestamp_seconds{connection="${connection}",part="${part}"} ${Date.parse(ENDS) / 1000}`;
  const shown = [
    line('temporal', 'authority'),
    line('temporal', 'certificate'),
    line('ingress.kafka.bus', 'authority'),
  ];
  expect((await page()).sort()).toEqual([...shown].sort());
  await writeFile(path('gone.pem'), PEM);
  expect((await page()).sort()).toEqual([...shown, line('sinks.out', 'certificate')].sort());
});
