// Values at rest on PGlite, in memory.
import { afterAll, beforeAll } from 'vitest';
import type { Database } from '../../../../src/core/sql/database.ts';
import { embeddedLedger } from '../../../support/postgres/ledger.ts';
import { encryptionSuite } from './encryption-suite.ts';

let db: Database;
beforeAll(async () => {
  db = await embeddedLedger();
});
afterAll(() => db.close());

encryptionSuite(() => db);
