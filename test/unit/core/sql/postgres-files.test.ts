// Certificates and keys that the address of a PostgreSQL server names.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresSink } from '../../../../src/connectors/sinks/postgres.ts';
import { withSession } from '../../../../src/connectors/sources/postgres/postgres-session.ts';
import { openPostgres } from '../../../../src/core/sql/database.ts';
import { withFiles } from '../../../../src/core/sql/postgres-tls.ts';
import { type Certificates, makeCertificates } from '../../../support/tools/certificates.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-postgres-files-'));
let certificates: Certificates;

beforeAll(async () => {
  certificates = await makeCertificates(folder);
  writeFileSync(join(folder, 'empty'), '');
  writeFileSync(join(folder, 'text'), 'CANARY');
  execFileSync('mkfifo', [join(folder, 'pipe')]);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Nothing listens at port 9. */
const addressOf = (params: Record<string, string>) =>
  `postgres://u:CANARY@127.0.0.1:9/x?${new URLSearchParams({ sslmode: 'verify-full', ...params })}`;

async function messageOf(work: () => unknown): Promise<string> {
  try {
    await work();
    return 'nothing failed';
  } catch (error) {
    return (error as Error).message;
  }
}

const USERS: readonly (readonly [name: string, open: (url: string) => unknown, message: RegExp])[] = [
  ['the ledger', (url) => openPostgres(url, () => undefined), /^DATABASE_URL cannot be used: /],
  [
    'a sink',
    (url) =>
      postgresSink({ type: 'postgres', url: 'env:DB', table: 'events' } as never, {
        name: 'shop',
        url,
        log: () => undefined,
      }),
    /^sink shop: the secret in `url` cannot be used: /,
  ],
  [
    'a source',
    (url) => withSession({ url, tls: true, timeoutMs: 1000, place: 'crm' }, async () => undefined),
    /^source crm: the secret behind `url` cannot be used: /,
  ],
];

describe.each(USERS)('%s', (_, open, start) => {
  it.each([
    ['sslrootcert', 'missing', 'does not exist'],
    ['sslrootcert', 'empty', 'has no certificate in PEM format'],
    ['sslrootcert', 'text', 'has no certificate in PEM format'],
    ['sslrootcert', 'pipe', "can't be read (it is a pipe, not a regular file)"],
    ['sslrootcert', '', "can't be read (it is a folder, not a regular file)"],
    ['sslcert', 'client.key', 'has no certificate in PEM format'],
    ['sslkey', 'client.pem', 'has no private key in PEM format'],
    ['sslkey', 'pipe', "can't be read (it is a pipe, not a regular file)"],
    ['sslkey', '/dev/zero', "can't be read (it is a device, not a regular file)"],
  ])(
    'refuses %s=%s at once, and names the file, the parameter and the way out',
    async (name, file, reason) => {
      const path = file.startsWith('/') ? file : join(folder, file);
      const message = await messageOf(() => open(addressOf({ [name]: path })));
      expect(message).toMatch(start);
      expect(message).toContain(
        `${path} ${reason}; correct the file, or name another in \`${name}\` of the address`,
      );
      expect(message).not.toContain('CANARY');
    },
  );
});

it('a file that breaks while a pool is open fails the next connection by its name, and a repaired one is used', async () => {
  const ca = join(folder, 'renewed.pem');
  copyFileSync(certificates.authority.cert, ca);
  const db = await openPostgres(addressOf({ sslrootcert: ca }), () => undefined);
  const ask = () => messageOf(() => db.query('select 1'));
  expect(await ask()).toContain('ECONNREFUSED');
  rmSync(ca);
  execFileSync('mkfifo', [ca]);
  const failures = await Promise.all(Array.from({ length: 30 }, ask));
  expect(new Set(failures)).toEqual(
    new Set([
      `the ledger's database: ${ca} can't be read (it is a pipe, not a regular file); correct the file, or name another in \`sslrootcert\` of the address [TLS_FILE]`,
    ]),
  );
  rmSync(ca);
  copyFileSync(certificates.authority.cert, ca);
  expect(await ask()).toContain('ECONNREFUSED');
  await db.close();
});

it.each([
  '',
  'sslmode=verify-full',
  'sslmode=require',
  'sslmode=no-verify',
  'sslmode=disable',
  'ssl=0',
  'sslnegotiation=direct',
  'uselibpqcompat=true&sslmode=prefer',
  'uselibpqcompat=true&sslmode=require',
  'uselibpqcompat=true&sslmode=verify-ca',
  'uselibpqcompat=true&sslmode=verify-full',
  'application_name=a%20b&sslmode=verify-full&options=-c%20x%3D1',
])('with ?%s, the files have the meaning that the driver gives them', async (query) => {
  const { authority, client } = certificates;
  for (const files of [
    { sslrootcert: authority.cert },
    { sslcert: client.cert, sslkey: client.key },
    { sslrootcert: authority.cert, sslcert: client.cert, sslkey: client.key },
  ]) {
    if (query.includes('verify-ca') && !('sslrootcert' in files)) continue;
    const connectionString = `postgres://u:p%40@db.example.com:5433/x?${query}&${new URLSearchParams(Object.entries(files))}`;
    expect(shapeOf(withFiles({ connectionString }))).toEqual(shapeOf({ connectionString }));
  }
});

function shapeOf(config: pg.ClientConfig) {
  const { connectionParameters, host, port } = new pg.Client(config) as unknown as {
    connectionParameters: Record<string, unknown> & { ssl: false | Record<string, unknown> };
    host: string;
    port: number;
  };
  const { ssl, ...others } = connectionParameters;
  const { ca, cert, key, rejectUnauthorized, checkServerIdentity } = ssl || {};
  const texts = [ca, cert, key].map((each) => (each === undefined ? null : String(each)));
  return {
    ...others,
    host,
    port,
    on: Boolean(ssl),
    texts,
    rejectUnauthorized,
    anyName: checkServerIdentity !== undefined,
  };
}
