// The ledger on a real PostgreSQL: the suites of PGlite, from two pools as two processes would have them.
import { afterAll, beforeAll } from 'vitest';
import { type Database, openPostgres } from '../../../src/core/sql/database.ts';
import { migrate } from '../../../src/core/sql/migrations/migrations.ts';
import { startPostgres, type TestPostgres } from '../../support/postgres/postgres.ts';
import { planSuites } from '../../unit/activities/sync/plan/suites.ts';
import { migrateSuite } from '../../unit/core/sql/migrate-suite.ts';
import { ledgerSuites } from '../../unit/core/sql/suites.ts';

let server: TestPostgres;
let db: Database;
let other: Database;
beforeAll(async () => {
  server = await startPostgres();
  db = await openPostgres(server.url, console.error);
  other = await openPostgres(server.url, console.error);
  await migrate(db);
});
afterAll(async () => {
  await Promise.all([db, other].map((each) => each.close()));
  await server.stop();
});

ledgerSuites(() => db);
planSuites(() => db);
migrateSuite(
  () => db,
  () => [other],
);
