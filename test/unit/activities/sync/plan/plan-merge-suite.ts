// Whatever the pages, the restarts and what the ledger knows: a run ends up with the same records as if all rows of a
// person had been merged at once.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hashRecord, mergeRecords, planSteps } from '../../../../../activities/records/record-diff.ts';
import type { CrmRecord } from '../../../../../src/core/record.ts';
import { findPeople } from '../../../../../src/core/store/people.ts';
import type { RunSpec } from '../../../../../src/jobs/sync/contract/run.ts';
import { reportRun } from '../../../../../src/jobs/sync/store/run-report.ts';
import { getRun } from '../../../../../src/jobs/sync/store/runs.ts';
import { countTodo } from '../../../../../src/jobs/sync/store/staged-records.ts';
import { freshAccount, type OpenDatabase, phone, specOf } from '../../../core/sql/support.ts';
import { records } from '../../records/arbitraries.ts';
import { planner, sourceOf } from './plan-support.ts';

const PEOPLE = 4;
const person = fc.nat(PEOPLE - 1);
const rows = fc.array(
  fc.oneof(
    { weight: 9, arbitrary: person.chain((n) => records(phone(n))) },
    { weight: 1, arbitrary: fc.constant({ bad: phone(0) }) },
  ),
  { minLength: 1, maxLength: 14 },
);

/** How each person stands in the ledger: by which row of the source (or merged rows) it was sent, and with which card. */
const known = fc.array(
  fc.record({
    by: fc.constantFrom('nobody' as const, 'first' as const, 'last' as const, 'merged' as const),
    card: fc.boolean(),
    waits: fc.boolean(),
  }),
  { minLength: PEOPLE, maxLength: PEOPLE },
);

export function mergedByPerson(rows: readonly CrmRecord[]): Map<string, CrmRecord> {
  const merged = new Map<string, CrmRecord>();
  for (const row of rows) {
    const earlier = merged.get(row.key);
    merged.set(row.key, earlier === undefined ? row : mergeRecords(earlier, row));
  }
  return merged;
}

/** Puts a person into the ledger as a run would have left it that sent this record. */
export async function know(
  database: OpenDatabase,
  spec: RunSpec,
  record: CrmRecord,
  { card = true, waits = false } = {},
): Promise<void> {
  const { contact, extra, tags } = hashRecord(record, spec.options);
  const [row] = await database().query<{ id: number }>(
    `insert into people (account, key, remote_id, remote_number, hash_contact, hash_extra, hash_tags, extra_known, tags_added, tags_missing)
     values ($1, $2, $3, $2, $4, $5, $6, '[]', $7, $8) returning id`,
    [
      spec.account,
      record.key,
      Number(record.key) % 100_000,
      contact,
      extra,
      tags,
      JSON.stringify(record.tags),
      waits ? '["nonesuch"]' : '[]',
    ],
  );
  if (!card || record.card === undefined) return;
  const stage = record.card.stage;
  await database().query(
    `insert into cards (account, person_id, pipeline, remote_id, stage, adopted) values ($1, $2, 'Sales', 1, $3, false)`,
    [spec.account, row?.id, stage === undefined ? null : typeof stage === 'number' ? `#${stage}` : stage],
  );
}

export function planMergeSuite(database: OpenDatabase): void {
  it('a run equals merging all rows of each person at once, for any pages and restarts', async () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 20 });
    const restarts = fc.array(fc.boolean(), { minLength: 20, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(rows, cuts, restarts, known, async (rows, cuts, restarts, known) => {
        const base = specOf(freshAccount());
        const card = { pipeline: 'Sales', customFields: {} };
        const options = { ...base.options, onConflict: 'merge' as const };
        const spec: RunSpec = { ...base, options, mapping: { ...base.mapping, card, tags: ['tags'] } };
        const good = rows.filter((row): row is CrmRecord => !('bad' in row));
        const merged = mergedByPerson(good);
        for (const [n, { by, ...how }] of known.entries()) {
          const own = good.filter(({ key }) => key === phone(n));
          const was = by === 'merged' ? merged.get(phone(n)) : own.at(by === 'first' ? 0 : -1);
          if (by !== 'nobody' && was !== undefined) await know(database, spec, was, how);
        }
        const pages: (typeof rows)[] = [];
        for (let at = 0, cut = 0; at < rows.length; cut++) {
          const size = cuts[cut % cuts.length] as number;
          pages.push(rows.slice(at, at + size));
          at += size;
        }
        const source = sourceOf(pages);
        let plan = planner(database(), source, spec);
        const id = await plan.open();
        for (let page = 0; !(await plan.page(id)).done; page++) {
          if (restarts[page]) plan = planner(database(), source, spec);
        }
        const people = await findPeople(database(), spec.account, [...merged.keys()], 'Sales');
        const expected = [...merged.values()]
          .map((record) => ({
            key: record.key,
            todo: planSteps(record, people.get(record.key) ?? null, spec.options, spec.sync),
            row_no: rows.findIndex((row) => 'key' in row && row.key === record.key) + 1,
            payload: record,
          }))
          .sort((a, b) => a.row_no - b.row_no);
        const staged = await database().query<{ status: string; key: string }>(
          'select key, todo, row_no, payload, status from run_records where run_id = $1 order by row_no',
          [id],
        );
        const pending = staged.filter(({ status }) => status === 'pending');
        const due = expected.filter(({ todo }) => todo !== 0).map((row) => ({ ...row, status: 'pending' }));
        expect(pending).toEqual(plain(due));
        // Whoever waits for a tag has a record at hand, should the tag turn up.
        for (const [n, { by, waits }] of known.entries()) {
          if (by === 'nobody' || !waits || !merged.has(phone(n))) continue;
          expect(staged.find(({ key }) => key === phone(n))).toMatchObject({
            payload: plain(merged.get(phone(n))),
          });
        }
        const report = await reportRun(database(), id);
        const rejected = rows.length - good.length;
        expect(report).toMatchObject({ read: rows.length, rejected, pending: pending.length });
        expect(report.merged).toBe(good.length - merged.size);
        expect(report.unchanged).toBe(rows.length - rejected - report.merged - pending.length);
        expect(await getRun(database(), id)).toMatchObject({ rows_merged: good.length - merged.size });
        expect((await countTodo(database(), id, { lookup: 1, tags: 8, cards: 32 })).total).toBe(
          pending.length,
        );
        expect(await database().query('select 1 from plan_pages where run_id = $1', [id])).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });
}

/** As it comes back from jsonb. */
function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
