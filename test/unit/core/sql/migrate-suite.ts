// Migrations: run twice or by many at once, they leave the same tables.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../../../src/core/sql/database.ts';
import { LEAST_VERSION, migrate, versionOf } from '../../../../src/core/sql/migrations/migrations.ts';
import { KEYED_PSEUDONYMS } from '../../../../src/core/sql/migrations/pseudonyms.ts';

async function emptied(db: Database): Promise<Database> {
  await db.query('drop schema public cascade');
  await db.query('create schema public');
  return db;
}

const tables = async (db: Database) =>
  (
    await db.query<{ name: string }>(
      'select table_name as name from information_schema.tables where table_schema = current_schema() order by 1',
    )
  ).map(({ name }) => name);

/** @param others further connections to the same database, for those databases that have them */
export function migrateSuite(database: () => Database, others: () => readonly Database[] = () => []): void {
  describe('migrate', () => {
    it('run by ten processes at once creates the tables once; a second run changes nothing', async () => {
      const db = await emptied(database());
      const pools = [db, ...others()];
      await Promise.all(Array.from({ length: 10 }, (_, n) => migrate(pools[n % pools.length] as Database)));
      const made = await tables(db);
      expect(made).toEqual(
        expect.arrayContaining(['cards', 'intents', 'people', 'run_records', 'runs', 'slots']),
      );
      const versions = await db.query('select version, at from sluice_migrations order by version');
      await migrate(db);
      expect(await tables(db)).toEqual(made);
      expect(await db.query('select version, at from sluice_migrations order by version')).toEqual(versions);
    });

    it('works with a ledger that a newer Sluice has added to, and does not change it', async () => {
      const db = await emptied(database());
      await migrate(db);
      await db.query('alter table runs add column of_the_future text');
      await db.query('insert into sluice_migrations (version, least_program) values (4711, 0)');
      const before = await tables(db);
      await Promise.all([db, ...others()].map(migrate));
      expect(await tables(db)).toEqual(before);
      expect(await versionOf(db)).toBe(4711);
    });

    it('refuses a ledger that a newer Sluice has taken something from, names the solution, and does not change it', async () => {
      const db = await emptied(database());
      await migrate(db);
      await db.query('insert into sluice_migrations (version, least_program) values (4710, 4710), (4711, 0)');
      const before = await tables(db);
      await expect(migrate(db)).rejects.toThrow(
        /at version 4711 and needs.* version 4710.*use the newer Sluice/,
      );
      expect(await tables(db)).toEqual(before);
    });

    it('says which programs may use the tables', async () => {
      const db = await emptied(database());
      await migrate(db);
      const [row] = await db.query('select max(least_program) as least from sluice_migrations');
      expect(row).toEqual({ least: LEAST_VERSION });
    });

    it('converts the opt-outs of erased people to the keyed hash, so that they are still recognized', async () => {
      const db = await emptied(database());
      await migrate(db);
      const account = 'acme';
      const number = '5511912345601';
      const plain = createHash('sha256').update(`${account}/${number}`).digest('hex');
      // As a ledger of the version before has it.
      await db.query(`insert into opt_outs (account, key, via, at) values ($1, $2, 'tag', now())`, [
        account,
        `erased:${plain}`,
      ]);
      await db.query('drop table ledger_keys');
      for (const statement of KEYED_PSEUDONYMS) await db.query(statement);
      expect(
        await db.query('select 1 as found from opt_outs where key = sluice_pseudonym($1, $2)', [
          account,
          number,
        ]),
      ).toEqual([{ found: 1 }]);
      expect(await db.query(`select key from opt_outs where key like '%' || $1`, [plain])).toEqual([]);
    });

    it('that fails half-way is rolled back, so that it can run again', async () => {
      const db = await emptied(database());
      await db.query('create table slots (in_the_way int)');
      await expect(migrate(db)).rejects.toMatchObject({ code: '42P07' });
      expect(await tables(db)).toEqual(['slots']);
      await db.query('drop table slots');
      await migrate(db);
      expect(await tables(db)).toContain('runs');
    });
  });
}
