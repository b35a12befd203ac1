// The part `operator`: a listener that others reach needs TLS and its public address, and single sign-on gives a role.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configContext, GOOD } from './context.ts';

const context = configContext();
const http = (text: string) => `${GOOD}operator: { http: { ${text} } }\n`;
const oidc = (text: string) =>
  `${GOOD}operator: { oidc: { issuer: 'https://id.example.com', clientId: a, clientSecret: env:S, ${text} } }\n`;
const TLS = 'tls: { cert: a.crt, key: a.key }';

describe('a listener of operators', () => {
  it.each([
    ['no TLS', 'host: 0.0.0.0, publicUrl: https://s.example.com', 'host', 'trustProxy'],
    ['no TLS on IPv6', "host: '::', publicUrl: https://s.example.com", 'host', 'trustProxy'],
    ['a proxy by name', 'publicUrl: https://s.example.com, trustProxy: [proxy]', 'trustProxy[0]', 'address'],
    ['no publicUrl', `host: 0.0.0.0, ${TLS}`, 'host', 'publicUrl'],
    ['a proxy and no publicUrl', 'trustProxy: [10.0.0.7]', 'trustProxy', 'publicUrl'],
    [
      'plain http outside',
      'host: 0.0.0.0, trustProxy: [10.0.0.7], publicUrl: http://s.example.com',
      'publicUrl',
      'https://',
    ],
    [
      'plain http outside, also with insecure',
      'host: 0.0.0.0, insecure: true, publicUrl: http://s.example.com',
      'publicUrl',
      'https://',
    ],
    ['https that nobody serves', 'publicUrl: https://s.example.com', 'publicUrl', 'tls'],
    [
      'a path',
      'trustProxy: [10.0.0.7], publicUrl: https://s.example.com/sluice',
      'publicUrl',
      'only a scheme',
    ],
    [
      'credentials',
      "trustProxy: [10.0.0.7], publicUrl: 'https://u:p@s.example.com'",
      'publicUrl',
      'only a scheme',
    ],
  ])('with %s is refused', async (_, text, key, way) => {
    const problems = await context.problemsOf(http(text));
    expect(problems).toEqual([expect.stringContaining(`operator.http.${key}: `)]);
    expect(problems[0]).toContain(way);
  });

  it.each([
    ['the default', 'port: 0'],
    ['TLS and an address', `host: 0.0.0.0, publicUrl: https://s.example.com, ${TLS}`],
    ['a proxy on another machine', 'host: 0.0.0.0, publicUrl: https://s.example.com, trustProxy: [10.0.0.7]'],
    ['a proxy on this machine', 'publicUrl: https://s.example.com, trustProxy: [10.0.0.7]'],
    ['a port that a container publishes', 'host: 0.0.0.0, publicUrl: http://127.0.0.1:8088, insecure: true'],
    ['a name of this machine', 'publicUrl: http://localhost:8088'],
  ])('with %s is accepted', async (_, text) => {
    await expect(context.load(http(text))).resolves.toBeDefined();
  });

  it('reads paths relative to the file, and the public URL as an origin', async () => {
    const { config } = await context.load(
      `${GOOD}operator: { http: { publicUrl: 'https://S.example.com:443/', ${TLS} } }\n`,
    );
    const { dir } = context;
    expect(config.operator.http.tls).toEqual({ cert: join(dir, 'a.crt'), key: join(dir, 'a.key') });
    expect(config.operator.http.publicUrl).toBe('https://s.example.com');
  });
});

describe('single sign-on', () => {
  it.each([
    ['no group', 'roles: {}', 'roles'],
    ['a claim only', 'roles: { claim: teams, admin: [] }', 'roles'],
    ['an admin by default', 'roles: { default: admin }', 'roles.default'],
    ['no openid', 'roles: { default: viewer }, scopes: [profile]', 'scopes'],
    ['two scopes in one', "roles: { default: viewer }, scopes: ['openid profile', openid]", 'scopes[0]'],
  ])('with %s is refused', async (_, text, key) => {
    expect(await context.problemsOf(oidc(text))).toEqual([expect.stringContaining(`operator.oidc.${key}: `)]);
  });

  it('with an issuer that others can impersonate is refused', async () => {
    const text = oidc('roles: { default: viewer }').replace('https://id', 'http://id');
    expect(await context.problemsOf(text)).toEqual([expect.stringContaining('operator.oidc.issuer: ')]);
  });
});
