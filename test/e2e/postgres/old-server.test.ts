// A server that is older than Sluice supports: the version that it states is changed in one database.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkServers } from '../../../src/app/doctor/servers.ts';
import { openLedger } from '../../../src/app/ledger/ledger-database.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { openPostgres } from '../../../src/core/sql/database.ts';
import { checkPostgresVersion, OLDEST_POSTGRES } from '../../../src/core/sql/server-version.ts';
import { startPostgres, type TestPostgres } from '../../support/postgres/postgres.ts';

const REFUSAL = 'DATABASE_URL is PostgreSQL 14.23, and the ledger needs 15 or later: upgrade the server';

let server: TestPostgres;
const tables = async () => {
  const db = await openPostgres(server.url, console.error);
  try {
    return await db.query("select 1 from pg_class where relname in ('runs', 'sluice_migrations')");
  } finally {
    await db.close();
  }
};
beforeAll(async () => {
  server = await startPostgres();
  const db = await openPostgres(server.url, console.error);
  await db.query(
    `create function public.current_setting(text) returns text language sql as $$ select '14.23'::text $$`,
  );
  const name = new URL(server.url).pathname.slice(1);
  await db.query(`alter database ${name} set search_path = public, pg_catalog`);
  await db.close();
});
afterAll(() => server.stop());

describe('PostgreSQL 14', () => {
  it('a process refuses to start, says what to do, and makes no table', async () => {
    const opened = openLedger({ url: server.url, stateDir: '', onError: console.error });
    await expect(opened).rejects.toThrow(REFUSAL);
    await expect(opened).rejects.toMatchObject({ name: 'PostgresTooOldError', version: '14.23' });
    expect(await tables()).toEqual([]);
  });

  it('doctor reports a problem', async () => {
    const env = { DATABASE_URL: server.url, TEMPORAL_ADDRESS: '127.0.0.1:1' };
    const config = await loadConfig('examples/sluice.yaml', { env, secretsOf: [] });
    const { findings } = await checkServers({ config, env, state: '/nowhere', deadlineMs: 100 });
    expect(findings).toContainEqual(
      expect.objectContaining({
        level: 'problem',
        check: 'ledger',
        reason: expect.stringContaining(REFUSAL),
      }),
    );
  });
});

it.each(['9.6.24', '13.22 (Debian 13.22-1)', '14.23'])('%s is too old', (version) => {
  expect(() => checkPostgresVersion(version)).toThrow(
    `PostgreSQL ${version}, and the ledger needs ${OLDEST_POSTGRES}`,
  );
});

it.each(['15.0', '15.18 (Debian 15.18-1.pgdg12+1)', '16.14', '18.4', '19beta1'])(
  '%s is supported',
  (version) => {
    expect(() => checkPostgresVersion(version)).not.toThrow();
  },
);
