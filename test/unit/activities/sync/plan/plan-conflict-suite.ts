// Rows of one number that contradict each other: the same outcome however they fall on pages, whatever the ledger knows,
// and counts that add up.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dryRun } from '../../../../../activities/sync/plan/plan-dry.ts';
import type { CrmRecord } from '../../../../../src/core/record.ts';
import type { SyncConfig } from '../../../../../src/jobs/sync/config.ts';
import type { RunSpec } from '../../../../../src/jobs/sync/contract/run.ts';
import { endRecord, settleStep } from '../../../../../src/jobs/sync/store/records.ts';
import { listWarnings } from '../../../../../src/jobs/sync/store/run-warnings.ts';
import { unleased } from '../../../../support/postgres/ledger.ts';
import { freshAccount, type OpenDatabase, phone, recordOf, specOf } from '../../../core/sql/support.ts';
import { know } from './plan-merge-suite.ts';
import { mappingOf, planAll, planner, type Row, sourceOf } from './plan-support.ts';

const PEOPLE = 3;
const contact = fc.record(
  {
    name: fc.constantFrom('Ana', 'Ana Souza', 'ANA SOUZA', 'Ana Lima', 'Bruno', '.'),
    email: fc.constantFrom('a@mail.example', 'A@mail.example', 'b@mail.example'),
    document: fc.constantFrom('111.222.333-96', '11122233396', '98765432100', '0'),
  },
  { requiredKeys: [] },
);
const good = fc
  .tuple(fc.nat(PEOPLE - 1), contact, fc.boolean())
  .map(([n, fields, tagged]) =>
    recordOf(phone(n), { contact: { number: phone(n), ...fields }, tags: tagged ? ['crm'] : [] }),
  );
const rows: fc.Arbitrary<Row[]> = fc.array(
  fc.oneof(
    { weight: 9, arbitrary: good },
    { weight: 1, arbitrary: fc.constantFrom(null, { bad: phone(1) }) },
  ),
  { minLength: 1, maxLength: 14 },
);
const rule = fc.constantFrom('merge' as const, 'first' as const, 'refuse' as const);
const onConflict: fc.Arbitrary<SyncConfig['onConflict']> = fc.oneof(
  fc.constant(undefined),
  rule,
  fc.record({ document: rule, name: rule, email: rule }, { requiredKeys: [] }),
);

