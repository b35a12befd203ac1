// An operator over a configuration file and a ledger, and exports of a CRM to upload.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { CONFIG_CHECKS } from '../../../../src/app/config-checks.ts';
import { type LoadedConfig, loadConfig } from '../../../../src/config/load.ts';
import { type Database, openPglite } from '../../../../src/core/sql/database.ts';
import { migrate } from '../../../../src/core/sql/migrations/migrations.ts';
import type { Input } from '../../../../src/operator/contract/index.ts';
import { openTestOperator, type TestOperator } from '../../../support/operator/operator.ts';
import { layCluster } from '../../../support/postgres/cluster.ts';

export const YAML = `# Accounts of the shop.
version: 1
accounts:
  acme: # the main one
    baseUrl: http://127.0.0.1:9/wapi
    tokens: [env:TOKEN]

sources:
  old: { type: csv, path: old.csv } # kept
mappings:
  old:
    contact: { number: phone }
syncs:
  old: { account: acme, source: old, mapping: old }
`;
export const CSV = `Telefone;Nome;E-mail;Etapa
+55 11 98765-4321;Canaria Silva;canaria@mail.example;Novo
none;<script>alert(1)</script>;x;Novo
+55 11 98765-4322;=HYPERLINK("http://evil");b@mail.example;Ganho
`;
export const MAPPING = {
  defaultCountry: 'BR',
  contact: { number: 'Telefone', name: 'Nome', email: 'E-mail' },
};

/** Opens a new operator and the same configuration before each test of the file. */
export function firstSyncContext() {
  let dir: string;
  let db: Database;
  let config: LoadedConfig;
  let operator: TestOperator;
  const open = async (loaded: LoadedConfig) => {
    await operator?.close();
    config = loaded;
    operator = await openTestOperator({ db, temporal: null, config, stateDir: dir });
  };
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sluice-first-'));
    await layCluster(join(dir, 'ledger'));
    db = await openPglite(join(dir, 'ledger'));
    await migrate(db);
  });
  beforeEach(async () => {
    await rm(join(dir, 'data'), { recursive: true, force: true });
    await writeFile(join(dir, 'sluice.yaml'), YAML);
    await open(await loadConfig(join(dir, 'sluice.yaml'), { env: {}, ...CONFIG_CHECKS }));
  });
  afterAll(async () => {
    await operator.close();
    await db.close();
    await rm(dir, { recursive: true, force: true });
  });
  return {
    get dir() {
      return dir;
    },
    get db() {
      return db;
    },
    get config() {
      return config;
    },
    get operator() {
      return operator;
    },
    /** Opens another operator, over the configuration as it is on the disk. */
    reopen: async () => await open(await config.reload()),
    upload: async (text: string, name = 'export.csv') =>
      await operator.client.call('POST /uploads', { name, file: Buffer.from(text) }),
    made: (id: string, sync = 'leads'): Input<'POST /uploads/{upload}/sync'> => ({
      upload: id,
      account: 'acme',
      sync,
      mapping: MAPPING,
    }),
  };
}
