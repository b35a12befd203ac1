// A process reads the secrets of the parts that it uses, and no others.
import { expect, it } from 'vitest';
import { SECRETS_OF } from '../../../src/cli/lib/connect/session.ts';
import type { SecretStore } from '../../../src/config/secret-store.ts';
import { configContext, GOOD } from './context.ts';

const context = configContext();
const KEY = 'f1e2d3c4b5a697887766554433221100ffeeddccbbaa99887766554433221107';
const ALL = `${GOOD}routes:
  paid:
    account: acme
    http: { path: /paid, auth: { type: token, secrets: [env:ROUTE] } }
    action: { type: message, number: phone, text: text }
sinks:
  hook: { type: http, url: 'https://example.com/', secrets: [env:SINK] }
temporal: { apiKey: env:API_KEY, encryption: { keys: [{ id: a, key: env:TEMPORAL }] } }
ledger: { encryption: { keys: [{ id: a, key: env:LEDGER }] } }
`;
const VALUES: Readonly<Record<string, string>> = {
  'env:ACME_TOKEN': 'svc_test_a',
  'env:ROUTE': 'Zk3vT9qLx0pWm7Rb5NcY',
  'env:SINK': `whsec_${'A'.repeat(40)}`,
  'env:API_KEY': 'key of a cluster',
  'env:TEMPORAL': KEY,
  'env:LEDGER': [...KEY].toReversed().join(''),
};

/** Which secrets are read while the configuration is loaded, and while it is loaded again. */
async function readBy(secretsOf: (typeof SECRETS_OF)[keyof typeof SECRETS_OF] | undefined) {
  const read: string[] = [];
  const secrets = {
    read: async (ref: string) => {
      read.push(ref);
      return { value: VALUES[ref] ?? '', warnings: [] };
    },
  } as Partial<SecretStore> as SecretStore;
  const loaded = await context.load(ALL, { secrets, ...(secretsOf && { secretsOf }) });
  const first = read.splice(0);
  await loaded.reload();
  expect(read).toEqual(first);
  return first;
}

it.each([
  [
    'a worker',
    SECRETS_OF.worker,
    ['env:ACME_TOKEN', 'env:SINK', 'env:API_KEY', 'env:TEMPORAL', 'env:LEDGER'],
  ],
  ['an ingress', SECRETS_OF.ingress, ['env:ROUTE', 'env:API_KEY', 'env:TEMPORAL', 'env:LEDGER']],
  ['a console', SECRETS_OF.console, ['env:ACME_TOKEN', 'env:API_KEY', 'env:TEMPORAL', 'env:LEDGER']],
  ['a process with everything', undefined, Object.keys(VALUES)],
])('%s reads its secrets only', async (_, secretsOf, expected) => {
  expect(await readBy(secretsOf)).toEqual(expected);
});

it('a weak secret of its own part is refused, and one of another part is left to the process that uses it', async () => {
  const env = {
    ACME_TOKEN: 'svc_test_a',
    ROUTE: 'weak',
    SINK: VALUES['env:SINK'],
    API_KEY: 'key of a cluster',
    TEMPORAL: KEY,
    LEDGER: KEY,
  };
  await expect(context.load(ALL, { env, secretsOf: SECRETS_OF.worker })).resolves.toBeDefined();
  await expect(context.load(ALL, { env, secretsOf: SECRETS_OF.ingress })).rejects.toThrow(
    'env:ROUTE has 4 bytes',
  );
});
