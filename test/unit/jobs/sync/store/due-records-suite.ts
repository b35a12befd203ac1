// Records that are due, and the leases of batches: at most one batch may call for a record, in whatever order things happen.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Queryable } from '../../../../../src/core/sql/database.ts';
import type { Note } from '../../../../../src/core/sql/notes.ts';
import {
  deferRecord,
  loadRecord,
  nextDueMs,
  parkRecords,
  releaseDue,
  renewDue,
  resetDue,
  takeBack,
  takeDue,
} from '../../../../../src/jobs/sync/store/due-records.ts';
import {
  endRecord,
  LeaseLostError,
  markSent,
  settleStep,
} from '../../../../../src/jobs/sync/store/records.ts';
import { closeRun } from '../../../../../src/jobs/sync/store/run-end.ts';
import { unleased } from '../../../../support/postgres/ledger.ts';
import { type OpenDatabase, runWith } from '../../../core/sql/support.ts';

const LEASE = { seconds: 60, limit: 1 };

type Event =
  | { do: 'take' | 'renew' | 'release' | 'call' | 'settle' | 'defer'; by: 'a' | 'b' }
  /** Nobody has renewed the lease in time: its batch is frozen, or dead. */
  | { do: 'expire' };

const event: fc.Arbitrary<Event> = fc.oneof(
  fc.record({
    do: fc.constantFrom('take', 'renew', 'release', 'call', 'settle', 'defer'),
    by: fc.constantFrom('a', 'b'),
  }),
  fc.constant({ do: 'expire' } as const),
);

const RENEWED_LATE: Event[] = [
  { do: 'take', by: 'b' },
  { do: 'expire' },
  { do: 'renew', by: 'b' },
  { do: 'take', by: 'a' },
];

