// The dry run says what a real run does, and leaves every row of the ledger as it was.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dryRun } from '../../../../../activities/sync/plan/plan-dry.ts';
import { TagCounts } from '../../../../../activities/sync/plan/plan-tags.ts';
import type { CrmRecord } from '../../../../../src/core/record.ts';
import { claimCatalog, saveCatalog } from '../../../../../src/core/store/catalog.ts';
import { STEP_BITS } from '../../../../../src/jobs/sync/constants.ts';
import { type RunSpec } from '../../../../../src/jobs/sync/contract/run.ts';
import { endRecord } from '../../../../../src/jobs/sync/store/records.ts';
import { reportRun } from '../../../../../src/jobs/sync/store/run-report.ts';
import { openRun } from '../../../../../src/jobs/sync/store/runs.ts';
import { unleased } from '../../../../support/postgres/ledger.ts';
import { freshAccount, type OpenDatabase, phone, recordOf, specOf } from '../../../core/sql/support.ts';
import { records } from '../../records/arbitraries.ts';
import { know, mergedByPerson } from './plan-merge-suite.ts';
import { mappingOf, planAll, planner, type Row, sourceOf } from './plan-support.ts';

const CARD = { pipeline: 'Sales', stage: 'New', customFields: {} };
const person = (n: number, over: Partial<CrmRecord['contact']> = {}): CrmRecord =>
  recordOf(phone(n), { contact: { number: phone(n), name: `N${n}`, ...over }, tags: ['crm'], card: CARD });

