// Incremental sources: the watermark moves with a finished run only, and what a run left undone is taken over.
import { ApplicationFailure } from '@temporalio/activity';
import { describe, expect, it } from 'vitest';
import { SourceConfig } from '../../../../../src/connectors/sources/config.ts';
import type { CrmRecord } from '../../../../../src/core/record.ts';
import { type Source, SourceError } from '../../../../../src/core/source.ts';
import type { RunSpec } from '../../../../../src/jobs/sync/contract/run.ts';
import { endRecord, settleStep } from '../../../../../src/jobs/sync/store/records.ts';
import { unleased } from '../../../../support/postgres/ledger.ts';
import { freshAccount, type OpenDatabase, phone, recordOf, specOf } from '../../../core/sql/support.ts';
import { planAll, planner, type Row, sourceOf } from './plan-support.ts';

const INCREMENTAL = SourceConfig.parse({
  type: 'postgres',
  url: 'env:CRM_URL',
  query: 'select * from leads',
  key: 'id',
  incremental: { column: 'updated_at' },
});
const named = (n: number, name: string): CrmRecord =>
  recordOf(phone(n), { contact: { number: phone(n), name } });

export function planIncrementalSuite(database: OpenDatabase): void {
  const incremental = (): RunSpec => ({ ...specOf(freshAccount()), source: INCREMENTAL });

  /** Plans a run, ends its records with the given outcomes (the others as updated), and closes it. */
  async function run(
    spec: RunSpec,
    pages: readonly (readonly Row[])[],
    how: {
      mark?: number;
      fail?: readonly number[];
      unknown?: readonly number[];
      leave?: readonly number[];
      stopped?: number;
      end?: 'finished' | 'cancelled' | 'failed';
    } = {},
  ) {
    const source = sourceOf(pages, how.mark === undefined ? undefined : { mark: how.mark });
    const id = await planAll(database(), source, spec);
    const records = await database().query<{
      id: number;
      key: string;
      todo: number;
      row_no: number;
      name: string;
    }>(
      `select id, key, todo, row_no, payload #>> '{contact,name}' as name from run_records where run_id = $1 order by id`,
      [id],
    );
    for (const { id: record, key, todo } of records) {
      const among = (list: readonly number[] = []) => list.some((n) => phone(n) === key);
      const end = { step: 's', code: 'C', reason: 'r' };
      if (among(how.fail)) await endRecord(database(), unleased(record), { status: 'failed', ...end });
      else if (among(how.unknown))
        await endRecord(database(), unleased(record), { status: 'unknown', ...end });
      else if (!among(how.leave))
        await settleStep(database(), unleased(record), { clear: todo, touched: true });
    }
    const report = await planner(database(), source, spec).close(id, how.end);
    const staged = records.map(({ key, name, row_no }) => ({ key, name, row: row_no }));
    return { id, report, staged, since: source.since };
  }

  describe('the watermark', () => {
    it('comes from the last finished run and is the same on every page; canceled and failed runs do not move it', async () => {
      const spec = incremental();
      const one = [[named(1, 'a')]];
      expect((await run(spec, one, { mark: 1 })).since).toEqual([null]);
      expect((await run(spec, [...one, ...one], { mark: 2, end: 'cancelled' })).since).toEqual([
        { mark: 1 },
        { mark: 1 },
      ]);
      expect((await run(spec, one, { mark: 3, end: 'failed' })).since).toEqual([{ mark: 1 }]);
      expect((await run(spec, one, { mark: 4 })).since).toEqual([{ mark: 1 }]);
      // A source without anything new may leave it as it is.
      expect((await run(spec, [[]])).since).toEqual([{ mark: 4 }]);
      expect((await run(spec, [[]])).since).toEqual([{ mark: 4 }]);
    });

    it('does not apply after a change of source or mapping: everything is read again', async () => {
      const spec = incremental();
      await run(spec, [[named(1, 'a')]], { mark: 1 });
      const remapped = { ...spec, mapping: { ...spec.mapping, tags: ['Status'] } };
      expect((await run(remapped, [[]], { mark: 2 })).since).toEqual([null]);
      const other = {
        ...remapped,
        source: { ...INCREMENTAL, query: 'select * from people' } as typeof INCREMENTAL,
      };
      expect((await run(other, [[]])).since).toEqual([null]);
    });

    it('is not read for sources that are not incremental', async () => {
      const spec = specOf(freshAccount());
      await run(spec, [[named(1, 'a')]], { mark: 1 });
      expect((await run(spec, [[]])).since).toEqual([null]);
    });
  });

  describe('what a run left undone', () => {
    it('failed and unknown records are taken over before the new rows until they succeed', async () => {
      const spec = incremental();
      await run(spec, [[named(1, 'a'), named(2, 'b')], [named(3, 'c')]], { fail: [1], unknown: [3] });
      const second = await run(spec, [[named(4, 'd')]], { fail: [1] });
      expect(second.staged.map(({ name }) => name)).toEqual(['a', 'c', 'd']);
      expect(second.report).toMatchObject({ read: 3, carried: 2, updated: 2, failed: 1, unknown: 0 });
      const third = await run(spec, [[]]);
      expect(third.staged).toEqual([{ key: phone(1), name: 'a', row: 1 }]);
      expect(third.report).toMatchObject({ read: 1, carried: 1, updated: 1 });
      expect((await run(spec, [[]])).report).toMatchObject({ read: 0 });
    });

    it('a newer row of the same person is merged over it', async () => {
      const spec = incremental();
      const old = recordOf(phone(1), { contact: { number: phone(1), name: 'old', email: 'a@b.example' } });
      await run(spec, [[old]], { fail: [1] });
      const { staged, report, id } = await run(spec, [[named(2, 'b')], [named(1, 'new')]]);
      expect(staged).toEqual([
        { key: phone(1), name: 'new', row: 1 },
        { key: phone(2), name: 'b', row: 1 },
      ]);
      expect(report).toMatchObject({ read: 3, carried: 1, updated: 2, unchanged: 0, merged: 1 });
      expect(id).toMatch(/\/2$/);
    });

    it('steps that the account refused are retried, and so are people who wait for a tag', async () => {
      const spec = incremental();
      const tagged = recordOf(phone(1), { tags: ['vip'] });
      const source = sourceOf([[tagged, named(2, 'b')]]);
      const id = await planAll(database(), source, spec);
      const rows = await database().query<{ id: number }>(
        'select id from run_records where run_id = $1 order by id',
        [id],
      );
      // The tags of the first are refused, and with that it ends; the second waits for a tag.
      await settleStep(database(), unleased(rows[0]?.id ?? 0), { clear: 4 | 1, created: true });
      await settleStep(database(), unleased(rows[1]?.id ?? 0), { clear: 511, created: true });
      await database().query(
        `insert into people (account, key, remote_id, tags_missing) values ($1, $2, 1, '["vip"]')`,
        [spec.account, phone(2)],
      );
      const { closeRun } = await import('../../../../../src/jobs/sync/store/run-end.ts');
      await database().transaction((tx) => closeRun(tx, id, { status: 'finished', stopped: 8 }));
      expect((await run(spec, [[]])).staged.map(({ key }) => key)).toEqual([phone(1), phone(2)]);
    });

    it('a canceled run keeps what it had taken over; the source returns its own rows again', async () => {
      const spec = incremental();
      await run(spec, [[named(1, 'a')]], { fail: [1] });
      await run(spec, [[named(2, 'b')]], { leave: [1, 2], end: 'cancelled' });
      expect((await run(spec, [[]])).staged.map(({ name }) => name)).toEqual(['a']);
    });

    it('a run that ended before its first page hides nothing of the previous run', async () => {
      const spec = incremental();
      await run(spec, [[named(1, 'a')]], { fail: [1] });
      const plan = planner(database(), sourceOf([[]]), spec);
      await plan.close(await plan.open(), 'cancelled');
      expect((await run(spec, [[]])).staged.map(({ name }) => name)).toEqual(['a']);
    });

    it('nothing is taken over from a source that is always read completely', async () => {
      const spec = specOf(freshAccount());
      await run(spec, [[named(1, 'a')]], { fail: [1] });
      expect((await run(spec, [[]])).report).toMatchObject({ read: 0 });
    });
  });

  describe('a source that fails', () => {
    const failing = (error: SourceError): Source => ({
      async read() {
        throw error;
      },
    });
    it.each([
      ['for good', new SourceError('denied', 'no'), { type: 'SOURCE_DENIED', nonRetryable: true }],
      [
        'for now',
        new SourceError('unreachable', 'away', { retryable: true }),
        { type: 'SOURCE_UNREACHABLE', nonRetryable: false },
      ],
      [
        'for a time it names',
        new SourceError('busy', 'wait', { retryable: true, retryAfterMs: 7000 }),
        { type: 'SOURCE_BUSY', nonRetryable: false, nextRetryDelay: 7000 },
      ],
    ])('%s', async (_, error, failure) => {
      const spec = incremental();
      const plan = planner(database(), failing(error), spec);
      const thrown = await plan.page(await plan.open()).catch((reason: unknown) => reason);
      expect(thrown).toBeInstanceOf(ApplicationFailure);
      expect(thrown).toMatchObject({ message: error.message, ...failure });
    });
  });
}
