// Certificates and keys, and settings of Temporal without an address.
import { appendFile, chmod, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeSummary } from '../../../../src/config/describe-summary.ts';
import { loadConfig } from '../../../../src/config/load.ts';
import { summarize } from '../../../../src/config/summary.ts';
import { makeCertificates } from '../../../support/tools/certificates.ts';
import { clinics, linesOf } from './clinic.ts';

const { clinic } = clinics();
const NOWHERE = 'temporal.example.com:7233';

async function withKeys(mode: number) {
  const context = await clinic();
  const { client } = await makeCertificates(context.dir);
  for (const name of ['temporal', 'kafka', 'sink', 'console', 'ledger']) {
    await copyFile(client.key, join(context.dir, `${name}.key`));
    await chmod(join(context.dir, `${name}.key`), mode);
  }
  const tls = (name: string) => `tls: { cert: client.pem, key: ${name}.key }`;
  await appendFile(
    context.file,
    `temporal: { ${tls('temporal')} }
operator: { http: { ${tls('console')} } }
ingress: { kafka: { shop: { brokers: ['127.0.0.1:1'], deadLetters: dead, ${tls('kafka')} } } }
sinks: { out: { type: kafka, topic: t, brokers: ['127.0.0.1:1'], ${tls('sink')} } }
`,
  );
  context.env.DATABASE_URL = `postgres://u:p@127.0.0.1:1/x?sslmode=verify-full&sslcert=${client.cert}&sslkey=${join(context.dir, 'ledger.key')}`;
  return context;
}

it('a private key that others can read is named, whichever connection uses it, and what to do', async () => {
  const context = await withKeys(0o644);
  const warnings = linesOf(await context.visit(), 'warning');
  for (const [connection, file, names] of [
    ['temporal', 'temporal.key', '`temporal.tls.key`'],
    ['console', 'console.key', '`operator.http.tls.key`'],
    ['ingress.kafka.shop', 'kafka.key', '`ingress.kafka.shop.tls.key`'],
    ['sinks.out', 'sink.key', '`sinks.out.tls.key`'],
    ['ledger', 'ledger.key', '`sslkey` of DATABASE_URL'],
  ])
    expect(warnings).toContain(
      `${connection}: the private key ${join(context.dir, file ?? '')} of ${names} can be read by every user; run chmod 600 on it`,
    );
});

it('a private key that only its owner can read is not named', async () => {
  const warnings = linesOf(await (await withKeys(0o600)).visit(), 'warning');
  expect(warnings.join('\n')).not.toContain('private key');
});

it('TLS and an API key without an address are named, once each', async () => {
  const context = await clinic({ env: { API_KEY: 'key-of-a-cluster' } });
  await appendFile(context.file, 'temporal: { tls: true, apiKey: env:API_KEY }\n');
  const unused = linesOf(await context.visit(), 'warning').filter((line) => line.startsWith('temporal: '));
  expect(unused).toEqual(
    ['temporal.tls', 'temporal.apiKey'].map(
      (key) =>
        `temporal: ${key} is set, but no address names a server, so nothing uses it; set \`temporal.address\` or TEMPORAL_ADDRESS, or remove ${key}`,
    ),
  );
});

it('config check names files of TLS that are missing or unusable beside what is valid, as it does missing CSV files', async () => {
  const context = await clinic();
  await appendFile(
    context.file,
    `temporal: { address: '${NOWHERE}', tls: { ca: gone.pem, cert: leads.csv, key: leads.csv } }
ingress: { kafka: { shop: { brokers: ['127.0.0.1:1'], deadLetters: dead, tls: { ca: gone.pem } } } }
`,
  );
  const loaded = await loadConfig(context.file, { env: context.env });
  const text = describeSummary(await summarize(loaded)).join('\n');
  const at = (name: string) => join(context.dir, name);
  expect(text).toContain(
    `server temporal: ${at('gone.pem')} does not exist; correct the file, or name another in`,
  );
  expect(text).toContain(`server temporal: ${at('leads.csv')} has no certificate in PEM format`);
  expect(text).toContain(`server temporal: ${at('leads.csv')} has no private key in PEM format`);
  expect(text).toContain(
    `cluster shop: ${at('gone.pem')} does not exist; correct the file, or name another in \`ingress.kafka.shop.tls.ca\``,
  );
});

it.each([
  [false, ['temporal.tls', 'temporal.apiKey']],
  [true, []],
])(
  'config check: with a server in the environment (%s), settings without an address are %j',
  async (named, keys) => {
    const context = await clinic({ env: { API_KEY: 'key-of-a-cluster' } });
    await appendFile(context.file, 'temporal: { tls: true, apiKey: env:API_KEY }\n');
    const loaded = await loadConfig(context.file, { env: context.env });
    const lines = describeSummary(await summarize(loaded, undefined, undefined, named));
    expect(lines.flatMap((line) => /so nothing uses (\S+);/.exec(line)?.[1] ?? [])).toEqual(keys);
  },
);
