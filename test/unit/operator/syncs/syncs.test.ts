// Syncs as operators see them: empty ledgers, unknown names, ten thousand rows in pages, masks and roles.
import { beforeAll, describe, expect, it } from 'vitest';
import type { LoadedConfig } from '../../../../src/config/load.ts';
import { UnknownNameError } from '../../../../src/core/config/errors.ts';
import { RunSpec } from '../../../../src/jobs/sync/contract/run.ts';
import { addMissingTag } from '../../../../src/jobs/sync/store/missing-tags.ts';
import { addRowProblems } from '../../../../src/jobs/sync/store/row-problems.ts';
import { advanceRun, openRun } from '../../../../src/jobs/sync/store/runs.ts';
import { LETTERS } from '../../../../src/mapping/phone/result.ts';
import type { Output } from '../../../../src/operator/contract/index.ts';
import { operatorContext } from '../../../support/operator/context.ts';

const ROWS = 10_000;
const SYNC = { account: 'acme', source: 'leads', mapping: 'leads', mode: 'upsert', lane: 'backfill' };
const SPEC = RunSpec.parse({
  account: 'acme',
  sync: 'leads',
  options: { account: 'acme', source: 'leads', mapping: 'leads' },
  source: { type: 'csv', path: 'leads.csv' },
  mapping: { contact: { number: 'phone' } },
});

const config = {
  dir: '/srv/sluice',
  config: {
    accounts: { acme: { tokens: [] } },
    sources: { leads: { type: 'csv', path: '/srv/sluice/leads.csv' } },
    syncs: { leads: SYNC, 'never-ran': SYNC, resolved: SYNC },
    sinks: {},
  },
  spec(sync: string) {
    if (['leads', 'never-ran', 'resolved'].includes(sync)) return { account: 'acme' };
    throw new UnknownNameError('sync', sync, '');
  },
} as unknown as LoadedConfig;
const { db, operator } = operatorContext({ config, once: true });
let run: string;
beforeAll(async () => {
  run = (await openRun(db, SPEC)).id;
  await db.query(
    `insert into run_records (run_id, row_no, key, payload, todo, status, step, code, reason)
     select $1, n, '55119' || lpad(n::text, 8, '0'),
            jsonb_build_object('key', 'k', 'contact', jsonb_build_object('number', '5511987654321', 'name', 'Canaria Silva'),
                               'tags', '[]'::jsonb, 'extraInfo', '[]'::jsonb),
            4, case n % 10 when 0 then 'failed' when 1 then 'unknown' else 'created' end, 'upsertContact',
            case n % 10 when 0 then 'ERR_X' when 1 then 'READ_BACK_FAILED' end, 'refused'
       from generate_series(1, $2::int) n`,
    [run, ROWS],
  );
  const twice = ['contact.email', 'contact.number'].map((field) => ({
    row: 5,
    kind: 'reject' as const,
    problem: { field, code: 'invalid', reason: 'no', value: '+55 11 98765-4321' },
  }));
  await addRowProblems(db, run, twice);
  await advanceRun(db, run, { cursor: null, progress: 1, read: ROWS + 1, rejected: 1, merged: 0 });
});
type Rows = Output<'GET /syncs/{sync}/rows'>;
const rowsOf = async (input: object) =>
  await operator.client.call('GET /syncs/{sync}/rows', { sync: 'leads', ...input });

