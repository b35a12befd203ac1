// Rows that were rejected or merged, as a search finds them: from the source through the plan into the ledger.
import { describe, expect, it } from 'vitest';
import { planPages } from '../../../../activities/sync/plan/plan-run.ts';
import type { Source } from '../../../../src/core/source.ts';
import { getRun, openRun } from '../../../../src/jobs/sync/store/runs.ts';
import { compileMapping } from '../../../../src/mapping/index.ts';
import type { IdentityQuery } from '../../../../src/operator/store/people/identity-match.ts';
import { laterRuns } from '../../../../src/operator/store/people/row-later.ts';
import { type FoundRow, searchRows } from '../../../../src/operator/store/people/row-search.ts';
import { freshAccount, type OpenDatabase, specOf } from '../../core/sql/support.ts';
import { addRow } from './person-rows.ts';

const NONE = { keys: [], whole: true, email: null, name: null, digits: null, tail: null };
const PAGES = [
  [
    { nome: 'João Ávila', mail: 'Joao@Mail.example', fone: '(11) 9123-45' },
    { nome: 'Rita Nunes', mail: 'rita@mail.example', fone: '+55 11 91234-5601' },
    { nome: 'Caio\u0000 Prado', mail: 'caio@mail.example', fone: '+55 11 91234-5601' },
    { nome: 'Ana', mail: '', fone: '+55 11 91234-5602', cpf: '11122233396' },
  ],
  [
    { nome: 'Sem Telefone', mail: 'sem@mail.example', fone: '' },
    { nome: '', mail: '', fone: '77' },
    { nome: null, mail: null, fone: null },
    null,
    { nome: 'Ana', mail: 'ana@mail.example', fone: '+55 11 91234-5602', cpf: '98765432100' },
  ],
] as const;

const source: Source = {
  async read(cursor) {
    const page = Number(cursor?.page ?? 0);
    const rows = (PAGES[page] ?? []).map((values, n) => ({ row: page * 10 + n + 2, values }));
    return { rows, next: page + 1 < PAGES.length ? { page: page + 1 } : null, progress: null };
  },
};

