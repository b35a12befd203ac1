// Planning on PGlite; test/e2e/postgres runs the same on PostgreSQL.
import { afterAll } from 'vitest';
import { embeddedLedger } from '../../../../support/postgres/ledger.ts';
import { planSuites } from './suites.ts';

const db = await embeddedLedger();
afterAll(() => db.close());

planSuites(() => db);