describe('rows', () => {
  it('of all pages are every row once, in the order of the source', async () => {
    const rows: Rows['rows'][number][] = [];
    for (let after: string | null | undefined; after !== null; ) {
      const page: Rows = await rowsOf({ limit: 5000, after });
      rows.push(...page.rows);
      after = page.next;
    }
    expect(rows).toHaveLength(ROWS / 5 + 2);
    expect(rows.filter(({ status }) => status === 'rejected')).toHaveLength(2);
    const numbers = rows.map(({ row }) => row);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  });

  it('a page that ends between two findings of one row loses neither', async () => {
    const first = await rowsOf({ limit: 1, statuses: ['rejected'] });
    const second = await rowsOf({ limit: 1, statuses: ['rejected'], after: first.next });
    expect([first, second].flatMap(({ rows }) => rows.map(({ step }) => step))).toEqual([
      'contact.email',
      'contact.number',
    ]);
    expect(second.next).toBeNull();
  });

  it('show no personal data unless an operator asks for it', async () => {
    const input = { limit: 3, statuses: ['failed', 'rejected'], diff: true };
    expect(JSON.stringify(await rowsOf(input))).not.toMatch(/98765-4321|5511987654321|Canaria/);
    expect(JSON.stringify(await rowsOf({ ...input, unmask: true }))).toMatch(/Canaria Silva/);
    const viewer = operator.as({ role: 'viewer' });
    await expect(
      viewer.call('GET /syncs/{sync}/rows', { sync: 'leads', unmask: true }),
    ).rejects.toMatchObject({ kind: 'forbidden' });
  });

  it('that ask for tags that the account lacks are named, counted and found by the code of the warning', async () => {
    for (const row of [2, 3, 4, 6, 7, 8]) await addMissingTag(db, run, 'vip', row);
    // A step that is tried again names the row once.
    await addMissingTag(db, run, 'vip', 2);
    await addMissingTag(db, run, '+55 11 98765-4321', 2);
    const { warnings } = await operator.client.call('GET /syncs/{sync}/warnings', { sync: 'leads', run });
    expect(warnings.map(({ tag, people, firstRows }) => ({ tag, people, firstRows }))).toEqual([
      { tag: 'vip', people: 6, firstRows: [2, 3, 4, 6, 7] },
      { tag: expect.not.stringContaining('98765-4321'), people: 1, firstRows: [2] },
    ]);
    expect(JSON.stringify(warnings)).not.toContain('98765-4321');
    const input = { statuses: ['created', 'failed', 'rejected'], codes: ['UNKNOWN_TAG'] };
    const { rows } = await rowsOf(input);
    expect(rows.map(({ row, missingTags }) => [row, missingTags.length])).toEqual([
      [2, 2],
      [3, 1],
      [4, 1],
      [6, 1],
      [7, 1],
      [8, 1],
    ]);
    expect(JSON.stringify(rows)).not.toContain('98765-4321');
    expect((await rowsOf({ ...input, unmask: true })).rows[0]?.missingTags).toEqual([
      '+55 11 98765-4321',
      'vip',
    ]);
  });

  it('whose outcome is unknown come with what is known about their call, others do not', async () => {
    const { rows } = await rowsOf({ limit: 2, statuses: ['failed', 'unknown'] });
    expect(rows.map(({ status, hints }) => [status, hints])).toEqual([
      [
        'unknown',
        {
          effect: 'contact',
          target: null,
          sentAt: null,
          sends: 0,
          contact: null,
          contactSeenAt: null,
          card: null,
        },
      ],
      ['failed', null],
    ]);
  });

  it.each([
    ['a cursor of nothing', { after: 'x' }, 'invalid'],
    ['a cursor that is no list', { after: Buffer.from('{"newest":1}').toString('base64url') }, 'invalid'],
    ['a run of another sync', { run: 'acme/other/1' }, 'notFound'],
    ['a run that is SQL', { run: "' or 1=1 --" }, 'notFound'],
    ['no status', { statuses: [] }, 'invalid'],
    ['a negative row', { row: -1 }, 'invalid'],
  ])('refuse %s', async (_, input, kind) => {
    await expect(rowsOf(input)).rejects.toMatchObject({ kind });
  });
});

