// What would leave this machine unencrypted, and secrets that somebody could guess.
import { describe, expect, it } from 'vitest';
import { isLoopbackHost } from '../../../src/core/net/loopback.ts';
import { configContext } from './context.ts';

const context = configContext();

describe('this machine', () => {
  it.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
    'api.localhost',
    'a.b.localhost',
    '127.0.0.1',
    '127.255.255.255',
    '::1',
    '[::1]',
  ])('is %s', (host) => {
    expect(isLoopbackHost(host)).toBe(true);
  });

  it.each([
    '',
    'evil-localhost',
    'localhost.evil.com',
    '.localhost',
    '127.0.0.1.nip.io',
    '127.0.0.256',
    '127.1',
    '128.0.0.1',
    '0.0.0.0',
    '::',
    '::2',
    '10.0.0.1',
    'sandbox',
    'host.docker.internal',
    '1270.0.1',
  ])('is not %j', (host) => {
    expect(isLoopbackHost(host)).toBe(false);
  });
});

/** Parts that a configuration may have, each at its safe setting. */
const parts = (replaced: Record<string, string> = {}) => {
  const all = {
    account: 'baseUrl: https://acme.example.com/wapi',
    source: 'url: https://crm.example.com/leads',
    sink: 'url: https://hooks.example.com/in',
    bus: 'sasl: { mechanism: plain, username: u, password: env:P }, tls: true',
    events: 'sasl: { mechanism: plain, username: u, password: env:P }, tls: true',
    http: 'host: 127.0.0.1',
    auth: '{ type: token, secrets: [env:TOKEN] }',
    ...replaced,
  };
  return `version: 1
accounts:
  acme: { ${all.account}, tokens: [env:ACME_TOKEN] }
sources:
  crm: { type: http, ${all.source} }
sinks:
  hooks: { type: http, ${all.sink}, secrets: [env:KEY] }
  bus: { type: kafka, brokers: ['127.0.0.1:9', 'kafka.example.com:9092'], topic: t, ${all.bus} }
mappings: { people: { contact: { number: phone } } }
ingress:
  http: { ${all.http} }
  kafka: { events: { brokers: ['kafka.example.com:9092'], deadLetters: d, ${all.events} } }
routes:
  leads:
    account: acme
    http: { path: /leads, auth: ${all.auth} }
    action: { type: lead, mapping: people }
`;
};
const problemsOf = (replaced: Record<string, string>) => context.problemsOf(parts(replaced));
const PLAIN = 'sasl: { mechanism: plain, username: u, password: env:P }';
const SCRAM = PLAIN.replace('plain', 'scram-sha-512');

describe('what leaves this machine unencrypted is refused where it stands, with both ways out', () => {
  it.each<[string, string, string, string]>([
    ['account', 'baseUrl: http://acme.example.com/wapi', 'accounts.acme.baseUrl', 'accounts.acme'],
    ['account', 'baseUrl: http://10.0.0.7/wapi', 'accounts.acme.baseUrl', 'accounts.acme'],
    ['account', 'baseUrl: HTTP://localhost.evil.com/wapi', 'accounts.acme.baseUrl', 'accounts.acme'],
    ['source', 'url: http://crm.example.com/leads', 'sources.crm.url', 'sources.crm'],
    ['sink', 'url: http://hooks.example.com/in', 'sinks.hooks.url', 'sinks.hooks'],
    ['bus', PLAIN, 'sinks.bus.sasl.mechanism', 'sinks.bus'],
    ['events', PLAIN, 'ingress.kafka.events.sasl.mechanism', 'ingress.kafka.events'],
    ['bus', SCRAM, 'sinks.bus.brokers', 'sinks.bus'],
    ['bus', 'tls: false', 'sinks.bus.brokers', 'sinks.bus'],
    ['events', SCRAM, 'ingress.kafka.events.brokers', 'ingress.kafka.events'],
    ['events', 'tls: false', 'ingress.kafka.events.brokers', 'ingress.kafka.events'],
    ['http', 'host: 0.0.0.0', 'ingress.http.host', 'ingress.http'],
    ['http', "host: '::'", 'ingress.http.host', 'ingress.http'],
    ['http', 'host: 192.0.2.7', 'ingress.http.host', 'ingress.http'],
  ])('%s with %s', async (part, text, path, place) => {
    const problems = await problemsOf({ [part]: text });
    expect(problems).toEqual([expect.stringContaining(`  ${path}: `)]);
    expect(problems[0]).toContain(`set insecure: true under ${place}`);
    expect(problems[0]).not.toContain('env:');
    await expect(context.load(parts({ [part]: `${text}, insecure: true` }))).resolves.toBeDefined();
    expect(await problemsOf({ [part]: `${text}, insecure: false` })).toEqual(problems);
  });

  it.each<[string, Record<string, string>]>([
    ['all that is encrypted', {}],
    [
      'http to this machine',
      { account: "baseUrl: 'http://[::1]:4010/wapi'", sink: 'url: http://127.9.9.9/in' },
    ],
    ['a private authority of the brokers', { bus: 'tls: { ca: ca.pem }', events: 'tls: { ca: ca.pem }' }],
    ['signatures on all addresses', { http: 'host: 0.0.0.0', auth: '{ type: hmac, secrets: [env:TOKEN] }' }],
  ])('but not %s', async (_, replaced) => {
    await expect(context.load(parts(replaced))).resolves.toBeDefined();
  });

  it('all of it at once, in the order of the file', async () => {
    const all = {
      account: 'baseUrl: http://a.example',
      source: 'url: http://b.example',
      http: 'host: 0.0.0.0',
    };
    expect((await problemsOf(all)).map((problem) => problem.split('  ')[1]?.split(': ')[0])).toEqual([
      'accounts.acme.baseUrl',
      'sources.crm.url',
      'ingress.http.host',
    ]);
  });
});

