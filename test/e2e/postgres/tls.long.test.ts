// The ledger over TLS, with PostgreSQL's own certificates: what works, and what each mistake says.
import { chown, copyFile, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openPostgres } from '../../../src/core/sql/database.ts';
import { migrate } from '../../../src/core/sql/migrations/migrations.ts';
import {
  type RestartingPostgres,
  startRestartingPostgres,
} from '../../support/postgres/restarting-postgres.ts';
import {
  type Certificate,
  type Certificates,
  makeCertificates,
  makeExpired,
} from '../../support/tools/certificates.ts';
import { until } from '../../support/until.ts';

const NAMES = 'IP:127.0.0.1';

let folder: string;
let server: RestartingPostgres;
let admin: Database;
let certificates: Certificates;
let other: Certificates;
let expired: Certificate;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-pg-tls-'));
  await mkdir(join(folder, 'other'));
  certificates = await makeCertificates(folder, NAMES);
  other = await makeCertificates(join(folder, 'other'), NAMES);
  expired = await makeExpired(folder, certificates.authority, NAMES);
  server = await startRestartingPostgres();
  admin = await openPostgres(server.url, console.error);
  await use(certificates.server);
}, 60_000);
afterAll(async () => {
  await admin.close();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Gives the server this certificate, and makes it ask clients for one of the authority. */
async function use({ cert, key }: Certificate, asks = ''): Promise<void> {
  const [{ data }] = (await admin.query<{ data: string }>('show data_directory')).map((row) => ({
    data: Object.values(row)[0] as string,
  })) as [{ data: string }];
  const { uid, gid } = await stat(data);
  const put = async (name: string, from: string) => {
    const to = join(data, name);
    await copyFile(from, to);
    await chown(to, uid, gid);
  };
  await put('server.crt', cert);
  await put('server.key', key);
  await put('root.crt', certificates.authority.cert);
  await writeFile(
    join(data, 'pg_hba.conf'),
    `hostnossl all all 127.0.0.1/32 password\nhostssl all all 127.0.0.1/32 password ${asks}\n`,
  );
  await admin.query(`alter system set ssl_ca_file = 'root.crt'`);
  await admin.query('alter system set ssl = on');
  await admin.query('select pg_reload_conf()');
  await until('the server speaks TLS', async () => {
    const rows = await admin.query<{ ssl: string }>('show ssl');
    return rows[0]?.ssl === 'on';
  });
}

function urlWith(
  parameters: Readonly<Record<string, string>>,
  change: (url: URL) => void = () => undefined,
): string {
  const url = new URL(server.url);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  change(url);
  return url.href;
}

/** What a connection says: `TLSv1.3`, or why there is none. */
async function outcomeOf(url: string): Promise<string> {
  try {
    const db = await openPostgres(url, () => undefined);
    try {
      const [row] = await db.query<{ version: string | null }>(
        'select version from pg_stat_ssl where pid = pg_backend_pid()',
      );
      return row?.version ?? 'not encrypted';
    } finally {
      await db.close();
    }
  } catch (error) {
    return (error as Error).message;
  }
}

const FULL = () => ({ sslmode: 'verify-full', sslrootcert: certificates.authority.cert });

describe('a server with a certificate of a private authority', () => {
  it('verify-full with that authority: all tables are made over TLS', async () => {
    expect(await outcomeOf(urlWith(FULL()))).toBe('TLSv1.3');
    const db = await openPostgres(urlWith(FULL()), console.error);
    await migrate(db);
    await db.close();
  });

  it.each([
    [
      'without its authority',
      () => urlWith({ sslmode: 'verify-full' }),
      /\[SELF_SIGNED_CERT_IN_CHAIN\]; add sslrootcert=FILE of its authority to DATABASE_URL/,
    ],
    [
      'with another authority',
      () => urlWith({ ...FULL(), sslrootcert: other.authority.cert }),
      /\[SELF_SIGNED_CERT_IN_CHAIN\]; add sslrootcert=FILE/,
    ],
    [
      'under a name that the certificate does not have',
      () => urlWith(FULL(), (url) => (url.hostname = 'localhost')),
      /\[ERR_TLS_CERT_ALTNAME_INVALID\]; use the host name of the certificate in DATABASE_URL/,
    ],
    [
      'with a file that does not exist',
      () => urlWith({ ...FULL(), sslrootcert: '/nowhere/ca.pem' }),
      /\/nowhere\/ca\.pem does not exist; .* in `sslrootcert` of the address/,
    ],
    [
      'with a wrong password',
      () => urlWith(FULL(), (url) => (url.password = 'wrong')),
      /\[28P01\]; correct user or password in DATABASE_URL/,
    ],
  ])('%s: the message names the way out, and no password', async (_name, url, message) => {
    const outcome = await outcomeOf(url());
    expect(outcome).toMatch(message);
    expect(outcome).not.toMatch(/wrong|:test@/);
  });

  it('with an expired certificate of the server', async () => {
    await use(expired);
    expect(await outcomeOf(urlWith(FULL()))).toMatch(
      /\[CERT_HAS_EXPIRED\]; renew the certificate of the server/,
    );
    await use(certificates.server);
  });

  it('that asks for a client certificate: only one of its authority is let in', async () => {
    await use(certificates.server, 'clientcert=verify-ca');
    const { client } = certificates;
    expect(await outcomeOf(urlWith({ ...FULL(), sslcert: client.cert, sslkey: client.key }))).toBe('TLSv1.3');
    expect(await outcomeOf(urlWith(FULL()))).toMatch(
      /\[28000\]; check the user, pg_hba\.conf, and sslmode, sslcert/,
    );
  });
});
