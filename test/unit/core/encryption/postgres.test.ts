// Values at rest on PostgreSQL.
import { testLedger } from '../../../support/postgres/ledger.ts';
import { encryptionSuite } from './encryption-suite.ts';

const db = await testLedger();

encryptionSuite(() => db);
