import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pemOf } from '../../../src/temporal/temporal-access.ts';
import {
  InsecureTemporalError,
  namesTemporal,
  TemporalSettingsError,
} from '../../../src/temporal/temporal-address.ts';
import { temporalTargetOf } from '../../../src/temporal/temporal-target.ts';
import { type Certificates, makeCertificates } from '../../support/tools/certificates.ts';

const SECRET = 'key-of-a-cluster';
const LOCAL = '127.0.0.1:7233';
const CLOUD = 'acme.tmprl.cloud:7233';

let folder: string;
let certificates: Certificates;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-target-'));
  certificates = await makeCertificates(folder);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const fileOf = async (name: string, text: string): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
};
const textOf = (path: string) => readFile(path, 'utf8');
/** The beginning of a file, as while it is being written. */
const cutOff = async (path: string, part: number): Promise<string> => {
  const text = await textOf(path);
  return await fileOf('half.pem', text.slice(0, text.length * part));
};
const refusal = (env: Record<string, string>): Error => {
  try {
    temporalTargetOf(env);
  } catch (error) {
    return error as Error;
  }
  throw new Error('it was not refused');
};

describe('an address without TLS', () => {
  it.each([LOCAL, 'localhost:7233', '[::1]:7233', '127.0.0.1'])('%s is this machine', (address) => {
    expect(temporalTargetOf({ TEMPORAL_ADDRESS: address })).toMatchObject({
      address,
      namespace: 'default',
      access: { tls: false },
    });
  });

  it.each(['temporal:7233', '10.0.0.1:7233', CLOUD, '127.0.0.1.evil.com:7233', '[2001:db8::1]:7233'])(
    '%s is another machine: it is refused with the fix, and used where somebody allows it',
    (address) => {
      const env = { TEMPORAL_ADDRESS: address };
      expect(() => temporalTargetOf(env)).toThrow(InsecureTemporalError);
      expect(() => temporalTargetOf(env)).toThrow(/TEMPORAL_TLS=true.*TEMPORAL_INSECURE=true/);
      for (const other of ['', 'false', '1', 'yes', 'TRUE'])
        expect(() => temporalTargetOf({ ...env, TEMPORAL_INSECURE: other })).toThrow(InsecureTemporalError);
      expect(temporalTargetOf({ ...env, TEMPORAL_INSECURE: 'true' })?.address).toBe(address);
    },
  );

  it('is refused with an API key, whatever is allowed: the key would be readable', () => {
    const env = { TEMPORAL_ADDRESS: CLOUD, TEMPORAL_API_KEY: SECRET, TEMPORAL_TLS: 'false' };
    const error = refusal({ ...env, TEMPORAL_INSECURE: 'true' });
    expect(error).toBeInstanceOf(InsecureTemporalError);
    expect(error.message).not.toContain(SECRET);
  });

  it.each([
    'http://127.0.0.1:7233',
    '127.0.0.1:port',
    '127.0.0.1:0',
    '127.0.0.1:70000',
    '127.0.0.1:7233/default',
    'me@127.0.0.1:7233',
    '::1:7233',
    'a b:1',
  ])('%s is no host:port, whatever is allowed', (address) => {
    const env = { TEMPORAL_ADDRESS: address, TEMPORAL_INSECURE: 'true', TEMPORAL_TLS: 'true' };
    expect(() => temporalTargetOf(env)).toThrow(TemporalSettingsError);
  });
});

it('an address with a login is refused without showing it', () => {
  const error = refusal({ TEMPORAL_ADDRESS: `https://me:${SECRET}@acme.example.com:7233` });
  expect(error.message).toBe(
    'TEMPORAL_ADDRESS is [login]@acme.example.com:7233; write host:port, for example 127.0.0.1:7233',
  );
});

