// Sluice as the role of the guide, which may not change tables: all suites of the ledger, the budget and planning.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FIRST_VERSION, MIGRATIONS, migrate } from '../../../src/core/sql/migrations/migrations.ts';
import { type LeastPrivilege, leastPrivilege } from '../../support/postgres/least-privilege.ts';
import { planSuites } from '../../unit/activities/sync/plan/suites.ts';
import { ledgerSuites } from '../../unit/core/sql/suites.ts';

let place: LeastPrivilege;
beforeAll(async () => {
  place = await leastPrivilege();
});
afterAll(() => place?.stop());

const app = () => place.app;
ledgerSuites(app);
planSuites(app);

describe('the role of workers', () => {
  it.each([
    ['create table intruder (n int)'],
    ['create table public.intruder (n int)'],
    ['alter table runs add column intruder int'],
    ['drop table runs'],
    ['truncate runs cascade'],
    ['create or replace function sluice_words(value text) returns text[] language sql as $$ select null $$'],
    ['insert into sluice_migrations (version) values (4711)'],
    ['delete from sluice_migrations'],
    ["copy runs to program 'cat'"],
  ])('may not: %s', async (sql) => {
    await expect(app().query(sql)).rejects.toMatchObject({ code: '42501' });
  });

  it('starts on tables that are up to date, and changes nothing', async () => {
    const versions = 'select version, at from sluice_migrations order by version';
    const before = await app().query(versions);
    await migrate(app());
    expect(await app().query(versions)).toEqual(before);
  });

  it('refuses to start on older tables, and names the command for the owner', async () => {
    const next = [...MIGRATIONS, 'alter table runs add column later int'];
    await expect(migrate(app(), next)).rejects.toMatchObject({
      name: 'LedgerRoleError',
      done: FIRST_VERSION + MIGRATIONS.length - 1,
      message: expect.stringContaining('run `sluice ledger migrate`'),
    });
  });

  it('has limits for statements, locks and idle transactions', async () => {
    const [row] = await app().query(
      `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
              current_setting('idle_in_transaction_session_timeout') as idle`,
    );
    expect(row).toEqual({ statement: '5min', lock: '1min', idle: '5min' });
  });
});
