// A team's own jobs between everything real: PostgreSQL with their table, Temporal, the service over HTTP.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { stringify } from 'yaml';
import { openPostgres } from '../../src/core/sql/database.ts';
import { migrate } from '../../src/core/sql/migrations/migrations.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { account } from './environment.ts';
import { panelOf } from './panel.ts';
import { startPostgres } from './postgres/postgres.ts';
import { connectTestTemporal } from './temporal/temporal.ts';

const SCOPES = ['contacts:write', 'conversations:read', 'messages:read', 'messages:send'];

interface PanelAccount {
  readonly contacts: readonly { readonly id: number; readonly number: string }[];
  readonly conversations: readonly {
    readonly contactId: number;
    readonly messages: readonly { readonly fromMe: boolean }[];
  }[];
}

export const numberOf = (n: number) => `1415555${2000 + n}`;

export type OwnContext = Awaited<ReturnType<typeof openOwnContext>>;

export async function openOwnContext() {
  const dir = await mkdtemp(join(tmpdir(), 'sluice-own-'));
  const [temporal, postgres] = await Promise.all([connectTestTemporal(), startPostgres()]);
  // The database is dropped while its pool may still close.
  const db = await openPostgres(postgres.url, () => undefined);
  await migrate(db);
  const crm = new pg.Client({ connectionString: postgres.url });
  await crm.connect();
  await crm.query('create table appointments (id int primary key, phone text, name text, due_on date)');
  const sandbox = await startSandbox({
    port: 0,
    dataDir: join(dir, 'sandbox'),
    fixture: { accounts: [account({ tokens: [{ value: 'svc_test_token', scopes: SCOPES }] })] },
    rate: 0,
  });
  const config = join(dir, 'sluice.yaml');
  const acme = {
    baseUrl: sandbox.baseUrl,
    tokens: ['env:TOKEN'],
    callsPerMinute: 60_000,
    assumptions: { 'readBack.settleSeconds': 2 },
  };
  await writeFile(config, stringify({ version: 1, admin: { port: 0 }, accounts: { acme } }));
  const panel = panelOf(sandbox.panelUrl);
  return {
    config,
    temporal,
    db,
    env: {
      TOKEN: 'svc_test_token',
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      TEMPORAL_NAMESPACE: temporal.namespace,
      DATABASE_URL: postgres.url,
    },
    url: postgres.url,
    panel,
    /** Somebody is due on that day. */
    async due(id: number, person: number, day: string): Promise<void> {
      const row = [id, numberOf(person), `Person ${person}`, day];
      await crm.query('insert into appointments values ($1, $2, $3, $4)', row);
    },
    /** Messages that the sandbox has, by number. */
    async messages(): Promise<Record<string, number>> {
      const { contacts, conversations } = (await panel.account()) as unknown as PanelAccount;
      const counts: Record<string, number> = {};
      for (const { contactId, messages } of conversations) {
        const { number = '' } = contacts.find(({ id }) => id === contactId) ?? {};
        counts[number] = (counts[number] ?? 0) + messages.filter(({ fromMe }) => fromMe).length;
      }
      return counts;
    },
    async close() {
      await sandbox.close();
      await crm.end();
      await db.close();
      await temporal.close();
      await postgres.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
