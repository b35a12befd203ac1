// The budget on PGlite; test/e2e/postgres runs the same on PostgreSQL.
import { afterAll, beforeAll } from 'vitest';
import { type Database, openPglite } from '../../../src/ledger/database.ts';
import { migrate } from '../../../src/ledger/migrations.ts';
import { readCluster } from '../../support/cluster.ts';
import { recordSlots, slotsSuite } from './slots-suite.ts';

let db: Database;
beforeAll(async () => {
  db = await openPglite('memory://', await readCluster());
  await migrate(db);
  await recordSlots(db);
});
afterAll(() => db.close());

slotsSuite(() => db);
