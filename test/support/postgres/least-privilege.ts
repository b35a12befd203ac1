// A database whose tables belong to one role and are used by another, made by the SQL of the guide.
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { type Database, openPostgres } from '../../../src/core/sql/database.ts';
import { migrate } from '../../../src/core/sql/migrations/migrations.ts';
import { startPostgres } from './postgres.ts';

const GUIDE = new URL('../../../docs/how-to/ledger-database.md', import.meta.url);

export interface LeastPrivilege {
  /** Of the role without the right to change tables. */
  readonly appUrl: string;
  readonly ownerUrl: string;
  readonly app: Database;
  stop(): Promise<void>;
}

export async function leastPrivilege(): Promise<LeastPrivilege> {
  const server = await startPostgres();
  // Roles belong to the whole server, which other tests use too.
  const suffix = randomBytes(4).toString('hex');
  const [roles, temporary, versions] = (await sqlOfGuide()).map((sql) =>
    sql.replaceAll('sluice_owner', `sluice_owner_${suffix}`).replaceAll('sluice_app', `sluice_app_${suffix}`),
  );
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  await admin.query(roles as string);
  await admin.query(temporary as string);
  const ownerUrl = urlOf(server.url, `sluice_owner_${suffix}`, 'owner-secret');
  const appUrl = urlOf(server.url, `sluice_app_${suffix}`, 'app-secret');
  const owner = await openPostgres(ownerUrl, console.error);
  await migrate(owner);
  await owner.close();
  await admin.query(versions as string);
  const app = await openPostgres(appUrl, console.error);
  return {
    appUrl,
    ownerUrl,
    app,
    async stop() {
      await app.close();
      for (const role of [`sluice_app_${suffix}`, `sluice_owner_${suffix}`]) {
        await admin.query(`drop owned by ${role} cascade`);
        await admin.query(`drop role ${role}`);
      }
      await admin.end();
      await server.stop();
    },
  };
}

async function sqlOfGuide(): Promise<string[]> {
  const text = await readFile(GUIDE, 'utf8');
  return [...text.matchAll(/^```sql\n(.*?)^```$/gms)].map(([, sql]) => sql as string);
}

function urlOf(server: string, user: string, password: string): string {
  const url = new URL(server);
  url.username = user;
  url.password = password;
  return url.href;
}
