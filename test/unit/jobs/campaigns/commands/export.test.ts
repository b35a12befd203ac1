// `sluice campaign export`: the outcomes of a run as CSV, from a running Sluice or from the ledger.
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openPglite } from '../../../../../src/core/sql/database.ts';
import { migrate } from '../../../../../src/core/sql/migrations/migrations.ts';
import { registerCampaignExport } from '../../../../../src/jobs/campaigns/commands/export.ts';
import { reportOf } from '../../../../../src/jobs/campaigns/store/report.ts';
import { openTestOperator } from '../../../../support/operator/operator.ts';
import { layCluster } from '../../../../support/postgres/cluster.ts';
import { testLedger } from '../../../../support/postgres/ledger.ts';
import { runHere } from '../../../../support/runner/run-here.ts';
import { campaignRows, PERSON, RUN, t } from '../store/rows.ts';

let db: Database;
let dir: string;
let undo: (() => Promise<unknown>)[];
const rows = campaignRows(() => db);

beforeEach(async () => {
  db = await testLedger();
  dir = await mkdtemp(join(tmpdir(), 'sluice-export-'));
  undo = [];
  server = [];
});
afterEach(async () => {
  for (const each of undo.toReversed()) await each();
  await rm(dir, { recursive: true, force: true });
});

/** A running Sluice. */
let server: string[] = [];
async function serve(): Promise<void> {
  const operator = await openTestOperator({ db, temporal: null });
  undo.push(() => operator.close());
  server = ['--server', operator.server];
}

const run = (...argv: string[]) =>
  runHere((program) => registerCampaignExport(program, {}), ['export', ...argv, '--state', dir, ...server]);
const table = (text: string): Record<string, string>[] => parse(text, { columns: true });

const HOSTILE = '=HYPERLINK("http://evil.example","x")';

async function fill(): Promise<void> {
  await rows.run();
  await rows.member({ state: 'excluded', code: 'OPTED_OUT', wave: null, key: '5511987650002' });
  await rows.member({ variables: { name: HOSTILE } });
  await rows.member({ state: 'failed', code: HOSTILE, key: '5511987650003' });
  await db.query(
    `insert into campaign_waves (run_id, wave, kind, size, started_at, broken) values ($1, 1, 'canary', 2, $2, '[{"code":"STOP_FAILED","reason":"x"}]')`,
    [RUN, t(0)],
  );
}

describe('from a running Sluice', () => {
  beforeEach(async () => {
    await fill();
    await serve();
  });

  it('a line a wave, and the total', async () => {
    const { code, stdout } = await run('spring');
    expect(code).toBe(0);
    const [wave, total, ...more] = table(stdout);
    expect(more).toEqual([]);
    expect(wave).toMatchObject({
      run: RUN,
      wave: '1',
      kind: 'canary',
      startedAt: t(0).toISOString(),
      brokenRules: 'STOP_FAILED',
      audience: '2',
      triggered: '1',
      failed: '1',
      excluded: '0',
      'excluded OPTED_OUT': '0',
    });
    // Nothing was reported of the one that was triggered.
    expect([wave?.delivered, total?.read, total?.replied]).toEqual(['', '', '']);
    expect(total).toMatchObject({ wave: 'total', audience: '3', eligible: '2', 'excluded OPTED_OUT': '1' });
  });

  it('FAULTS 49: a code or a value that a spreadsheet would run is text', async () => {
    const { stdout } = await run('spring', '--members', '--variables');
    const cells = table(stdout).flatMap((row) => Object.values(row));
    expect(cells).toContain(`'${HOSTILE}`);
    expect(cells.filter((cell) => /^[=+\-@]/.test(cell))).toEqual([]);
    expect((await run('spring')).stdout).not.toMatch(/(^|,|")=/m);
  });

  it('a line a member, without number or variables unless they are asked for', async () => {
    const plain = await run('spring', '--members');
    expect(plain.stdout).not.toMatch(new RegExp(`${PERSON}|HYPERLINK.*name`));
    expect(table(plain.stdout).map(({ state, code, wave }) => [state, code, wave])).toEqual([
      ['excluded', 'OPTED_OUT', ''],
      ['triggered', '', '1'],
      ['failed', `'${HOSTILE}`, '1'],
    ]);
    expect(plain.stderr).toContain('3 members');
    const personal = table(
      (await run(RUN, '--members', '--numbers', '--variables', '--only', 'triggered')).stdout,
    );
    expect(personal).toHaveLength(1);
    expect(personal[0]).toMatchObject({ number: PERSON, variables: JSON.stringify({ name: HOSTILE }) });
  });

  it('more members than fit one answer, each once', async () => {
    await rows.member({ count: 4500, key: '55119800', wave: null, state: 'waiting' });
    const ids = table((await run('spring', '--members')).stdout).map(({ member }) => member);
    expect(new Set(ids).size).toBe(4503);
    expect(ids).toHaveLength(4503);
  });

  it('into a file that is for this user alone', async () => {
    const file = join(dir, 'members.csv');
    const { code, stdout } = await run('spring', '--members', '--numbers', '--output', file);
    expect([code, stdout]).toEqual([0, '']);
    expect(await readFile(file, 'utf8')).toContain(PERSON);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('members that are forgotten are said to be', async () => {
    const report = await reportOf(db, RUN);
    await db.query('update campaigns set report = $1::jsonb', [JSON.stringify(report)]);
    await db.query('delete from campaign_members');
    const { stdout, stderr } = await run('spring', '--members');
    expect(table(stdout)).toEqual([]);
    expect(stderr).toMatch(/deleted/);
    expect(table((await run('spring')).stdout).at(-1)).toMatchObject({ wave: 'total', audience: '3' });
  });

  it.each<[string, readonly string[], number, RegExp]>([
    ['a campaign without a run', ['autumn'], 3, /campaign plan autumn/],
    ['a run that is not there', ['spring', '--run', 'acme/+spring/7'], 3, /no run acme/],
    ['a run of another campaign', ['autumn', '--run', RUN], 2, /campaign "spring"/],
    ['what is no run', ['spring', '--run', '7'], 2, /\{account\}/],
    ['numbers without members', ['spring', '--numbers'], 2, /--members/],
    ['a state that is none', ['spring', '--members', '--only', 'happy'], 2, /triggered/],
  ])('%s is refused with the fix', async (_, argv, code, message) => {
    const answer = await run(...argv);
    expect([answer.code, answer.stdout]).toEqual([code, '']);
    expect(answer.stderr).toMatch(message);
  });
});

it('out of a ledger that nobody has open', async () => {
  await layCluster(join(dir, 'ledger'));
  db = await openPglite(join(dir, 'ledger'));
  await migrate(db);
  await fill();
  await db.close();
  const { code, stdout } = await run('spring');
  expect(code).toBe(0);
  expect(table(stdout).at(-1)).toMatchObject({ wave: 'total', audience: '3' });
});

it('where there is no ledger, the error names the fix', async () => {
  expect(await run('spring')).toMatchObject({ code: 3, stderr: expect.stringMatching(/--state/) });
});
