// Values at rest on PostgreSQL.
import { beforeAll } from 'vitest';
import type { Database } from '../../../../src/core/sql/database.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';
import { encryptionSuite } from './encryption-suite.ts';

let db: Database;
beforeAll(async () => {
  db = await testLedger();
});

encryptionSuite(() => db);