export function planDrySuite(database: OpenDatabase): void {
  const specWith = (options: Partial<RunSpec['options']> = {}): RunSpec => {
    const base = specOf(freshAccount());
    const mapping = { ...base.mapping, tags: ['tags'], card: { pipeline: 'Sales', customFields: {} } };
    return { ...base, options: { ...base.options, ...options }, mapping };
  };
  const dry = (spec: RunSpec, pages: readonly (readonly Row[])[], samples = 3) =>
    dryRun(database(), {
      spec,
      makers: { openSource: () => sourceOf(pages), compileMapping: mappingOf },
      samples,
      callsPerMinute: 120,
      onProgress() {},
    });
  /** Every row of every table. */
  async function everything(): Promise<Record<string, string[]>> {
    const tables = await database().query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public' order by 1`,
    );
    const rows: Record<string, string[]> = {};
    for (const { name } of tables) {
      const found = await database().query<{ row: string }>(
        `select t::text as row from ${name} t order by 1`,
      );
      rows[name] = found.map(({ row }) => row);
    }
    return rows;
  }

  describe('a dry run', () => {
    it('changes no row of any table, whatever it finds', async () => {
      const spec = specWith({ mode: 'mirror', vanished: 'remove-tags' });
      for (const n of [0, 1, 2, 3]) await know(database, spec, person(n));
      await planner(database(), sourceOf([[0, 1, 2, 3].map((n) => person(n))]), spec).close(
        await planAll(database(), sourceOf([[0, 1, 2, 3].map((n) => person(n))]), spec),
      );
      const before = await everything();
      const plan = await dry(spec, [
        [person(0), person(1, { name: 'New' })],
        [person(9), { bad: phone(5) }],
      ]);
      expect(plan).toMatchObject({ create: 1, update: 1, unchanged: 1, rejected: 1, vanished: 2 });
      expect(await everything()).toEqual(before);
      // An error on the way leaves nothing either.
      const broken = { read: () => Promise.reject(new Error('broken')) };
      const makers = { openSource: () => broken, compileMapping: mappingOf };
      const failing = dryRun(database(), { spec, makers, samples: 0, callsPerMinute: 1, onProgress() {} });
      await expect(failing).rejects.toThrow('broken');
      expect(await everything()).toEqual(before);
    });

    it('counts the same as a real run', async () => {
      const spec = specWith();
      await know(database, spec, person(0));
      await know(database, spec, person(1));
      await know(database, spec, { ...person(2), card: { ...CARD, stage: 'Old' } });
      const pages = [
        [person(0), person(1, { email: 'a@b.example' })],
        [person(2), person(3), person(0), null],
      ];
      const plan = await dry(spec, pages);
      expect(plan).toMatchObject({
        read: 6,
        create: 1,
        update: 1,
        move: 1,
        unchanged: 1,
        merged: 1,
        rejected: 1,
        carried: 0,
        vanished: 0,
        fields: { update: { email: 1, stage: 1 }, create: { name: 1, tags: 1, card: 1 } },
      });
      const id = await planAll(database(), sourceOf(pages), spec);
      const report = await reportRun(database(), id);
      expect(report).toMatchObject({ read: 6, unchanged: 1, merged: 1, rejected: 1, pending: 3 });
      expect(plan.problems).toEqual(report.problems);
    });

    it('counts people new to the ledger like their merged records, for any page boundaries', async () => {
      const rows = fc.array(
        fc.nat(4).chain((n) => records(phone(n))),
        { minLength: 1, maxLength: 12 },
      );
      await fc.assert(
        fc.asyncProperty(rows, fc.integer({ min: 1, max: 5 }), fc.nat(1), async (rows, size, known) => {
          const spec = specWith({ onConflict: 'merge' });
          await saveCatalog(database(), spec.account, 'tags', []);
          const merged = [...mergedByPerson(rows).values()];
          for (const record of merged.slice(0, known)) await know(database, spec, record);
          const pages = Array.from({ length: Math.ceil(rows.length / size) }, (_, n) =>
            rows.slice(n * size, (n + 1) * size),
          );
          const whole = await dry(spec, [merged], 2);
          const paged = await dry(spec, pages, 2);
          const { create, update, move, fields, calls } = paged;
          expect({ create, update, move, fields, calls }).toEqual({
            create: whole.create,
            update: whole.update,
            move: whole.move,
            fields: whole.fields,
            calls: whole.calls,
          });
          // Merged records have other numbers of rows.
          const withoutRows = ({ tags }: typeof whole) => ({
            ...tags,
            missing: tags.missing && {
              ...tags.missing,
              list: tags.missing.list.map(({ rows: _rows, ...tag }) => tag),
            },
          });
          expect(withoutRows(paged)).toEqual(withoutRows(whole));
          const shown = (plan: typeof whole) => plan.samples.map(({ row: _row, ...sample }) => sample);
          expect(shown(paged)).toEqual(shown(whole));
        }),
        { numRuns: 25 },
      );
    });

    describe('says which tags the account does not have', () => {
      const tagged = (n: number, ...tags: string[]): CrmRecord => ({ ...person(n), tags });
      const missing = (tag: string, people: number, ...rows: number[]) => ({ tag, people, rows });

      it('for new people, changed people, and people who wait for a tag', async () => {
        const spec = specWith({ onConflict: 'merge' });
        const { account } = spec;
        await saveCatalog(database(), account, 'tags', [{ id: 1, name: 'VIP' }]);
        for (const n of [0, 1, 2]) await know(database, spec, tagged(n, 'old'));
        // Only this person waits, with nothing else to do. The others have the tag, or had it.
        await database().query(`update people set tags_missing = '["old"]' where account = $1 and key = $2`, [
          account,
          phone(0),
        ]);
        const { tags } = await dry(spec, [
          [tagged(0, 'old'), tagged(1, 'old'), tagged(2, 'new'), tagged(3, 'new', 'vip'), tagged(4, 'vip')],
          // The same person again, with more: counted once, with both tags.
          [tagged(3, 'Alpha'), tagged(5)],
        ]);
        expect(tags).toEqual({
          wanted: 4,
          readAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
          missing: {
            tags: 3,
            people: 3,
            list: [missing('new', 2, 3, 4), missing('Alpha', 1, 4), missing('old', 1, 1)],
          },
        });
      });

      it.each([
        ['never read', async () => {}],
        ['being read for the first time', (account: string) => claimCatalog(database(), account, 'tags')],
      ])('and says that it did not check when the list was %s', async (_, prepare) => {
        const spec = specWith();
        await prepare(spec.account);
        expect((await dry(spec, [[tagged(1, 'vip')]])).tags).toEqual({
          wanted: 1,
          readAt: null,
          missing: null,
        });
      });

      it('and counts nobody who left the source', async () => {
        const spec = specWith({ mode: 'mirror', vanished: 'remove-tags' });
        await saveCatalog(database(), spec.account, 'tags', []);
        for (const n of [0, 1]) await know(database, spec, tagged(n, 'old'));
        await planner(database(), sourceOf([[tagged(0, 'old'), tagged(1, 'old')]]), spec).close(
          await planAll(database(), sourceOf([[tagged(0, 'old'), tagged(1, 'old')]]), spec),
        );
        const plan = await dry(spec, [[tagged(0, 'old')]]);
        expect(plan).toMatchObject({ vanished: 1, tags: { wanted: 0, missing: { tags: 0, people: 0 } } });
      });

      it('with the first rows of each, and none of people who are counted again later', () => {
        const counts = new TagCounts({ items: [], readAt: '2026-11-02T12:00:00.000Z' });
        for (const row of [9, 8, 7, 6, 5, 4, 3]) counts.add(['a'], 1, [row]);
        counts.add(['a'], -1, [4]);
        expect(counts.report().missing?.list).toEqual([missing('a', 6, 3, 5, 6, 7)]);
        counts.add(['a', 'b'], 1, [4]);
        expect(counts.report().missing?.list).toEqual([missing('a', 7, 3, 4, 5, 6, 7), missing('b', 1, 4)]);
      });

      it('and keeps a bounded number of names', () => {
        const counts = new TagCounts({ items: [], readAt: '2026-11-02T12:00:00.000Z' }, 2);
        for (const [row, name] of ['a', 'b', 'c', 'b'].entries()) counts.add([name], 1, [row]);
        expect(counts.report().missing).toEqual({
          tags: 2,
          people: 4,
          list: [missing('b', 2, 1, 3), missing('a', 1, 0)],
        });
      });
    });

    it('plans beside an open run as if that run had ended', async () => {
      const spec = specWith();
      const open = await openRun(database(), spec);
      expect(await dry(spec, [[person(1)]])).toMatchObject({ read: 1, create: 1 });
      expect((await openRun(database(), spec)).id).toBe(open.id);
    });

    it('sees what the last run of an incremental source left undone', async () => {
      const source = { type: 'postgres', url: 'env:U', table: 't', key: 'id', tls: false, timeout: 60_000 };
      const spec = {
        ...specWith(),
        source: { ...source, incremental: { column: 'c' } },
      } as unknown as RunSpec;
      const pages = [[person(1)]];
      const id = await planAll(database(), sourceOf(pages), spec);
      const [row] = await database().query<{ id: number }>('select id from run_records where run_id = $1', [
        id,
      ]);
      await endRecord(database(), unleased(row?.id ?? 0), {
        status: 'failed',
        step: 's',
        code: 'C',
        reason: 'r',
      });
      await planner(database(), sourceOf(pages), spec).close(id);
      expect(await dry(spec, [[]])).toMatchObject({ read: 1, carried: 1, create: 1 });
    });

    it('shows which calls are certain, and which depend on the service', async () => {
      const spec = specWith();
      const known = person(0);
      await know(database, spec, known);
      const renamed = { ...known, contact: { ...known.contact, name: 'Other' } };
      // Four people nobody knows, with extra info: each is looked up, and has it read if found.
      const fresh = [1, 2, 3, 4].map((n) => ({ ...person(n), extraInfo: [{ name: 'cpf', value: '1' }] }));
      const { calls, pace } = await dry(spec, [[renamed, ...fresh]]);
      expect(calls.steps.map(({ what, min, ifNew, max }) => [what, min, ifNew, max])).toEqual([
        ['GET /v1/tags', 1, 1, 1],
        ['GET /v1/pipelines', 1, 1, 1],
        // One page of an account with up to 100 contacts; or that page in vain, and a look-up each.
        ['GET /v1/contacts', 1, 1, 5],
        ['GET /v1/contacts/{id}', 0, 0, 4],
        ['GET /v1/cards', 0, 0, 5],
        // The known one is written; the others may be there as they should be, with tags and card.
        ['POST /v1/contacts', 1, 5, 5],
        ['PUT /v1/contacts/{id}/tags', 0, 4, 4],
        ['POST /v1/cards', 0, 4, 4],
      ]);
      expect(calls).toMatchObject({ min: 4, ifNew: 16, max: 29 });
      // The first call goes out at once.
      expect(pace).toEqual({ callsPerMinute: 120, minSeconds: 2, maxSeconds: 14 });
    });

    it('a sync that changes nothing costs nothing; a sync that creates nobody costs look-ups only', async () => {
      const spec = specWith();
      await know(database, spec, person(0));
      expect(await dry(spec, [[person(0)]])).toMatchObject({ calls: { min: 0, max: 0, steps: [] } });
      const update = specWith({ mode: 'update' });
      const { calls } = await dry(update, [[1, 2, 3].map((n) => person(n))]);
      expect(calls.steps.find(({ what }) => what === 'POST /v1/contacts')).toMatchObject({ min: 0, max: 3 });
    });

    it('shows a number of people of each kind, with what was sent before', async () => {
      const spec = specWith();
      for (const n of [0, 1, 2]) {
        const record = person(n);
        await know(database, spec, record);
        await database().query(
          `update people set sent = '{"name": "abc", "email": "def"}' where account = $1`,
          [spec.account],
        );
      }
      const changed = [0, 1, 2].map((n) => person(n, { name: 'Other', email: 'new@b.example' }));
      const { samples } = await dry(spec, [[...changed, person(8), person(9)]], 1);
      expect(samples.map(({ row, action }) => [row, action])).toEqual([
        [1, 'update'],
        [4, 'create'],
      ]);
      expect(samples[0]).toMatchObject({
        key: phone(0),
        steps: ['upsertContact'],
        changes: [
          { field: 'name', was: 'abc', now: 'Other' },
          { field: 'email', was: 'def', now: 'new@b.example' },
        ],
      });
      expect((await dry(spec, [changed], 0)).samples).toEqual([]);
      expect(STEP_BITS.upsertContact).toBe(4);
    });
  });
}
