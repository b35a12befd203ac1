// Records of a run as a state machine: random steps, ends and retries against a model.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../../../src/jobs/sync/constants.ts';
import { deferRecord } from '../../../../../src/jobs/sync/store/due-records.ts';
import { getRecord } from '../../../../../src/jobs/sync/store/record-rows.ts';
import {
  endRecord,
  LeaseLostError,
  markSent,
  settleStep,
} from '../../../../../src/jobs/sync/store/records.ts';
import { listProblems } from '../../../../../src/jobs/sync/store/row-problems.ts';
import { reportRun } from '../../../../../src/jobs/sync/store/run-report.ts';
import { countTodo, findStaged, stageRecords } from '../../../../../src/jobs/sync/store/staged-records.ts';
import { unleased } from '../../../../support/postgres/ledger.ts';
import { type OpenDatabase, phone, recordOf, runWith } from '../../../core/sql/support.ts';

const BITS = 511;
const bits = fc.integer({ min: 0, max: BITS });

interface Model {
  todo: number;
  status: 'pending' | Outcome;
  created: boolean;
  touched: boolean;
  card: boolean;
  attempts: number;
}

type Act =
  | { do: 'settle'; clear: number; add: number; created: boolean; touched: boolean; cardCreated: boolean }
  | { do: 'end'; status: 'failed' | 'unknown' }
  | { do: 'attempt' };

const command: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('settle' as const),
      clear: bits,
      add: fc.oneof(fc.constant(0), bits),
      created: fc.boolean(),
      touched: fc.boolean(),
      cardCreated: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      status: fc.constantFrom('failed' as const, 'unknown' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('attempt' as const) }) },
);

function step(m: Model, a: Act): void {
  if (m.status !== 'pending') return;
  if (a.do === 'attempt') {
    m.attempts++;
    return;
  }
  if (a.do === 'end') {
    m.status = a.status;
    return;
  }
  m.todo = (m.todo & ~a.clear) | a.add;
  m.created ||= a.created;
  m.touched ||= a.touched;
  m.card ||= a.cardCreated;
  m.attempts = 0;
  if (m.todo === 0) m.status = m.created ? 'created' : m.touched ? 'updated' : 'unchanged';
}

