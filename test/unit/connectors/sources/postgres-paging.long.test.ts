// Paging by key and by increment, over any data, page size and change in between: each row once, and nothing missed.
import { PGlite } from '@electric-sql/pglite';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SourceCursor, SourceRow } from '../../../../src/core/source.ts';
import { propertyRuns } from '../../../support/runner/property-runs.ts';
import { configOf, type RunOver, runnerOn } from './postgres-support.ts';

let db: PGlite;
let runOver: RunOver;
beforeAll(async () => {
  db = await PGlite.create();
  runOver = await runnerOn(db);
  await db.exec('create table leads (id int primary key, part text, version int, name text)');
});
afterAll(() => db.close());

interface Lead {
  readonly part: string;
  readonly version: number | null;
}

async function fill(leads: readonly Lead[]): Promise<void> {
  await db.query('truncate leads');
  await db.query(
    `insert into leads select n, lead->>'part', (lead->>'version')::int, 'first' from jsonb_array_elements($1::jsonb) with ordinality as t(lead, n)`,
    [JSON.stringify(leads)],
  );
}

const leads = fc.array(
  fc.record({
    part: fc.constantFrom('a', 'B', 'b', "o'"),
    version: fc.option(fc.integer({ min: 1, max: 4 })),
  }),
  { maxLength: 14 },
);
const limit = fc.integer({ min: 1, max: 6 });
const ids = (rows: readonly SourceRow[]) => rows.map(({ values }) => values?.id as number);
const inOrder = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b);

describe('paging over data that does not change', () => {
  it.each([
    ['by key', { key: 'id' }],
    ['by two columns', { key: ['part', 'id'] }],
    ['by increment with ties and nulls', { key: 'id', incremental: { column: 'version' } }],
    ['over a select', { table: undefined, query: 'select * from leads -- all;', key: ['id'] }],
  ])('yields each row exactly once %s, whatever the size of a page', async (_name, over) => {
    const config = configOf({ table: 'leads', ...over });
    await fc.assert(
      fc.asyncProperty(leads, limit, async (all, limit) => {
        await fill(all);
        const { rows } = await runOver(config, { limit });
        expect(inOrder(ids(rows))).toEqual(all.map((_lead, index) => index + 1));
        expect(rows.map(({ row }) => row)).toEqual(rows.map((_row, index) => index + 1));
      }),
      { numRuns: propertyRuns(15) },
    );
  });
});

/** What others do between two pages. `late`: a change that bears a number from before the newest, as a long transaction does. */
const change = fc.record({
  kind: fc.constantFrom('update', 'insert', 'delete', 'late', 'none'),
  id: fc.integer({ min: 1, max: 14 }),
  back: fc.integer({ min: 1, max: 3 }),
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

async function apply({ kind, id, back }: Change): Promise<void> {
  const version = (minus: number) => `(select coalesce(max(version), 0) + 1 - ${minus} from leads)`;
  const name = `name = name || 'x'`;
  if (kind === 'update') await db.query(`update leads set ${name}, version = ${version(0)} where id = ${id}`);
  if (kind === 'late')
    await db.query(`update leads set ${name}, version = ${version(back)} where id = ${id}`);
  if (kind === 'delete') await db.query(`delete from leads where id = ${id}`);
  if (kind === 'insert')
    await db.query(`insert into leads select coalesce(max(id), 0) + 1, 'n', ${version(0)}, 'new' from leads`);
}

describe('changes while reading', () => {
  it('leave no row unread that is there all through a run', { timeout: 60_000 }, async () => {
    const config = configOf({ table: 'leads', key: 'id', incremental: { column: 'version' } });
    const steps = fc.array(change, { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(leads, limit, steps, async (all, limit, steps) => {
        await fill(all);
        const gone = new Set<number>();
        const between = async (page: number) => {
          const step = steps[page - 1];
          if (step === undefined || step.kind === 'late') return;
          if (step.kind === 'delete') gone.add(step.id);
          await apply(step);
        };
        const seen = new Set(ids((await runOver(config, { limit, between })).rows));
        const missed = all.map((_lead, index) => index + 1).filter((id) => !gone.has(id) && !seen.has(id));
        expect(missed).toEqual([]);
      }),
      { numRuns: propertyRuns(25) },
    );
  });

  it('are all known after the next runs, also those that were committed late', {
    timeout: 60_000,
  }, async () => {
    const config = configOf({ table: 'leads', key: 'id', incremental: { column: 'version', overlap: 20 } });
    const runs = fc.array(fc.array(change, { maxLength: 8 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(leads, limit, runs, async (all, limit, runs) => {
        await fill(all);
        const known = new Map<number, unknown>();
        let since: SourceCursor | null = null;
        for (const steps of [...runs, [], []]) {
          const left = [...steps];
          const between = async () => {
            const step = left.shift();
            if (step !== undefined) await apply(step);
          };
          const run = await runOver(config, { limit, since, between });
          for (const { values } of run.rows) known.set(values?.id as number, values?.name);
          since = run.watermark;
          for (const step of left) await apply(step);
        }
        const { rows } = await db.query<{ id: number; name: string }>('select id, name from leads');
        for (const { id, name } of rows) expect([id, known.get(id)]).toEqual([id, name]);
      }),
      { numRuns: propertyRuns(15) },
    );
  });

  it('cost no second reading of what did not change', async () => {
    await fill(Array.from({ length: 10 }, (_each, n) => ({ part: 'a', version: n % 3 })));
    const config = configOf({ table: 'leads', key: 'id', incremental: { column: 'version' } });
    const first = await runOver(config, { limit: 4 });
    await db.query('update leads set version = 9 where id in (2, 7)');
    const second = await runOver(config, { limit: 4, since: first.watermark });
    expect(ids(second.rows)).toEqual([2, 7]);
    const third = await runOver(config, { limit: 4, since: second.watermark });
    expect(third.rows).toEqual([]);
    expect(third.watermark).toMatchObject({ at: '9', key: ['7'] });
  });

  it('start over when the server, the key or the select changes', async () => {
    await fill([{ part: 'a', version: 1 }]);
    const over = (config: object) =>
      configOf({ table: 'leads', key: 'id', incremental: { column: 'version' }, ...config });
    const { watermark: since } = await runOver(over({}), { limit: 4 });
    const count = async (config: object, server?: string) =>
      (await runOver(over(config), { limit: 4, since, ...(server !== undefined && { server }) })).rows.length;
    expect(await count({})).toBe(0);
    expect(await count({}, 'two')).toBe(1);
    expect(await count({ key: ['part', 'id'] })).toBe(1);
    expect(await count({ table: undefined, query: 'select * from leads' })).toBe(1);
  });

  it.each([
    ['a column of numbers', 'version', '5m'],
    ['a column of text', 'name', '5m'],
    ['a column of times', 'at', 5],
  ])('refuse an overlap that does not fit %s', async (_name, column, overlap) => {
    await fill([{ part: 'a', version: 1 }]);
    const query = 'select *, now() as at from leads';
    const config = configOf({ query, key: 'id', incremental: { column, overlap } });
    const { watermark: since } = await runOver(config, { limit: 4 });
    await expect(runOver(config, { limit: 4, since })).rejects.toMatchObject({ code: 'bad_config' });
  });
});
