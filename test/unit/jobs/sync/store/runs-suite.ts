// Runs: opened once, counted once, closed once.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deferRecord, parkRecords } from '../../../../../src/jobs/sync/store/due-records.ts';
import { addMissingTag } from '../../../../../src/jobs/sync/store/missing-tags.ts';
import { getRecord } from '../../../../../src/jobs/sync/store/record-rows.ts';
import { endRecord, settleStep } from '../../../../../src/jobs/sync/store/records.ts';
import { addRowProblems } from '../../../../../src/jobs/sync/store/row-problems.ts';
import { closeRun } from '../../../../../src/jobs/sync/store/run-end.ts';
import { reportRun } from '../../../../../src/jobs/sync/store/run-report.ts';
import { listWarnings } from '../../../../../src/jobs/sync/store/run-warnings.ts';
import { advanceRun, getRun, lockRun, openRun } from '../../../../../src/jobs/sync/store/runs.ts';
import { unleased } from '../../../../support/postgres/ledger.ts';
import { freshAccount, type OpenDatabase, runWith, specOf } from '../../../core/sql/support.ts';

const FINISHED = { status: 'finished', stopped: 0 } as const;

export function runsSuite(database: OpenDatabase): void {
  describe('openRun', () => {
    it('called by twenty processes at once opens one run', async () => {
      const account = freshAccount();
      const runs = await Promise.all(Array.from({ length: 20 }, () => openRun(database(), specOf(account))));
      expect(new Set(runs.map(({ id }) => id))).toEqual(new Set([`${account}/leads/1`]));
      expect(await database().query('select id from runs where account = $1', [account])).toHaveLength(1);
    });

    it('after the end of a run opens the next number once, however many ask', async () => {
      const account = freshAccount();
      for (const n of [1, 2, 3]) {
        const runs = await Promise.all([1, 2, 3].map(() => openRun(database(), specOf(account))));
        expect(new Set(runs.map(({ id }) => id))).toEqual(new Set([`${account}/leads/${n}`]));
        await closeRun(database(), `${account}/leads/${n}`, FINISHED);
      }
    });

    it('keeps the spec of the run that is open: a changed configuration waits for the next one', async () => {
      const account = freshAccount();
      const first = await openRun(database(), specOf(account));
      const changed = { ...specOf(account), source: { ...specOf(account).source, path: 'other.csv' } };
      expect((await openRun(database(), changed)).spec).toEqual(first.spec);
      expect(first.spec).toEqual(specOf(account));
    });

    it('keeps syncs and accounts apart', async () => {
      const [a, b] = [freshAccount(), freshAccount()];
      const ids = [specOf(a), specOf(a, 'deals'), specOf(b)].map(
        async (s) => (await openRun(database(), s)).id,
      );
      expect(await Promise.all(ids)).toEqual([`${a}/leads/1`, `${a}/deals/1`, `${b}/leads/1`]);
    });
  });

  it('the error names a run that does not exist', async () => {
    for (const ask of [getRun, lockRun, reportRun]) {
      await expect(ask(database(), 'acme/none/7')).rejects.toThrow('the ledger has no run acme/none/7');
    }
  });

  it('advanceRun adds up pages, keeps the cursor, and the last page ends the planning', async () => {
    const { run } = await runWith(database(), []);
    const page = { read: 10, rejected: 2, merged: 1 };
    await advanceRun(database(), run.id, { ...page, cursor: { offset: 5, file: 'a' }, progress: 0.5 });
    expect(await getRun(database(), run.id)).toMatchObject({
      status: 'planning',
      cursor: { offset: 5, file: 'a' },
    });
    await advanceRun(database(), run.id, { ...page, cursor: null, progress: 1 });
    expect(await getRun(database(), run.id)).toMatchObject({
      status: 'syncing',
      cursor: null,
      rows_read: 20,
      rows_rejected: 4,
      rows_merged: 2,
    });
  });

  describe('closeRun', () => {
    it('ends parked records with the run, by what was done for them, and leaves those that wait pending', async () => {
      const { run, ids } = await runWith(database(), [4 | 32, 4 | 32, 4]);
      const [touched, fresh, waiting] = ids as [number, number, number];
      await settleStep(database(), unleased(touched), { clear: 4, touched: true });
      await database().query("update run_records set holder = 'a' where id = any($1)", [[touched, fresh]]);
      await parkRecords(database(), 'a', [touched, fresh], 4 | 32);
      await deferRecord(database(), unleased(waiting), { ms: 60_000, failed: true });
      const report = await closeRun(database(), run.id, { status: 'cancelled', stopped: 0 });
      expect(report).toMatchObject({ updated: 1, unchanged: 1, pending: 1 });
    });

    it('ends records that only wait for stopped steps by what was done to them; others stay pending', async () => {
      const { run, ids } = await runWith(database(), [4 | 8, 4 | 8, 8, 4, 0]);
      const [a, b] = ids as [number, number];
      await settleStep(database(), unleased(a), { clear: 4, created: true, touched: true });
      await settleStep(database(), unleased(b), { clear: 4, touched: true });
      const report = await closeRun(database(), run.id, { status: 'cancelled', stopped: 8 });
      expect(report).toMatchObject({ created: 1, updated: 1, unchanged: 2, pending: 1 });
    });

    it('a second call changes nothing, whatever its arguments', async () => {
      const { run } = await runWith(database(), [4, 8]);
      const first = await closeRun(database(), run.id, { status: 'failed', stopped: 8, error: 'gone' });
      const second = await closeRun(database(), run.id, { status: 'finished', stopped: 12 });
      expect(second).toEqual(first);
      expect(await getRun(database(), run.id)).toMatchObject({ status: 'failed', error: 'gone' });
      expect((await openRun(database(), run.spec)).id).toMatch(/\/2$/);
    });

    it('keeps personal data only of records that failed or are unknown', async () => {
      const { run, ids } = await runWith(database(), [4, 4, 4, 0, 4]);
      const end = { step: 'upsertContact', code: 'X', reason: 'r' };
      await endRecord(database(), unleased(ids[0] as number), { ...end, status: 'failed' });
      await endRecord(database(), unleased(ids[1] as number), { ...end, status: 'unknown' });
      await settleStep(database(), unleased(ids[2] as number), { clear: 4, touched: true });
      await closeRun(database(), run.id, { status: 'cancelled', stopped: 0 });
      const kept = await Promise.all(
        ids.map(async (id) => (await getRecord(database(), run.id, id)).payload),
      );
      expect(kept.map((payload) => payload !== null)).toEqual([true, true, false, false, false]);
    });
  });

  it('a report adds up: read = created + updated + unchanged + merged + rejected + failed + unknown + pending', async () => {
    const fate = fc.constantFrom('created', 'updated', 'unchanged', 'failed', 'unknown', 'pending');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fate, { maxLength: 8 }),
        fc.nat(9),
        fc.nat(9),
        async (fates, rejected, merged) => {
          const { run, ids } = await runWith(
            database(),
            fates.map((each) => (each === 'unchanged' ? 0 : 4)),
          );
          const read = fates.length + rejected + merged;
          await advanceRun(database(), run.id, { cursor: null, progress: 1, read, rejected, merged });
          for (const [n, each] of fates.entries()) {
            const id = ids[n] as number;
            if (each === 'created' || each === 'updated')
              await settleStep(database(), unleased(id), {
                clear: 4,
                created: each === 'created',
                touched: true,
              });
            if (each === 'failed' || each === 'unknown')
              await endRecord(database(), unleased(id), { status: each, step: 's', code: 'C', reason: 'r' });
          }
          const r = await closeRun(database(), run.id, { status: 'cancelled', stopped: 0 });
          expect(r.read).toBe(
            r.created + r.updated + r.unchanged + r.merged + r.rejected + r.failed + r.unknown + r.pending,
          );
          const n = (status: string) => fates.filter((each) => each === status).length;
          expect(r).toMatchObject({ created: n('created'), updated: n('updated'), failed: n('failed') });
          expect(r).toMatchObject({ unknown: n('unknown'), pending: n('pending'), rejected, merged });
        },
      ),
      { numRuns: 15 },
    );
  });

  it('the end of a run deletes the records of earlier runs that changed nothing; their reports do not change', async () => {
    const { run, ids, account } = await runWith(database(), [0, 4, 4, 4]);
    await advanceRun(database(), run.id, {
      cursor: null,
      progress: 1,
      read: 9,
      rejected: 1,
      merged: 1,
      same: 3,
    });
    const end = { step: 's', code: 'C', reason: 'r' };
    await endRecord(database(), unleased(ids[1] as number), { status: 'failed', ...end });
    await endRecord(database(), unleased(ids[2] as number), { status: 'unknown', ...end });
    await settleStep(database(), unleased(ids[3] as number), { clear: 4, touched: true, cardCreated: true });
    const report = await closeRun(database(), run.id, FINISHED);
    await database().query(`update run_records set payload = '{}' where run_id = $1`, [run.id]);
    expect(report).toMatchObject({
      updated: 1,
      unchanged: 4,
      merged: 1,
      failed: 1,
      unknown: 1,
      rejected: 1,
      cards: 1,
    });
    const records = () =>
      database().query(
        'select status, payload is null as bare from run_records where run_id = $1 order by id',
        [run.id],
      );
    // A run that never came to its first page has overtaken nothing.
    await closeRun(database(), (await openRun(database(), specOf(account))).id, FINISHED);
    expect(await records()).toHaveLength(4);
    const next = await openRun(database(), specOf(account));
    await advanceRun(database(), next.id, { cursor: null, progress: 1, read: 0, rejected: 0, merged: 0 });
    await closeRun(database(), next.id, FINISHED);
    expect(await records()).toEqual([
      { status: 'failed', bare: false },
      { status: 'unknown', bare: false },
      { status: 'updated', bare: true },
    ]);
    expect(await reportRun(database(), run.id)).toEqual(report);
  });

  it('each warning is listed once, and row warnings are counted by field and code', async () => {
    const { run } = await runWith(database(), []);
    await Promise.all([9, 7, 7, 8, 3, 4, 5].map((row) => addMissingTag(database(), run.id, 'x', row)));
    const findings = [1, 2, 3].map((row) => ({
      row,
      kind: row === 3 ? ('reject' as const) : ('warning' as const),
      problem: { field: 'contact.email', code: 'invalid_email', reason: 'left out', column: 'E-mail' },
    }));
    await addRowProblems(database(), run.id, findings);
    await addRowProblems(database(), run.id, findings);
    const report = await reportRun(database(), run.id);
    expect(report.warnings).toEqual([
      {
        step: 'setTags',
        code: 'UNKNOWN_TAG',
        reason: '1 tag name of the source is not a tag of the account',
        people: 6,
        firstRows: [3, 4, 5, 7, 8],
      },
      { step: 'mapping', code: 'invalid_email', reason: '2 rows: contact.email (column E-mail): left out' },
    ]);
    const total = {
      where: 'contact.email',
      column: 'E-mail',
      code: 'invalid_email',
      reason: 'left out',
      varied: false,
    };
    expect(report.totals).toEqual([
      { ...total, outcome: 'rejected', rows: 1, first: 3 },
      { ...total, outcome: 'warning', rows: 2, first: 1 },
    ]);
    expect(await listWarnings(database(), run.id)).toEqual([
      {
        step: 'setTags',
        code: 'UNKNOWN_TAG',
        subject: 'x',
        reason: expect.stringContaining('no tag "x"'),
      },
    ]);
  });
}
