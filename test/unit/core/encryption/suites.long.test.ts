// The suites of the ledger once more, on PGlite with keys: whatever is written encrypted is read as before.
import { afterAll, beforeAll } from 'vitest';
import { encryptedDatabase } from '../../../../src/core/encryption/encrypted-database.ts';
import type { Database } from '../../../../src/core/sql/database.ts';
import { embeddedLedger } from '../../../support/postgres/ledger.ts';
import { ledgerSuites } from '../sql/suites.ts';
import { cipherOf } from './keys.ts';

let db: Database;
beforeAll(async () => {
  db = encryptedDatabase(await embeddedLedger(), cipherOf('2026-11'));
});
afterAll(() => db.close());

ledgerSuites(() => db);