describe('no server', () => {
  it.each([{}, { TEMPORAL_ADDRESS: '' }, { TEMPORAL_ADDRESS: undefined }, { TEMPORAL_API_KEY: SECRET }])(
    'is named by %j',
    (env) => {
      expect(namesTemporal(env)).toBe(false);
      expect(temporalTargetOf(env)).toBeNull();
    },
  );

  it("is named by a developer's own profile file in the home folder", async () => {
    const home = join(folder, 'home');
    await mkdir(join(home, 'temporalio'), { recursive: true });
    await writeFile(join(home, 'temporalio', 'temporal.toml'), `[profile.default]\naddress = "${CLOUD}"\n`);
    const env = { HOME: home, XDG_CONFIG_HOME: home };
    expect(temporalTargetOf({ ...env, TEMPORAL_ADDRESS: LOCAL })?.address).toBe(LOCAL);
    expect(temporalTargetOf(env)).toBeNull();
  });
});

describe('TLS', () => {
  it.each([
    [{ TEMPORAL_TLS: 'true' }],
    [{ TEMPORAL_API_KEY: SECRET }],
    [{ TEMPORAL_TLS_SERVER_NAME: 'frontend' }],
    [{ TEMPORAL_TLS_SERVER_CA_CERT_DATA: 'ca' }],
  ])('is on with %j, and reaches other machines', (env) => {
    const target = temporalTargetOf({ TEMPORAL_ADDRESS: CLOUD, ...env });
    expect(target?.access.tls).toBeTruthy();
  });

  it('has the client certificate, the authority and the name that the variables give', async () => {
    const { cert, key } = certificates.client;
    const target = temporalTargetOf({
      TEMPORAL_ADDRESS: CLOUD,
      TEMPORAL_NAMESPACE: 'acme.prod',
      TEMPORAL_TLS_CLIENT_CERT_PATH: cert,
      TEMPORAL_TLS_CLIENT_KEY_PATH: key,
      TEMPORAL_TLS_SERVER_CA_CERT_DATA: 'CA',
      TEMPORAL_TLS_SERVER_NAME: 'frontend',
      TEMPORAL_API_KEY: '',
    });
    expect(target).toMatchObject({ address: CLOUD, namespace: 'acme.prod', origin: 'TEMPORAL_ADDRESS' });
    expect(target?.access.apiKey).toBeUndefined();
    const { access } = target as NonNullable<typeof target>;
    const pem = pemOf(access);
    const contents = await Promise.all([cert, key].map((path) => readFile(path, 'utf8')));
    expect([pem.cert, pem.key, pem.ca].map(String)).toEqual([...contents, 'CA']);
    expect(access.tls).toMatchObject({ serverNameOverride: 'frontend' });
  });

  it.each<[string, 'ca' | 'cert' | 'key', () => Promise<string> | string, RegExp]>([
    [
      'an empty authority',
      'ca',
      () => fileOf('empty.pem', ''),
      /has no certificate in PEM format; .*tls\.ca/,
    ],
    [
      'a text as certificate',
      'cert',
      () => fileOf('text.pem', SECRET),
      /has no certificate in PEM .*tls\.cert/,
    ],
    ['the certificate as key', 'key', () => certificates.client.cert, /has no private key in PEM .*tls\.key/],
    ['the key as certificate', 'cert', () => certificates.client.key, /has no certificate in PEM format/],
    [
      'half an authority',
      'ca',
      () => cutOff(certificates.authority.cert, 0.5),
      /a certificate that is cut off/,
    ],
    [
      'a chain of which half is written',
      'ca',
      async () =>
        fileOf(
          'chain.pem',
          `${await textOf(certificates.client.cert)}${(await textOf(certificates.authority.cert)).slice(0, 200)}`,
        ),
      /a certificate that is cut off/,
    ],
    ['half a key', 'key', () => cutOff(certificates.client.key, 0.5), /a private key that cannot be read/],
    [
      'a certificate with a wrong character',
      'cert',
      async () => fileOf('wrong.pem', (await textOf(certificates.client.cert)).replace(/M/g, 'Q')),
      /a certificate that cannot be read/,
    ],
    [
      'a key with a passphrase',
      'key',
      () =>
        fileOf(
          'locked.key',
          '-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n',
        ),
      /with a passphrase.*openssl pkey/,
    ],
    ['a folder', 'ca', () => folder, /can't be read \(it is a folder/],
    ['a device without an end', 'key', () => '/dev/zero', /\/dev\/zero can't be read \(it is a device/],
  ])('refuses %s, and names the file', async (_, part, make, message) => {
    const path = await make();
    const files = { ca: certificates.authority.cert, ...certificates.client, [part]: path };
    const error = refusal({
      TEMPORAL_ADDRESS: CLOUD,
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: files.ca,
      TEMPORAL_TLS_CLIENT_CERT_PATH: files.cert,
      TEMPORAL_TLS_CLIENT_KEY_PATH: files.key,
    });
    expect(error).toBeInstanceOf(TemporalSettingsError);
    expect(error.message).toMatch(message);
    expect(error.message).toContain(path);
    expect(error.message).not.toContain(SECRET);
  });

  it.each([
    [{ TEMPORAL_TLS_CLIENT_CERT_DATA: 'x' }, /TEMPORAL_TLS_CLIENT_KEY_PATH/],
    [{ TEMPORAL_TLS_CLIENT_KEY_DATA: 'x' }, /TEMPORAL_TLS_CLIENT_CERT_PATH/],
    [{ TEMPORAL_TLS_CLIENT_KEY_DATA: 'x', TEMPORAL_TLS_CLIENT_KEY_PATH: 'y' }, /both/],
    [{ TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/nowhere/ca.pem' }, /\/nowhere\/ca\.pem does not exist/],
    [{ TEMPORAL_TLS: 'TRUE', TEMPORAL_INSECURE: 'true' }, /TEMPORAL_TLS is TRUE; write true or false/],
    [{ TEMPORAL_TLS_DISABLE_HOST_VERIFICATION: 'true' }, /always checks the certificate/],
    [{ TEMPORAL_API_KEY: `${SECRET}\nnext` }, /API key/],
  ])('is refused with %j instead of being weaker than it seems', (env, message) => {
    const error = refusal({ TEMPORAL_ADDRESS: CLOUD, ...env });
    expect(error).toBeInstanceOf(TemporalSettingsError);
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain(SECRET);
  });
});

describe('a profile file', () => {
  const PROFILES = `
[profile.default]
address = "${LOCAL}"
[profile.prod]
address = "${CLOUD}"
namespace = "acme.prod"
api_key = "${SECRET}"
[profile.empty]
`;

  it('that is named gives address, namespace and key; variables come before it', async () => {
    const TEMPORAL_CONFIG_FILE = await fileOf('temporal.toml', PROFILES);
    expect(temporalTargetOf({ TEMPORAL_CONFIG_FILE })?.address).toBe(LOCAL);
    const env = { TEMPORAL_CONFIG_FILE, TEMPORAL_PROFILE: 'prod' };
    expect(temporalTargetOf(env)).toMatchObject({
      address: CLOUD,
      namespace: 'acme.prod',
      access: { apiKey: SECRET, tls: true },
    });
    expect(temporalTargetOf({ ...env, TEMPORAL_NAMESPACE: 'acme.test' })?.namespace).toBe('acme.test');
  });

  it.each([
    ['that does not exist', null, {}, /missing\.toml can't be read \(ENOENT\)/],
    ['without the profile', PROFILES, { TEMPORAL_PROFILE: 'stage' }, /'stage' not found/],
    ['whose profile has no address', PROFILES, { TEMPORAL_PROFILE: 'empty' }, /no address/],
    ['with an unknown key', '[profile.default]\nadress = "x"\n', {}, /adress/],
    ['that is no TOML', `[profile.default]\napi_key = "${SECRET}" x\n`, {}, /Invalid TOML/],
  ])('%s is refused, and its content is in no message', async (_, text, more, message) => {
    const path = text === null ? join(folder, 'missing.toml') : await fileOf('case.toml', text);
    const error = refusal({ TEMPORAL_CONFIG_FILE: path, ...more });
    expect(error).toBeInstanceOf(TemporalSettingsError);
    expect(error.message).toMatch(message);
    expect(`${error.message} ${error.stack} ${String(error.cause)}`).not.toContain(SECRET);
  });
});
