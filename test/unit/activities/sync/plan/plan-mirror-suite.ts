// Mirrors: who leaves the source is acted on once, who comes back is brought again, and a broken export touches nobody.
import { describe, expect, it } from 'vitest';
import { hashRecord } from '../../../../../activities/records/record-diff.ts';
import type { CrmRecord } from '../../../../../src/core/record.ts';
import { STEP_BITS } from '../../../../../src/jobs/sync/constants.ts';
import { type RunSpec } from '../../../../../src/jobs/sync/contract/run.ts';
import { endRecord, settleStep } from '../../../../../src/jobs/sync/store/records.ts';
import { listWarnings } from '../../../../../src/jobs/sync/store/run-warnings.ts';
import { unleased } from '../../../../support/postgres/ledger.ts';
import { freshAccount, type OpenDatabase, phone, recordOf, specOf } from '../../../core/sql/support.ts';
import { know } from './plan-merge-suite.ts';
import { planAll, planner, type Row, sourceOf } from './plan-support.ts';

const CARD = { pipeline: 'Sales', stage: 'New', customFields: {} };
const person = (n: number): CrmRecord => recordOf(phone(n), { tags: ['crm'], card: CARD });
const people = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => person(from + n));

export function planMirrorSuite(database: OpenDatabase): void {
  function mirrorOf(vanished: RunSpec['options']['vanished']): RunSpec {
    const base = specOf(freshAccount());
    return {
      ...base,
      options: { ...base.options, mode: 'mirror', vanished },
      mapping: { ...base.mapping, tags: ['tags'], card: { pipeline: 'Sales', customFields: {} } },
    };
  }
  /** A first run over `rows`, all of them sent and known. */
  async function mirrored(vanished: RunSpec['options']['vanished'], rows: readonly CrmRecord[]) {
    const spec = mirrorOf(vanished);
    for (const record of rows) await know(database, spec, record);
    await next(spec, [rows]);
    return spec;
  }
  async function next(
    spec: RunSpec,
    pages: readonly (readonly Row[])[],
    end: 'finished' | 'cancelled' = 'finished',
  ) {
    const source = sourceOf(pages);
    const id = await planAll(database(), source, spec);
    const gone = await database().query<{ id: number; key: string; todo: number; payload: CrmRecord }>(
      'select id, key, todo, payload from run_records where run_id = $1 and row_no = 0 order by key',
      [id],
    );
    for (const record of gone)
      if (end === 'finished')
        await settleStep(database(), unleased(record.id), { clear: record.todo, touched: true });
    const report = await planner(database(), source, spec).close(id, end);
    const warnings = (await listWarnings(database(), id)).map(({ code }) => code);
    return {
      report,
      warnings,
      gone: gone.map(({ key, todo, payload }) => ({ key, todo, card: payload.card })),
    };
  }
  const members = async (spec: RunSpec) =>
    (
      await database().query<{ key: string }>(
        'select key from sync_members where account = $1 order by key',
        [spec.account],
      )
    ).map(({ key }) => key);

  describe('mirror', () => {
    const TAGS = STEP_BITS.upsertContact | STEP_BITS.setTags;
    it.each([
      ['remove-tags' as const, TAGS, undefined],
      [{ moveTo: 'Lost' }, STEP_BITS.moveStage, { ...CARD, stage: 'Lost' }],
      [{ moveTo: 77 }, STEP_BITS.moveStage, { ...CARD, stage: 77 }],
    ])('%j is done to who left, once, on whatever page the others are', async (vanished, todo, card) => {
      const spec = await mirrored(vanished, people(0, 8));
      const { report, gone } = await next(spec, [people(0, 3), people(3, 6)]);
      expect(gone).toEqual([6, 7].map((n) => ({ key: phone(n), todo, card })));
      expect(report).toMatchObject({
        read: 6,
        unchanged: 6,
        updated: 0,
        vanished: 2,
        vanishedFailed: 0,
        pending: 0,
      });
      expect(await members(spec)).toEqual(people(0, 6).map(({ key }) => key));
      expect(await next(spec, [people(0, 6)])).toMatchObject({ gone: [], report: { vanished: 0 } });
    });

    it('ignores people who left if configured, and deletes their membership', async () => {
      const spec = await mirrored('ignore', people(0, 4));
      expect(await next(spec, [people(0, 2)])).toMatchObject({
        gone: [],
        report: { vanished: 0 },
        warnings: [],
      });
      expect(await members(spec)).toHaveLength(2);
    });

    it('leaves alone people it never changed: no tag of Sluice, no card, an adopted card', async () => {
      const bare = recordOf(phone(1));
      const lost = recordOf(phone(2), { card: { ...CARD, stage: 'Lost' } });
      for (const vanished of ['remove-tags' as const, { moveTo: 'Lost' }]) {
        const spec = await mirrored(vanished, [person(0), bare, lost]);
        expect((await next(spec, [[person(0)]])).gone).toEqual([]);
        expect(await members(spec)).toEqual([phone(0)]);
      }
    });

    it('checks people again at the next run if it failed or did not reach them', async () => {
      const spec = await mirrored('remove-tags', people(0, 4));
      const source = sourceOf([people(0, 3)]);
      const id = await planAll(database(), source, spec);
      const [row] = await database().query<{ id: number }>(
        'select id from run_records where run_id = $1 and row_no = 0',
        [id],
      );
      await endRecord(database(), unleased(row?.id ?? 0), {
        status: 'failed',
        step: 'setTags',
        code: 'C',
        reason: 'r',
      });
      const report = await planner(database(), source, spec).close(id);
      expect(report).toMatchObject({ read: 3, unchanged: 3, failed: 0, vanished: 0, vanishedFailed: 1 });
      expect((await next(spec, [people(0, 3)], 'cancelled')).gone).toHaveLength(1);
      expect((await next(spec, [people(0, 3)])).report).toMatchObject({ vanished: 1 });
      expect(await members(spec)).toHaveLength(3);
    });

    it('a person who comes back gets tags and stage again', async () => {
      const spec = await mirrored('remove-tags', people(0, 3));
      await next(spec, [people(0, 2)]);
      // What the steps note once they have taken the tags back.
      const nothing = hashRecord(recordOf(phone(2)), spec.options);
      await database().query(
        `update people set hash_tags = $2, tags_added = '[]' where account = $1 and key = '${phone(2)}'`,
        [spec.account, nothing.tags],
      );
      await next(spec, [people(0, 3)], 'cancelled');
      const [back] = await database().query<{ todo: number }>(
        'select todo from run_records where run_id = $1 and key = $2',
        [`${spec.account}/leads/3`, phone(2)],
      );
      expect((back?.todo ?? 0) & STEP_BITS.setTags).toBe(STEP_BITS.setTags);
      expect(await members(spec)).toHaveLength(3);
    });

    it('a rejected row shows that its person is still in the source', async () => {
      const spec = await mirrored('remove-tags', people(0, 4));
      const { gone, report } = await next(spec, [[...people(0, 2), { bad: phone(2) }], [person(3)]]);
      expect(gone).toEqual([]);
      expect(report).toMatchObject({ read: 4, rejected: 1 });
    });

    it.each<[string, Row[][], string]>([
      ['an export without any row', [[]], 'MIRROR_EMPTY'],
      ['an export of which no row could be mapped', [[{ bad: phone(90) }]], 'MIRROR_EMPTY'],
      ['a row that may be anybody', [[...people(0, 20), null]], 'MIRROR_UNREADABLE'],
      ['an export cut off before its half', [people(0, 11)], 'MIRROR_TOO_MANY'],
    ])('%s touches nobody, and says so', async (_, pages, code) => {
      const spec = await mirrored('remove-tags', people(0, 24));
      const { gone, warnings } = await next(spec, pages);
      expect(gone).toEqual([]);
      expect(warnings).toContain(code);
      expect(await members(spec)).toHaveLength(24);
    });

    it('a restart in the middle loses nobody', async () => {
      const spec = await mirrored('remove-tags', people(0, 6));
      const source = sourceOf([people(0, 2), people(2, 4), [person(4)]]);
      const id = await planner(database(), source, spec).open();
      while (!(await planner(database(), source, spec).page(id)).done);
      const gone = await database().query('select key from run_records where run_id = $1 and row_no = 0', [
        id,
      ]);
      expect(gone).toEqual([{ key: phone(5) }]);
    });
  });
}
