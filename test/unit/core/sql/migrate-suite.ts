// Migrations: run twice or by many at once, they leave the same tables.
import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../../../src/core/sql/database.ts';
import {
  FIRST_VERSION,
  LEAST_VERSION,
  MIGRATIONS,
  migrate,
  versionOf,
} from '../../../../src/core/sql/migrations/migrations.ts';

/** What a release after the first one may add. */
const LATER = [...MIGRATIONS, 'alter table runs add column later int;\n create table later (n int);\n'];
const VERSIONS = 'select version, at, least_program from sluice_migrations order by version';

async function emptied(db: Database): Promise<Database> {
  await db.query('drop schema public cascade');
  await db.query('create schema public');
  return db;
}

/** The first schema alone. */
const FIRST = MIGRATIONS.slice(0, 1);

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
      const versions = await db.query(VERSIONS);
      await migrate(db);
      expect(await tables(db)).toEqual(made);
      expect(await db.query(VERSIONS)).toEqual(versions);
    });

    it('gives a new ledger the first version and all after it, and says which programs may use its tables', async () => {
      const db = await emptied(database());
      await migrate(db);
      expect(await db.query(VERSIONS)).toEqual(
        MIGRATIONS.map((_, n) => {
          const version = FIRST_VERSION + n;
          return {
            version,
            at: expect.any(Date),
            least_program: version === LEAST_VERSION ? LEAST_VERSION : 0,
          };
        }),
      );
    });

    it('run by ten processes of the next release at once adds what is new, once, and older ones work on', async () => {
      const db = await emptied(database());
      await migrate(db);
      const known = await db.query(VERSIONS);
      const pools = [db, ...others()];
      await Promise.all(
        Array.from({ length: 10 }, (_, n) => migrate(pools[n % pools.length] as Database, LATER)),
      );
      const versions = await db.query(VERSIONS);
      expect(versions).toEqual([
        ...known,
        { version: FIRST_VERSION + MIGRATIONS.length, at: expect.any(Date), least_program: 0 },
      ]);
      expect(await db.query('select later from runs')).toEqual([]);
      await migrate(db);
      expect(await db.query(VERSIONS)).toEqual(versions);
    });

    it('takes over a ledger that was brought to the first version step by step, and changes nothing', async () => {
      const db = await emptied(database());
      await migrate(db, FIRST);
      await db.query('delete from sluice_migrations');
      await db.query(
        `insert into sluice_migrations (version, least_program)
         select n, case n when 27 then 27 else 0 end from generate_series(1, $1::int) n`,
        [FIRST_VERSION],
      );
      const before = [await tables(db), await db.query(VERSIONS)];
      await migrate(db, FIRST);
      expect([await tables(db), await db.query(VERSIONS)]).toEqual(before);
    });

    it.each([1, FIRST_VERSION - 1])(
      'refuses a ledger at version %i, from before the first release, names the solution, and does not change it',
      async (version) => {
        const db = await emptied(database());
        await db.query('create table runs (id text primary key)');
        await db.query(
          'create table sluice_migrations (version int primary key, at timestamptz default now(), least_program int not null default 0)',
        );
        await db.query('insert into sluice_migrations (version) select generate_series(1, $1::int)', [
          version,
        ]);
        const before = [await tables(db), await db.query(VERSIONS)];
        for (const migrations of [MIGRATIONS, LATER])
          await expect(migrate(db, migrations)).rejects.toThrow(
            new RegExp(
              `at version ${version}, from before .* from version ${FIRST_VERSION} on: use an empty database`,
            ),
          );
        expect([await tables(db), await db.query(VERSIONS)]).toEqual(before);
      },
    );

    it('works with a ledger that a newer Sluice has added to, and does not change it', async () => {
      const db = await emptied(database());
      await migrate(db);
      await db.query('alter table runs add column of_the_future text');
      await db.query('insert into sluice_migrations (version, least_program) values (4711, 0)');
      const before = await tables(db);
      await Promise.all([db, ...others()].map((each) => migrate(each)));
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

    it('makes pseudonyms with a key of the ledger, by HMAC-SHA256', async () => {
      const db = await emptied(database());
      await migrate(db);
      const [row] = await db.query<{ made: string; inner: string; outer: string }>(
        `select sluice_pseudonym('acme', '5511912345601') as made,
                encode(inner_pad, 'hex') as inner, encode(outer_pad, 'hex') as outer from ledger_keys`,
      );
      const keyOf = (pad: string | undefined, constant: number) =>
        Buffer.from(pad ?? '', 'hex').map((byte) => byte ^ constant);
      const key = keyOf(row?.inner, 0x36);
      expect(keyOf(row?.outer, 0x5c)).toEqual(key);
      expect(new Set(key.subarray(0, 32)).size).toBeGreaterThan(8);
      const message = createHash('sha256').update('acme/5511912345601').digest();
      expect(row?.made).toBe(`erased:${createHmac('sha256', key).update(message).digest('hex')}`);
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