describe('rows that a person resolves', () => {
  const resolve = (input: object, client = operator.client) =>
    client.call('POST /syncs/{sync}/resolve', { sync: 'resolved', rows: [1], reason: 'seen', ...input });
  const countsOf = async (id: string) => {
    const { summary } = await operator.client.call('GET /syncs/{sync}/runs/{run}', {
      sync: 'resolved',
      run: id,
    });
    return summary.outcomes;
  };

  it('wait for the end of the run, then count as done at once, and are audited', async () => {
    const { id } = await openRun(db, { ...SPEC, sync: 'resolved' });
    await db.query(
      `insert into run_records (run_id, row_no, key, payload, todo, status, step, code, reason)
       values ($1, 1, '5511900000001', '{}', 0, 'unknown', 'createCard', 'ANSWERS_LOST', 'lost')`,
      [id],
    );
    await expect(resolve({})).rejects.toMatchObject({
      kind: 'conflict',
      code: 'RUN_ACTIVE',
      message: expect.stringContaining('sluice sync run resolved'),
    });
    await db.query(`update runs set finished_at = now(), status = 'finished' where id = $1`, [id]);
    expect(await countsOf(id)).toMatchObject({ unknown: 1, updated: 0 });
    expect(await resolve({})).toEqual({ resolved: 1 });
    expect(await countsOf(id)).toMatchObject({ unknown: 0, updated: 1 });
    const { lines } = await operator.client.call('GET /audit', {
      action: 'POST /syncs/{sync}/resolve',
      limit: 1,
    });
    expect(lines).toMatchObject([{ outcome: 'ok', details: { rows: [1], resolved: 1 } }]);
  });

  it.each<[string, object, string]>([
    ['a run of another sync', { run: 'acme/leads/1' }, 'notFound'],
    ['a sync that has not run', { sync: 'never-ran' }, 'notFound'],
    ['no row', { rows: [] }, 'invalid'],
    ['row 0, which is everybody who left', { rows: [0] }, 'invalid'],
  ])('are refused for %s', async (_, input, kind) => {
    await expect(resolve(input)).rejects.toMatchObject({ kind });
  });

  it('are refused to editors', async () => {
    await expect(resolve({}, operator.as({ role: 'editor' }))).rejects.toMatchObject({ kind: 'forbidden' });
  });
});

describe('without a Temporal server', () => {
  it('the progress of an open run comes from the ledger', async () => {
    const now = await operator.client.call('GET /syncs/{sync}/progress', { sync: 'leads' });
    expect(now).toMatchObject({ state: 'unknown', end: null, progress: { run, phase: 'syncing' } });
    expect(now.progress).toMatchObject({ failed: ROWS / 10, unknown: ROWS / 10, created: (ROWS / 10) * 8 });
  });

  it('syncs and runs are listed, also those that never ran', async () => {
    const { syncs } = await operator.client.call('GET /syncs', {});
    expect(syncs).toMatchObject([
      { sync: 'leads', source: { uploaded: false }, state: 'unknown', last: { run, pending: 0 } },
      { sync: 'never-ran', state: 'idle', last: null, schedule: null },
      { sync: 'resolved' },
    ]);
    expect(await operator.client.call('GET /syncs/{sync}/runs', { sync: 'never-ran' })).toEqual({
      runs: [],
      next: null,
    });
    for (const route of ['GET /syncs/{sync}/progress', 'GET /syncs/{sync}/rows'] as const)
      await expect(operator.client.call(route, { sync: 'never-ran' })).rejects.toMatchObject({
        kind: 'notFound',
      });
  });

  it('an unknown sync is named', async () => {
    await expect(operator.client.call('GET /syncs/{sync}/runs', { sync: '<script>' })).rejects.toMatchObject({
      kind: 'notFound',
      message: expect.stringContaining('<script>'),
    });
  });

  it('a pause of a sync that is not running is refused, and starts nothing', async () => {
    await expect(
      operator.client.call('POST /syncs/{sync}/pause', { sync: 'never-ran' }),
    ).rejects.toMatchObject({ kind: 'notFound', code: 'NOT_RUNNING' });
  });
});

it('a total of a report has the figures of its reason, as its rows have', async () => {
  const { id } = await openRun(db, { ...SPEC, sync: 'resolved' });
  const { reason } = LETTERS;
  await addRowProblems(db, id, [
    { row: 1, kind: 'reject', problem: { field: 'contact.number', code: 'invalid_phone', reason } },
    { row: 2, kind: 'reject', problem: { field: 'contact.name', code: 'required', reason: 'is empty' } },
  ]);
  const { report } = await operator.client.call('GET /syncs/{sync}/runs/{run}', {
    sync: 'resolved',
    run: id,
  });
  const shown = Object.fromEntries(report.totals.map(({ code, params }) => [code, params]));
  expect(shown).toEqual({ invalid_phone: { which: ['letters'] }, required: undefined });
});
