// Records that are due, and the leases of batches: at most one batch may call for a record, in whatever order things happen.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  deferRecord,
  loadRecord,
  nextDueMs,
  parkRecords,
  releaseDue,
  renewDue,
  resetDue,
  takeDue,
} from '../../../src/ledger/due-records.ts';
import { endRecord, markSent } from '../../../src/ledger/records.ts';
import { type Engine, runWith } from './support.ts';

const LEASE = { seconds: 60, limit: 1 };

type Event =
  | { do: 'take' | 'renew' | 'release' | 'call' | 'defer'; by: 'a' | 'b' }
  /** Nobody has renewed the lease in time: its batch is frozen, or dead. */
  | { do: 'expire' };

const event: fc.Arbitrary<Event> = fc.oneof(
  fc.record({
    do: fc.constantFrom('take', 'renew', 'release', 'call', 'defer'),
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

export function dueRecordsSuite(engine: Engine): void {
  describe('leases of records', () => {
    it('two batches in any order, with leases that run out: whoever may call is the one that took last', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(event, { maxLength: 16 }), async (events) => {
          const { account, run, ids } = await runWith(engine(), [4]);
          const id = ids[0] as number;
          let holder: string | null = null;
          let isDue = true;
          for (const each of events) {
            if (each.do === 'expire') {
              if (holder === null) continue;
              await engine().query("update run_records set due_at = now() - interval '1 s' where id = $1", [
                id,
              ]);
              isDue = true;
              continue;
            }
            const { by } = each;
            if (each.do === 'take') {
              const place = { id: run.id, account, pipeline: '' };
              const taken = await takeDue(engine(), place, { ...LEASE, holder: by });
              expect(taken.map(({ row }) => [row.id, row.holder])).toEqual(isDue ? [[id, by]] : []);
              if (isDue) holder = by;
              isDue = false;
            } else if (each.do === 'renew') {
              // A lease that has run out is lost: the record stays due.
              await renewDue(engine(), by, [id], LEASE.seconds);
            } else if (each.do === 'release') {
              await releaseDue(engine(), by, [id]);
              if (holder === by) [holder, isDue] = [null, true];
            } else if (each.do === 'defer') {
              await deferRecord(engine(), { id, holder: by }, { ms: 60_000, failed: true });
              if (holder === by) [holder, isDue] = [null, false];
            } else expect(await markSent(engine(), id, by)).toBe(holder === by);
          }
        }),
        { numRuns: 60, examples: [[RENEWED_LATE]] },
      );
    });

    it('batches that take at once share what is due', async () => {
      const { account, run, ids } = await runWith(
        engine(),
        Array.from({ length: 20 }, () => 4),
      );
      const place = { id: run.id, account, pipeline: '' };
      const taken = await Promise.all(
        ['a', 'b', 'c'].map((holder) => takeDue(engine(), place, { holder, seconds: 60, limit: 7 })),
      );
      const all = taken.flat().map(({ row }) => row.id);
      expect(all.toSorted((x, y) => x - y)).toEqual(ids);
    });
  });

  describe('what is due next', () => {
    const take = async (account: string, run: string, limit: number, steps?: number) => {
      const batch = { holder: 'a', seconds: 60, limit, ...(steps === undefined ? {} : { steps }) };
      const records = await takeDue(engine(), { id: run, account, pipeline: '' }, batch);
      return records.map(({ row }) => row.id);
    };

    it('comes before fresh records when it waited, and fresh ones come in the order of the source', async () => {
      const { account, run, ids } = await runWith(engine(), [4, 4, 4, 4]);
      await deferRecord(engine(), { id: ids[2] as number, holder: null }, { ms: 0, failed: true });
      expect(await take(account, run.id, 1)).toEqual([ids[2]]);
      expect(await take(account, run.id, 2)).toEqual([ids[0], ids[1]]);
      expect(
        await loadRecord(engine(), { id: run.id, account, pipeline: '' }, ids[2] as number),
      ).toMatchObject({
        row: { attempts: 1, holder: 'a' },
        person: null,
      });
    });

    it('is asked for by kind of work, too', async () => {
      const { account, run, ids } = await runWith(engine(), [4, 32, 4 | 32]);
      expect(await take(account, run.id, 5, 32)).toEqual([ids[1], ids[2]]);
    });

    it('is told in milliseconds: 0 when due, by the lease of another batch, null when nothing will be', async () => {
      const { account, run, ids } = await runWith(engine(), [4, 4]);
      expect(await nextDueMs(engine(), run.id, 'a')).toBe(0);
      await take(account, run.id, 2);
      expect(await nextDueMs(engine(), run.id, 'a')).toBeNull();
      expect(await nextDueMs(engine(), run.id, 'b')).toBeGreaterThan(50_000);
      await parkRecords(engine(), 'a', [ids[0] as number]);
      await deferRecord(engine(), { id: ids[1] as number, holder: 'a' }, { ms: 5000, failed: false });
      expect(await nextDueMs(engine(), run.id, 'a')).toBeLessThanOrEqual(5000);
      const end = { status: 'failed', step: 's', code: 'C', reason: 'r' } as const;
      await endRecord(engine(), ids[1] as number, end);
      expect(await nextDueMs(engine(), run.id, 'a')).toBeNull();
      await resetDue(engine(), run.id);
      expect(await nextDueMs(engine(), run.id, 'a')).toBe(0);
    });
  });
}
