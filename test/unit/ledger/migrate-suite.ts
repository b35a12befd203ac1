// Migrations: run twice or by many at once, they leave the same tables.
import { describe, expect, it } from 'vitest';
import type { Database } from '../../../src/ledger/database.ts';
import { migrate } from '../../../src/ledger/migrations/migrations.ts';

async function emptied(db: Database): Promise<Database> {
  await db.query('drop schema public cascade');
  await db.query('create schema public');
  return db;
}

const tables = async (db: Database) =>
  (
    await db.query<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'public' order by 1",
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

    it('refuses a ledger of a newer Sluice, names the solution, and does not change it', async () => {
      const db = await emptied(database());
      await migrate(db);
      await db.query('insert into sluice_migrations (version) values (4711)');
      const before = await tables(db);
      await expect(migrate(db)).rejects.toThrow(/at version 4711.*use the newer Sluice/);
      expect(await tables(db)).toEqual(before);
      await db.query('delete from sluice_migrations where version = 4711');
      await migrate(db);
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