export function rowSearchSuite(database: OpenDatabase): void {
  async function planned() {
    const account = freshAccount();
    const base = specOf(account);
    const contact = { number: 'fone', name: 'nome', email: 'mail', document: 'cpf' };
    const run = await openRun(database(), {
      ...base,
      mapping: { ...base.mapping, defaultCountry: 'BR', contact },
    });
    const deps = { db: database(), openSource: () => source, compileMapping, memories: new Map() };
    await planPages(deps, run.id, { more: () => true });
    const find = (query: Partial<IdentityQuery>): Promise<FoundRow[]> =>
      searchRows(database(), { ...NONE, accounts: [account], ...query }, 20);
    return { account, run: run.id, find };
  }

  describe('rows without a record', () => {
    const ways: [what: string, query: Partial<IdentityQuery>, rows: number[]][] = [
      ['the whole name, without accents and in capitals', { name: 'AVILA JOAO' }, [2]],
      ['the beginning of a name', { name: 'joa', whole: false }, [2]],
      ['no part of a name if it must be whole', { name: 'joao' }, []],
      ['the address in other capitals', { email: 'JOAO@mail.example' }, [2]],
      ['no beginning of an address if it must be whole', { email: 'joao@' }, []],
      ['the digits of a number that is too short', { digits: '11912345' }, [2]],
      ['no part of these digits', { digits: '1191234' }, []],
      ['a number of two digits', { digits: '77' }, [13]],
      ['the name of a merged row', { name: 'caio prado' }, [4]],
      ['the number of a merged row', { keys: ['5511912345601'] }, [4]],
      ['the end of a number', { digits: '12345601', tail: '12345601', whole: false }, [4]],
      ['the name of a row without a number', { name: 'sem telefone' }, [12]],
      ['the name of rows that contradict each other on two pages', { name: 'ana' }, [5, 16]],
      ['the address of one of them', { email: 'ana@mail.example' }, [16]],
      ['an apostrophe and an operator', { name: "o'joao | avila" }, []],
      ['nothing', {}, []],
    ];
    it('are found by what they say, and by nothing else', async () => {
      const { find } = await planned();
      for (const [what, query, rows] of ways) {
        const found = await find(query);
        expect([what, found.map(({ row }) => row)]).toEqual([what, rows]);
        expect([what, await find({ ...query, accounts: [freshAccount()] })]).toEqual([what, []]);
      }
    });

    it('are shown with run, row, reason and what was matched', async () => {
      const { account, run, find } = await planned();
      const both = { name: 'joão ávila', email: 'joao@mail.example', digits: '11912345' };
      expect(await find(both)).toMatchObject([
        {
          account,
          sync: 'leads',
          run,
          row: 2,
          by: ['email', 'name', 'phone'],
          name: 'João Ávila',
          email: 'Joao@mail.example',
          number: '(11) 9123-45',
          rejected: { column: 'fone', field: 'contact.number', value: '(11) 9123-45' },
          merged: null,
        },
      ]);
      expect(await find({ name: 'caio prado' })).toMatchObject([
        { row: 4, rejected: null, merged: { key: '5511912345601', into: 3 } },
      ]);
      expect(await find({ name: 'ana' })).toMatchObject([
        { row: 5, rejected: { code: 'conflict' }, merged: null },
        { row: 16, rejected: { code: 'conflict' }, merged: null },
      ]);
    });

    describe('after a later run', () => {
      type Later = Readonly<Record<string, unknown>>;
      const KEY = '5511912345999';
      const joao = { name: 'João Ávila', email: 'joao@mail.example' };
      const sent = { row: 7, at: '2026-11-03T08:00:00.000Z' };
      const whole = { pages: 1, spec: { source: { type: 'csv' } } };
      const partial = { pages: 1, spec: { partial: true } };
      const KINDS: [
        what: string,
        later: Later,
        person: Later,
        record: Later | null,
        row: number | null | 'none',
      ][] = [
        ['that sent their address', partial, { email: 'JOAO@mail.example' }, {}, 7],
        ['that sent their full name', partial, { name: 'joao avila' }, {}, 7],
        [
          'that sent their name with another address',
          partial,
          { name: 'João Ávila', email: 'j@x.example' },
          {},
          'none',
        ],
        ['that sent a longer name', partial, { name: 'João Ávila Neto' }, {}, 'none'],
        ['that failed to send them', partial, joao, { status: 'failed' }, 'none'],
        ['that only planned', { ...partial, kind: 'plan' }, joao, {}, 'none'],
        ['of another sync', { ...partial, sync: 'others' }, joao, {}, 'none'],
        ['that sent them after they left the source', partial, joao, { row_no: 0 }, 'none'],
        ['that read some rows', partial, joao, null, 'none'],
        ['that read the whole source', whole, joao, null, null],
        ['that read the whole source and sent them', whole, joao, {}, 7],
        ['that read the whole source and failed', { ...whole, status: 'failed' }, joao, null, 'none'],
        ['that read new rows only', { pages: 1, spec: { source: { incremental: {} } } }, joao, null, 'none'],
      ];
      it.each(KINDS)('%s', async (_, run, person, record, expected) => {
        const { account, find } = await planned();
        const db = database();
        const id = `${account}/leads/2`;
        const ended = { started_at: sent.at, finished_at: sent.at, status: 'finished' };
        await addRow(db, 'runs', { id, account, sync: 'leads', seq: 2, kind: 'sync', ...ended, ...run });
        await addRow(db, 'people', { account, key: KEY, ...person });
        if (record !== null)
          await addRow(db, 'run_records', {
            run_id: id,
            key: KEY,
            row_no: 7,
            todo: 0,
            status: 'created',
            sent_at: sent.at,
            ...record,
          });
        const found = await find({ name: 'avila joao' });
        const later = await laterRuns(db, found);
        expect(found.map((row) => later.get(row))).toEqual([
          expected === 'none' ? undefined : { run: id, row: expected, at: sent.at },
        ]);
      });

      it('a name of one word, or a person that the run of the rejection had, is no evidence', async () => {
        const { account, find } = await planned();
        const db = database();
        const id = `${account}/leads/2`;
        await addRow(db, 'runs', {
          id,
          account,
          sync: 'leads',
          seq: 2,
          kind: 'sync',
          status: 'finished',
          started_at: sent.at,
          finished_at: sent.at,
          ...partial,
        });
        await addRow(db, 'people', { account, key: KEY, name: 'Ana' });
        await addRow(db, 'run_records', {
          run_id: id,
          key: '5511912345601',
          row_no: 9,
          todo: 0,
          status: 'created',
        });
        await addRow(db, 'people', { account, key: '5511912345601', ...joao });
        await addRow(db, 'run_records', { run_id: id, key: KEY, row_no: 7, todo: 0, status: 'created' });
        for (const name of ['ana', 'avila joao']) {
          const found = await find({ name });
          expect(found.length).toBeGreaterThan(0);
          expect((await laterRuns(db, found)).size).toBe(0);
        }
      });
    });

    it('are no longer found when their run is deleted', async () => {
      const { run, find } = await planned();
      expect(await getRun(database(), run)).toMatchObject({ rows_rejected: 7, rows_merged: 1 });
      await database().query('delete from runs where id = $1', [run]);
      expect(await find({ name: 'sem telefone' })).toEqual([]);
    });
  });
}