export function planConflictSuite(database: OpenDatabase): void {
  const specWith = (options: Partial<RunSpec['options']>): RunSpec => {
    const base = specOf(freshAccount());
    return {
      ...base,
      options: { ...base.options, ...options },
      mapping: {
        ...base.mapping,
        contact: { number: 'phone', name: 'nome', document: 'cpf' },
        tags: ['tags'],
      },
    };
  };
  /** Plans the pages, in a new process behind each page where `restarts` says so, and answers all that the run holds. */
  async function plannedAs(spec: RunSpec, pages: readonly (readonly Row[])[], restarts: readonly boolean[]) {
    const source = sourceOf(pages);
    let plan = planner(database(), source, spec);
    const id = await plan.open();
    for (let page = 0; !(await plan.page(id)).done; page++) {
      if (restarts[page] === true) plan = planner(database(), source, spec);
    }
    const all = (sql: string) => database().query(sql, [id]);
    const records = await all(
      'select key, row_no, payload, todo, status from run_records where run_id = $1 order by key',
    );
    const problems = await all(
      `select row_no, kind, field, code, reason, value, source_column, other_row, other_value
         from row_problems where run_id = $1 order by row_no, field`,
    );
    const merged = await all(
      'select row_no, key, into_row from merged_rows where run_id = $1 order by row_no',
    );
    expect(await all('select 1 from plan_claims where run_id = $1')).toEqual([]);
    const { run: _run, seconds: _seconds, ...report } = await plan.close(id, 'cancelled');
    return { records, problems, merged, report };
  }

  it('the outcome of every row does not depend on pages or restarts, and the counts add up', async () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 20 });
    const restarts = fc.array(fc.boolean(), { minLength: 20, maxLength: 20 });
    const known = fc.array(fc.boolean(), { minLength: PEOPLE, maxLength: PEOPLE });
    const mode = fc.constantFrom('upsert' as const, 'mirror' as const);
    await fc.assert(
      fc.asyncProperty(
        rows,
        cuts,
        restarts,
        known,
        onConflict,
        mode,
        async (rows, cuts, restarts, known, onConflict, mode) => {
          const [one, many] = [specWith({ onConflict, mode }), specWith({ onConflict, mode })];
          for (const [n, is] of known.entries()) {
            const first = rows.find(
              (row): row is CrmRecord => row !== null && 'key' in row && row.key === phone(n),
            );
            if (is && first !== undefined) for (const spec of [one, many]) await know(database, spec, first);
          }
          const pages: Row[][] = [];
          for (let at = 0, cut = 0; at < rows.length; cut++) {
            const size = cuts[cut % cuts.length] as number;
            pages.push(rows.slice(at, at + size));
            at += size;
          }
          const whole = await plannedAs(one, [rows], []);
          const paged = await plannedAs(many, pages, restarts);
          // A person who has nothing to do may have a record or be a count: what is pending must be the same.
          const pending = (of: typeof whole) =>
            of.records.filter((row) => (row as { status: string }).status === 'pending');
          expect(pending(paged)).toEqual(pending(whole));
          expect(paged.problems).toEqual(whole.problems);
          expect(paged.merged).toEqual(whole.merged);
          expect(paged.report).toEqual(whole.report);
          const dry = await dryRun(database(), {
            spec: specWith({ onConflict, mode }),
            samples: 0,
            callsPerMinute: 120,
            makers: { openSource: () => sourceOf(pages), compileMapping: mappingOf },
            onProgress() {},
          });
          expect(dry.merged).toBe(paged.report.merged);
          expect(dry.rejected).toBe(paged.report.rejected);
          expect(dry.create + dry.merged + dry.rejected).toBe(rows.length);
          const {
            read,
            created,
            updated,
            unchanged,
            merged,
            rejected,
            failed,
            unknown,
            pending: left,
          } = paged.report;
          expect(read).toBe(rows.length);
          expect(created + updated + unchanged + merged + rejected + failed + unknown + left).toBe(read);
          expect(paged.merged).toHaveLength(merged);
          const rejects = paged.problems.filter((row) => (row as { kind: string }).kind === 'reject');
          expect(new Set(rejects.map((row) => (row as { row_no: number }).row_no)).size).toBe(rejected);
        },
      ),
      { numRuns: 60 },
    );
  });

  describe('a number that is refused', () => {
    const ana = (fields = {}) =>
      recordOf(phone(1), { contact: { number: phone(1), name: 'Ana', document: '11122233396', ...fields } });
    const bruno = ana({ name: 'Bruno', document: '98765432100' });
    const other = (n: number) => recordOf(phone(n), { contact: { number: phone(n), name: `P${n}` } });
    const incremental = {
      type: 'postgres',
      url: 'env:U',
      table: 't',
      key: 'id',
      tls: false,
      timeout: 60_000,
      incremental: { column: 'c' },
    } as unknown as RunSpec['source'];

    it('has none of its rows written, thousands of rows apart, with a person known or new', async () => {
      for (const isKnown of [false, true]) {
        const spec = specWith({});
        if (isKnown) await know(database, spec, ana());
        const filler = Array.from({ length: 5000 }, (_, n) => other(100 + n));
        const { records, report, problems } = await plannedAs(
          spec,
          [
            [ana(), ...filler.slice(0, 2500)],
            [ana({ email: 'a@mail.example' }), ...filler.slice(2500)],
            [bruno, ana()],
          ],
          [true, true],
        );
        expect(report).toMatchObject({ read: 5004, rejected: 4, merged: 0, pending: 5000 });
        expect(records.some((row) => (row as { key: string }).key === phone(1))).toBe(false);
        expect([...new Set(problems.map((row) => (row as { row_no: number }).row_no))]).toEqual([
          1, 2502, 5003, 5004,
        ]);
        expect(problems[0]).toMatchObject({
          reason: expect.stringContaining('rows 1 and 5003 have this number and different documents'),
          source_column: 'cpf',
          value: '11122233396',
          other_row: 5003,
          other_value: '98765432100',
        });
      }
    });

    it('in a later run is an update: the rows of an earlier run contradict nothing', async () => {
      const spec = specWith({});
      await plannedAs(spec, [[ana()]], []);
      expect((await plannedAs(spec, [[bruno]], [])).report).toMatchObject({
        read: 1,
        rejected: 0,
        pending: 1,
      });
    });

    it('is still in the source: a mirror changes nobody because of it', async () => {
      const spec = specWith({ mode: 'mirror', vanished: 'remove-tags' });
      const rows = [ana({ tags: ['crm'] }), other(2), other(3)];
      for (const record of rows) await know(database, spec, record);
      await plannedAs(spec, [rows], []);
      const { records, report } = await plannedAs(
        spec,
        [
          [ana(), other(2)],
          [other(3), bruno],
        ],
        [true],
      );
      expect(records.filter((row) => (row as { row_no: number }).row_no === 0)).toEqual([]);
      expect(report).toMatchObject({ vanished: 0, rejected: 2 });
    });

    it('keeps what the previous run left undone, and the watermark, so that its rows are read again', async () => {
      const spec = { ...specWith({}), source: incremental };
      const run = async (pages: readonly (readonly Row[])[], mark: number, end: 'fail' | 'settle') => {
        const source = sourceOf(pages, { mark });
        const id = await planAll(database(), source, spec);
        const staged = await database().query<{ id: number; todo: number; name: string }>(
          `select id, todo, payload #>> '{contact,name}' as name from run_records where run_id = $1 order by id`,
          [id],
        );
        for (const { id: record, todo } of staged) {
          const failure = { status: 'failed', step: 's', code: 'C', reason: 'r' } as const;
          if (end === 'fail') await endRecord(database(), unleased(record), failure);
          else await settleStep(database(), unleased(record), { clear: todo, touched: true });
        }
        const report = await planner(database(), source, spec).close(id);
        const warnings = (await listWarnings(database(), id)).map(({ code }) => code);
        return { report, warnings, names: staged.map(({ name }) => name), since: source.since[0] };
      };
      await run([[ana({ name: 'Left' })]], 1, 'fail');
      const second = await run([[ana(), other(2)], [bruno]], 2, 'settle');
      expect(second.names).toEqual(['Left', 'P2']);
      expect(second.report).toMatchObject({ read: 4, carried: 1, merged: 0, rejected: 2, updated: 2 });
      expect(second.warnings).toContain('WATERMARK_KEPT');
      const third = await run([[ana(), other(2)]], 3, 'settle');
      expect(third).toMatchObject({ since: { mark: 1 }, names: ['Ana', 'P2'], warnings: [] });
      expect((await run([[]], 4, 'settle')).since).toEqual({ mark: 3 });
    });
  });
}