const base64 = (bytes: number) => Buffer.alloc(bytes, 7).toString('base64');

describe('a secret that somebody could guess', () => {
  const AUTHS: Record<string, string> = {
    token: '{ type: token, secrets: [env:OTHER, env:S] }',
    hmac: '{ type: hmac, style: github, secrets: [env:OTHER, env:S] }',
    webhook: '{ type: standard-webhooks, secrets: [env:OTHER, env:S] }',
  };
  const load = (auth: string, env: Record<string, string>) =>
    context.load(parts({ auth: AUTHS[auth] ?? auth }), { env: { ACME_TOKEN: 'svc_test_a', ...env } });
  const refusal = async (auth: string, env: Record<string, string>): Promise<string> =>
    await load(auth, env).then(
      () => 'taken',
      (error: Error) => error.message,
    );

  it.each([
    [
      'token',
      'CANARY',
      'has 6 bytes, and a token needs at least 16; make one with `openssl rand -base64 32`',
    ],
    ['token', 'CANARY-123456-7', 'has 15 bytes'],
    ['token', '~', 'has 1 byte, and a token needs at least 16'],
    ['token', 'change-me-CANARY-change-me', 'is a placeholder'],
    ['token', '<your CANARY token here>', 'is a placeholder'],
    ['hmac', 'CANARY', 'has 6 bytes, and a key needs at least 16; copy the key of the sender'],
    ['webhook', 'CANARY !', 'is not base64'],
    ['webhook', `whsec_${base64(23)}`, 'has 23 bytes, and Standard Webhooks requires 24 to 64'],
    ['webhook', base64(65), 'has 65 bytes'],
  ])('%s %s: %s', async (auth, value, expected) => {
    const message = await refusal(auth, { S: value });
    expect(message).toContain('routes.leads.http.auth.secrets[1]: the secret behind env:S ');
    expect(message).toContain(expected);
    expect(message).not.toContain('CANARY');
    expect(message).not.toContain(value.replace('whsec_', ''));
  });

  it.each([
    ['token', '0123456789abcdef'],
    ['token', 'ééééééééé'],
    ['hmac', '0123456789abcdef'],
    ['webhook', `whsec_${base64(24)}`],
    ['webhook', base64(64)],
  ])('%s %s is taken', async (auth, value) => {
    await expect(load(auth, { S: value })).resolves.toBeDefined();
  });

  it('is none where it is not there: whoever needs it says so', async () => {
    await expect(load('token', {})).resolves.toBeDefined();
  });

  it('is refused for sinks and accounts alike, all at once', async () => {
    const message = await refusal('token', { KEY: base64(8), ACME_TOKEN: 'changeme', S: 'short' });
    expect(message.split('\n')).toEqual([
      expect.stringContaining(
        'accounts.acme.tokens[0]: the secret behind env:ACME_TOKEN does not begin with svc_live_ or svc_test_',
      ),
      expect.stringContaining('sinks.hooks.secrets[0]: the secret behind env:KEY has 8 bytes'),
      expect.stringContaining('routes.leads.http.auth.secrets[1]: the secret behind env:S has 5 bytes'),
    ]);
  });
});
