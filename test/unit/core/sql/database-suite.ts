// What the ledger relies on in a database: how values come back, transactions, and what an error shows.
import { describe, expect, it } from 'vitest';
import { LedgerError } from '../../../../src/core/sql/database.ts';
import { getRecord } from '../../../../src/jobs/sync/store/record-rows.ts';
import { addRowProblems } from '../../../../src/jobs/sync/store/row-problems.ts';
import { openRun } from '../../../../src/jobs/sync/store/runs.ts';
import { stageRecords } from '../../../../src/jobs/sync/store/staged-records.ts';
import { failureOf, freshAccount, type OpenDatabase, recordOf, runWith, specOf } from './support.ts';

const NAME = 'Canary Fairweather';
const PHONE = '5511987654321';

export function databaseSuite(database: OpenDatabase): void {
  describe('values are the same after a round trip', () => {
    it.each<[string, unknown]>([
      ['42::int8', 42],
      ['count(*)', 1],
      ['9007199254740991::int8', Number.MAX_SAFE_INTEGER],
      ["'2026-11-21T10:00:00.123Z'::timestamptz", new Date('2026-11-21T10:00:00.123Z')],
      [`'{"b": [1, null], "a": {"x": "é"}}'::jsonb`, { a: { x: 'é' }, b: [1, null] }],
      ["'null'::jsonb", null],
      ['0.25::real', 0.25],
      ['0.1::float8', 0.1],
      ['true', true],
      ['null::int8', null],
    ])('%s', async (sql, value) => {
      expect(await database().query(`select ${sql} as v`)).toEqual([{ v: value }]);
    });
  });

  describe('a transaction', () => {
    it('returns what its work returns', async () => {
      expect(await database().transaction((tx) => tx.query('select 7 as n'))).toEqual([{ n: 7 }]);
    });

    it('that throws is rolled back, and the next one works', async () => {
      const account = freshAccount();
      await expect(
        database().transaction(async (tx) => {
          await openRun(tx, specOf(account));
          throw new Error('crash');
        }),
      ).rejects.toThrow('crash');
      expect(await database().query('select id from runs where account = $1', [account])).toEqual([]);
      expect((await database().transaction((tx) => openRun(tx, specOf(account)))).id).toBe(
        `${account}/leads/1`,
      );
    });

    it('whose statement failed throws that error and leaves nothing behind', async () => {
      const account = freshAccount();
      const work = database().transaction(async (tx) => {
        await openRun(tx, specOf(account));
        await tx.query('select 1 from no_such_table');
      });
      await expect(work).rejects.toMatchObject({ name: 'LedgerError', code: '42P01' });
      expect(await database().query('select id from runs where account = $1', [account])).toEqual([]);
    });
  });

  describe('an error contains no personal data', () => {
    const insert = 'insert into people (account, key, remote_number) values ($1, $2, $3)';
    const cases: [string, string, string, readonly unknown[]][] = [
      ['a repeated key', '23505', `${insert}, ($1, $2, $3)`, ['acme', PHONE, NAME]],
      ['a missing value', '23502', insert, [null, PHONE, NAME]],
      ['a value of another type', '22P02', 'select $1::int', [NAME]],
      ['a value with quotes', '22P02', 'select $1::int', [`a"b ${NAME}`]],
      ['broken JSON', '22P02', 'select $1::jsonb', [`{"name": "${NAME}", "number": ${PHONE}`]],
      ['a date that is none', '22007', 'select $1::timestamptz', [NAME]],
      ['JSON that jsonb refuses', '22P05', 'select $1::jsonb', [`{"name": "${NAME}\\u0000"}`]],
    ];
    it.each(cases)('%s', async (_, code, sql, params) => {
      const { error, shown } = await failureOf(database().query(sql, params));
      expect(error).toBeInstanceOf(LedgerError);
      expect(error).toMatchObject({ code });
      expect(shown).not.toContain('Canary');
      expect(shown).not.toContain('Fairweather');
      expect(shown).not.toContain(PHONE);
    });

    it('names the constraint that was violated', async () => {
      const { error } = await failureOf(database().query(`${insert}, ($1, $2, $3)`, ['acme', PHONE, NAME]));
      expect(error).toMatchObject({ constraint: 'people_account_key_key' });
    });
  });

  it('a text that jsonb refuses blocks no page: NUL goes, half a surrogate pair is replaced', async () => {
    const { run, ids } = await runWith(database(), [4], {
      contact: { number: PHONE, name: 'A\u0000na \ud83d Souza 😀 \\u0000' },
      card: { pipeline: 'Sales', customFields: { 'pl\u0000an': '\udc00' } },
    });
    expect((await getRecord(database(), run.id, ids[0] as number)).payload).toMatchObject({
      contact: { name: 'Ana \ufffd Souza 😀 \\u0000' },
      card: { customFields: { plan: '\ufffd' } },
    });
    const problem = { field: 'contact.name', code: 'invalid', reason: 'no', value: '\u0000x\ud83d' };
    await addRowProblems(database(), run.id, [{ row: 1, kind: 'reject', problem }]);
    expect(await database().query('select value from row_problems where run_id = $1', [run.id])).toEqual([
      { value: 'x\ufffd' },
    ]);
  });

  it('a person twice in one call of stageRecords is an error, not half a page', async () => {
    const { run } = await runWith(database(), []);
    const twice = [1, 2].map((row) => ({ key: PHONE, row, record: recordOf(PHONE), todo: 4 }));
    await expect(stageRecords(database(), run.id, twice)).rejects.toMatchObject({ code: '21000' });
    expect(await database().query('select id from run_records where run_id = $1', [run.id])).toEqual([]);
  });

  it('a record staged as fresh never replaces the one that is there', async () => {
    const { run } = await runWith(database(), []);
    const first = { key: PHONE, row: 1, record: recordOf(PHONE), todo: 4 };
    await stageRecords(database(), run.id, [first], { fresh: true });
    const again = stageRecords(database(), run.id, [{ ...first, todo: 1 }], { fresh: true });
    await expect(again).rejects.toMatchObject({ code: '23505', constraint: 'run_records_key' });
    const kept = 'select row_no, todo from run_records where run_id = $1';
    expect(await database().query(kept, [run.id])).toEqual([{ row_no: 1, todo: 4 }]);
  });
}