export function dueRecordsSuite(database: OpenDatabase): void {
  describe('leases of records', () => {
    it('two batches in any order, with leases that expire: only the last holder calls and writes', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(event, { maxLength: 16 }), async (events) => {
          const { account, run, ids } = await runWith(database(), [4]);
          const id = ids[0] as number;
          let holder: string | null = null;
          let isDue = true;
          for (const each of events) {
            if (each.do === 'expire') {
              if (holder === null) continue;
              await database().query("update run_records set due_at = now() - interval '1 s' where id = $1", [
                id,
              ]);
              isDue = true;
              continue;
            }
            const { by } = each;
            if (each.do === 'take') {
              const place = { id: run.id, account, pipeline: '' };
              const taken = await takeDue(database(), place, { ...LEASE, holder: by });
              expect(taken.map(({ row }) => [row.id, row.holder])).toEqual(isDue ? [[id, by]] : []);
              if (isDue) holder = by;
              isDue = false;
            } else if (each.do === 'renew') {
              // A lease that has run out is lost: the record stays due.
              await renewDue(database(), by, [id], LEASE.seconds);
            } else if (each.do === 'release') {
              await releaseDue(database(), by, [id]);
              if (holder === by) [holder, isDue] = [null, true];
            } else if (each.do === 'defer') {
              await deferRecord(database(), { id, holder: by }, { ms: 60_000, failed: true });
              if (holder === by) [holder, isDue] = [null, false];
            } else if (each.do === 'settle') {
              const settled = settleStep(database(), { id, holder: by }, { clear: 0 });
              if (holder === by) expect(await settled).toEqual({ todo: 4 });
              else await expect(settled).rejects.toThrow(LeaseLostError);
            } else expect(await markSent(database(), id, by)).toBe(holder === by);
          }
        }),
        { numRuns: 60, examples: [[RENEWED_LATE]] },
      );
    });

    it.each([
      ['at once', (work: (tx: Queryable) => Promise<unknown>) => work(database())],
      ['in a transaction', (work: (tx: Queryable) => Promise<unknown>) => database().transaction(work)],
    ])('who lost a record writes nothing %s: no step, no note, no end', async (_, within) => {
      const { account, run, ids } = await runWith(database(), [4]);
      const id = ids[0] as number;
      const place = { id: run.id, account, pipeline: '' };
      await takeDue(database(), place, { ...LEASE, holder: 'a', seconds: 0 });
      await takeDue(database(), place, { ...LEASE, holder: 'b' });
      const note: Note = (param) => `update runs set error = 'noted' where id = ${param(run.id)}`;
      const noted = async () => (await database().query('select error from runs where id = $1', [run.id]))[0];
      const settle = (holder: string) =>
        within((tx) => settleStep(tx, { id, holder }, { clear: 4, touched: true }, note));
      const end = { status: 'failed', step: 's', code: 'C', reason: 'r' } as const;
      await expect(settle('a')).rejects.toThrow(LeaseLostError);
      await expect(within((tx) => endRecord(tx, { id, holder: 'a' }, end))).rejects.toThrow(LeaseLostError);
      expect(await noted()).toEqual({ error: null });
      expect(await settle('b')).toEqual({ todo: 0, ended: 'updated' });
      expect(await noted()).toEqual({ error: 'noted' });
      // Its own end is what it hears, whatever it writes afterwards; the other one hears nothing.
      expect(await endRecord(database(), { id, holder: 'b' }, end)).toEqual({ todo: 0, ended: 'updated' });
      await expect(endRecord(database(), { id, holder: 'a' }, end)).rejects.toThrow(LeaseLostError);
    });

    it('taking back a lost batch returns its records, counts what it ended, and leaves all others alone', async () => {
      const { account, run, ids } = await runWith(database(), [4, 4, 4, 4, 4]);
      const [ended, leased, parked, waiting, other] = ids as [number, number, number, number, number];
      const place = { id: run.id, account, pipeline: '' };
      await takeDue(database(), place, { holder: 'r/batch-1/1', seconds: 60, limit: 4 });
      await takeDue(database(), place, { holder: 'r/batch-12/1', seconds: 60, limit: 1 });
      const mine = (id: number) => ({ id, holder: 'r/batch-1/1' });
      await settleStep(database(), mine(ended), { clear: 4, created: true, cardCreated: true });
      await parkRecords(database(), 'r/batch-1/1', [parked], 4);
      await deferRecord(database(), mine(waiting), { ms: 60_000, failed: true });
      expect(await takeBack(database(), run.id, 'r/batch-1/')).toEqual({ created: 1, cards: 1 });
      const now = await takeDue(database(), place, { holder: 'c', seconds: 60, limit: 5 });
      expect(now.map(({ row }) => row.id)).toEqual([leased]);
      expect(await markSent(database(), leased, 'r/batch-1/1')).toBe(false);
      expect(await markSent(database(), other, 'r/batch-12/1')).toBe(true);
    });

    it('a batch that was taken back takes no more records; its next attempt and other batches do', async () => {
      const { account, run } = await runWith(database(), [4, 4, 4]);
      const place = { id: run.id, account, pipeline: '' };
      const take = async (holder: string) => (await takeDue(database(), place, { ...LEASE, holder })).length;
      await takeBack(database(), run.id, 'r/batch-1/', 11);
      expect(await take('r/batch-1/2')).toBe(0);
      expect(await take('r/batch-1/11')).toBe(1);
      await takeBack(database(), run.id, 'r/batch-1/');
      // An attempt that begins late does not open it again.
      await takeBack(database(), run.id, 'r/batch-1/', 3);
      for (const attempt of [3, 11, 12]) expect(await take(`r/batch-1/${attempt}`)).toBe(0);
      expect(await take('r/batch-12/1')).toBe(1);
    });

    it.each(['cancelled', 'finished', 'failed'] as const)(
      'a run that is %s has no records to take',
      async (status) => {
        const { account, run } = await runWith(database(), [4]);
        await database().transaction((tx) => closeRun(tx, run.id, { status, stopped: 0 }));
        const place = { id: run.id, account, pipeline: '' };
        expect(await takeDue(database(), place, { ...LEASE, holder: 'r/batch-1/1' })).toEqual([]);
      },
    );

    it('batches that take at once share what is due', async () => {
      const { account, run, ids } = await runWith(
        database(),
        Array.from({ length: 20 }, () => 4),
      );
      const place = { id: run.id, account, pipeline: '' };
      const taken = await Promise.all(
        ['a', 'b', 'c'].map((holder) => takeDue(database(), place, { holder, seconds: 60, limit: 7 })),
      );
      const all = taken.flat().map(({ row }) => row.id);
      expect(all.toSorted((x, y) => x - y)).toEqual(ids);
    });
  });

  describe('what is due next', () => {
    const take = async (account: string, run: string, limit: number, steps?: number) => {
      const batch = { holder: 'a', seconds: 60, limit, ...(steps === undefined ? {} : { steps }) };
      const records = await takeDue(database(), { id: run, account, pipeline: '' }, batch);
      return records.map(({ row }) => row.id);
    };

    it('is a waiting record before a new one, and new ones in the order of the source', async () => {
      const { account, run, ids } = await runWith(database(), [4, 4, 4, 4]);
      await deferRecord(database(), { id: ids[2] as number, holder: null }, { ms: 0, failed: true });
      expect(await take(account, run.id, 1)).toEqual([ids[2]]);
      expect(await take(account, run.id, 2)).toEqual([ids[0], ids[1]]);
      expect(
        await loadRecord(database(), { id: run.id, account, pipeline: '' }, ids[2] as number),
      ).toMatchObject({
        row: { attempts: 1, holder: 'a' },
        person: null,
      });
    });

    it('can be selected by kind of work, or exclude kinds', async () => {
      const { account, run, ids } = await runWith(database(), [4, 32, 4 | 32]);
      const place = { id: run.id, account, pipeline: '' };
      const others = await takeDue(database(), place, { holder: 'b', seconds: 60, limit: 5, without: 32 });
      expect(others.map(({ row }) => row.id)).toEqual([ids[0]]);
      expect(await take(account, run.id, 5, 32)).toEqual([ids[1], ids[2]]);
    });

    it('is given in milliseconds: 0 when due, the end of another batch’s lease, or null when nothing will be due', async () => {
      const { account, run, ids } = await runWith(database(), [4, 4]);
      expect(await nextDueMs(database(), run.id, 'a')).toBe(0);
      await take(account, run.id, 2);
      expect(await nextDueMs(database(), run.id, 'a')).toBeNull();
      expect(await nextDueMs(database(), run.id, 'b')).toBeGreaterThan(50_000);
      await parkRecords(database(), 'a', [ids[0] as number], 4);
      await deferRecord(database(), { id: ids[1] as number, holder: 'a' }, { ms: 5000, failed: false });
      expect(await nextDueMs(database(), run.id, 'a')).toBeLessThanOrEqual(5000);
      const end = { status: 'failed', step: 's', code: 'C', reason: 'r' } as const;
      await endRecord(database(), unleased(ids[1] as number), end);
      expect(await nextDueMs(database(), run.id, 'a')).toBeNull();
      await resetDue(database(), run.id);
      expect(await nextDueMs(database(), run.id, 'a')).toBe(0);
    });
  });
}