export function recordsSuite(database: OpenDatabase): void {
  it('any sequence of steps, ends and retries: bits change as requested, an ended record never does, the counts add up', async () => {
    const sequence = fc.array(fc.tuple(fc.nat(2), command), { maxLength: 14 });
    await fc.assert(
      fc.asyncProperty(fc.tuple(bits, bits, bits), sequence, async (todos, commands) => {
        const { run, ids } = await runWith(database(), todos);
        const models = todos.map((todo): Model => {
          const status = todo === 0 ? 'unchanged' : 'pending';
          return { todo, status, created: false, touched: false, card: false, attempts: 0 };
        });
        for (const [n, a] of commands) {
          const id = ids[n] as number;
          const m = models[n] as Model;
          step(m, a);
          if (a.do === 'settle') {
            const { do: _, ...change } = a;
            const answer = await settleStep(database(), unleased(id), change);
            expect(answer).toEqual(
              m.status === 'pending'
                ? { todo: m.todo }
                : { todo: m.todo, ended: m.status, ...(m.card ? { cardCreated: true } : {}) },
            );
          } else if (a.do === 'end') {
            await endRecord(database(), unleased(id), {
              status: a.status,
              step: 's',
              code: 'C',
              reason: 'r',
            });
          } else {
            await deferRecord(database(), { id, holder: null }, { ms: 0, failed: true });
          }
        }
        const rows = await database().query(
          `select todo, status, created, touched, card_created as card, attempts
             from run_records where run_id = $1 order by id`,
          [run.id],
        );
        expect(rows).toEqual(models);
        const counts: Record<string, number> = { cards: models.filter(({ card }) => card).length };
        for (const status of ['created', 'updated', 'unchanged', 'failed', 'unknown', 'pending'])
          counts[status] = models.filter((m) => m.status === status).length;
        expect(await reportRun(database(), run.id)).toMatchObject(counts);
      }),
      { numRuns: 40 },
    );
  });

  it('steps settled at once all count', async () => {
    const { run, ids } = await runWith(database(), [BITS]);
    const id = ids[0] as number;
    const each = Array.from({ length: 8 }, (_, n) => settleStep(database(), unleased(id), { clear: 1 << n }));
    await Promise.all(each);
    expect(await getRecord(database(), run.id, id)).toMatchObject({ todo: 256, status: 'pending' });
  });

  it('countTodo counts each kind of work among the pending records only', async () => {
    const { run, ids } = await runWith(database(), [1 | 4, 4 | 8, 8 | 32, 0, 1 | 8 | 32]);
    await endRecord(database(), unleased(ids[4] as number), {
      status: 'failed',
      step: 's',
      code: 'C',
      reason: 'r',
    });
    const kinds = { lookup: 1, tags: 8, cards: 32 | 128 };
    expect(await countTodo(database(), run.id, kinds)).toEqual({ total: 3, lookups: 1, tags: 2, cards: 1 });
    expect(await countTodo(database(), 'none', kinds)).toEqual({ total: 0, lookups: 0, tags: 0, cards: 0 });
  });

  describe('staging', () => {
    it('a person staged again keeps id and first row, and takes the new record, steps and status', async () => {
      const { run, ids } = await runWith(database(), [0]);
      const record = recordOf(phone(0), { tags: ['vip'] });
      await stageRecords(database(), run.id, [{ key: phone(0), row: 99, record, todo: 4 }]);
      expect(await findStaged(database(), run.id, [phone(0), phone(1)])).toEqual(
        new Map([[phone(0), { key: phone(0), row_no: 1, carried: false, payload: record }]]),
      );
      expect(await getRecord(database(), run.id, ids[0] as number)).toMatchObject({
        todo: 4,
        status: 'pending',
      });
    });

    it('no records cause no statement', async () => {
      const { run } = await runWith(database(), []);
      await stageRecords(database(), run.id, []);
      expect(await findStaged(database(), run.id, [])).toEqual(new Map());
    });
  });

  it('the first sending time is kept', async () => {
    const { run, ids } = await runWith(database(), [4]);
    const id = ids[0] as number;
    expect(await markSent(database(), id, null)).toBe(true);
    const { sent_at: first } = await getRecord(database(), run.id, id);
    expect(await markSent(database(), id, null)).toBe(true);
    expect(first).toBeInstanceOf(Date);
    expect((await getRecord(database(), run.id, id)).sent_at).toEqual(first);
  });

  it('remembers tag ids as they were given, until others are', async () => {
    const { run, ids } = await runWith(database(), [8]);
    const id = ids[0] as number;
    const tagIds = { ids: [3, 1], added: ['vip', 'ação'], missing: [] };
    await settleStep(database(), unleased(id), { clear: 0, tagIds });
    await settleStep(database(), unleased(id), { clear: 0 });
    expect((await getRecord(database(), run.id, id)).tag_ids).toEqual(tagIds);
  });

  it('a missing record or one of another run is an error that contains only ids', async () => {
    const { ids } = await runWith(database(), [4]);
    await expect(getRecord(database(), 'acme/none/1', ids[0] as number)).rejects.toThrow(
      `run acme/none/1 has no record ${ids[0]}`,
    );
    await expect(settleStep(database(), unleased(2 ** 52), { clear: 1 })).rejects.toThrow(LeaseLostError);
  });

  it('troubled records are listed in the order of the source, with what went wrong', async () => {
    const { run, ids } = await runWith(database(), [4, 4, 4]);
    const end = { step: 'createCard', code: 'ANSWERS_LOST', reason: 'lost' };
    await endRecord(database(), unleased(ids[2] as number), { ...end, status: 'unknown' });
    await endRecord(database(), unleased(ids[0] as number), { ...end, status: 'failed' });
    expect(await listProblems(database(), run.id, 10)).toEqual([
      { row: 1, outcome: 'failed', where: 'createCard', code: 'ANSWERS_LOST', reason: 'lost' },
      { row: 3, outcome: 'unknown', where: 'createCard', code: 'ANSWERS_LOST', reason: 'lost' },
    ]);
    expect(await listProblems(database(), run.id, 1)).toHaveLength(1);
  });
}
