// The budget on PGlite; test/e2e/postgres runs the same on PostgreSQL.
import { afterAll, beforeAll } from 'vitest';
import type { Database } from '../../../../src/core/sql/database.ts';
import { embeddedLedger } from '../../../support/postgres/ledger.ts';
import { slotsSuite } from './slots-suite.ts';
import { recordSlots } from './slots-support.ts';
import { tokensSuite } from './tokens-suite.ts';

let db: Database;
beforeAll(async () => {
  db = await embeddedLedger();
  await recordSlots(db);
});
afterAll(() => db.close());

slotsSuite(() => db);
tokensSuite(() => db);
