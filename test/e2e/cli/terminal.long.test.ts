// Commands in a pseudo-terminal, at 80 and 200 columns, and without one.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { widthOf } from '../../../src/cli/lib/terminal/width.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { type Database, openPglite } from '../../../src/core/sql/database.ts';
import { migrate } from '../../../src/core/sql/migrations/migrations.ts';
import { RunSpec } from '../../../src/jobs/sync/contract/run.ts';
import { addRowProblems } from '../../../src/jobs/sync/store/row-problems.ts';
import { closeRun } from '../../../src/jobs/sync/store/run-end.ts';
import { advanceRun, openRun } from '../../../src/jobs/sync/store/runs.ts';
import { openTestOperator, type TestOperator } from '../../support/operator/operator.ts';
import { layCluster } from '../../support/postgres/cluster.ts';
import { buildOnce } from '../../support/runner/build.ts';
import { NO_PYTHON } from '../../support/runner/missing.ts';
import { CTRL_C, CTRL_D, hasPty, openTerminal, runInTerminal } from '../../support/tools/pty.ts';

const COLUMNS = [80, 200] as const;
const LONG = 'the reason is longer than a line of a terminal of 80 columns, and 山田太郎 is wide 😀';

let dist: string;
let dir: string;
let db: Database;
let operator: TestOperator;

beforeAll(async () => {
  dist = await buildOnce();
  dir = await mkdtemp(join(tmpdir(), 'sluice-terminal-'));
  await layCluster(join(dir, 'ledger'));
  db = await openPglite(join(dir, 'ledger'));
  await migrate(db);
  await addRun();
  await writeFile(
    join(dir, 'sluice.yaml'),
    stringify({
      version: 1,
      accounts: { acme: { baseUrl: 'http://127.0.0.1:9/wapi', tokens: ['env:TOKEN'] } },
      sources: { leads: { type: 'csv', path: 'leads.csv' } },
      mappings: { leads: { contact: { number: 'phone' } } },
      syncs: { leads: { account: 'acme', source: 'leads', mapping: 'leads' } },
    }),
  );
  const config = await loadConfig(join(dir, 'sluice.yaml'), { env: { TOKEN: 'svc_test_x' } });
  operator = await openTestOperator({ db, temporal: null, config });
  for (const [name, displayName] of [
    ['ana', 'José Antônio da Conceição e Silva Albuquerque de Orleans e Bragança'],
    ['bia', '山田太郎 😀'],
  ] as const)
    await operator.client.call('POST /users', { name, role: 'operator', displayName });
});
afterAll(async () => {
  await operator.close();
  await db.close();
  await rm(dir, { recursive: true, force: true });
});

async function addRun(): Promise<void> {
  const source = { type: 'csv', path: 'leads.csv' };
  const mapping = { contact: { number: 'phone' } };
  const options = { account: 'acme', source: 'leads', mapping: 'leads' };
  const run = await openRun(db, RunSpec.parse({ account: 'acme', sync: 'leads', options, source, mapping }));
  const problem = { field: 'contact.number', code: 'invalid_phone', reason: LONG, value: '1' };
  await addRowProblems(db, run.id, [{ row: 3, kind: 'reject', problem }]);
  await advanceRun(db, run.id, { cursor: null, progress: 1, read: 1, rejected: 1, merged: 0 });
  await closeRun(db, run.id, { status: 'finished', stopped: 0 });
}

const sluice = (...words: string[]) => [process.execPath, join(dist, 'src/cli/main.js'), ...words];
const remote = (...words: string[]) => sluice(...words, '--server', operator.server);

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Without a terminal. */
function piped([file = '', ...args]: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return new Promise((done) => {
    execFile(file, args, { cwd: dir, env: { PATH: process.env.PATH, ...env } }, (error, stdout, stderr) =>
      done({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

describe('a table', () => {
  beforeEach(({ skip }) => skip(!hasPty, NO_PYTHON));

  it.each(COLUMNS)('fits %i columns, also with accents, Chinese letters and emoji', async (columns) => {
    const { code, lines } = await runInTerminal(remote('user', 'list'), { columns, cwd: dir });
    expect(code).toBe(0);
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
    expect(lines[0]).toMatch(/^name +display name +role/);
    const [ana = '', bia = ''] = [lines[1], lines[2]];
    expect(ana.includes('…')).toBe(columns === 80);
    // The next column begins at the same cell.
    const before = (line: string) => widthOf(line.slice(0, line.indexOf('operator')));
    expect(before(bia)).toBe(before(ana));
  });

  it('is not cut without a terminal', async () => {
    const { stdout } = await piped(remote('user', 'list'));
    expect(stdout).toContain('José Antônio da Conceição e Silva Albuquerque de Orleans e Bragança');
  });
});

describe('a list', () => {
  beforeEach(({ skip }) => skip(!hasPty, NO_PYTHON));

  it.each(COLUMNS)('is a table with titles at %i columns', async (columns) => {
    const { lines } = await runInTerminal(remote('sync', 'rows', 'leads'), { columns, cwd: dir });
    expect(lines[0]).toMatch(/^row +outcome +step +code +reason$/);
    expect(lines[1]).toMatch(columns === 80 ? /^row 3 {2}rejected .*…$/ : /^row 3 {2}rejected .*😀$/);
    for (const line of lines.slice(0, 2)) expect(widthOf(line)).toBeLessThanOrEqual(columns);
  });

  it('has titles and tabs in a pipe', async () => {
    const { stdout } = await piped(remote('sync', 'rows', 'leads'));
    expect(stdout).toMatch(
      /^row\toutcome\tstep\tcode\treason\nrow 3\trejected\tcontact\.number\tinvalid_phone\t.*😀\n$/,
    );
  });
});

describe('times', () => {
  beforeEach(({ skip }) => skip(!hasPty, NO_PYTHON));

  it.each([
    [[], ' -03:00'],
    [['--utc'], ' UTC'],
  ])('carry their zone: %j', async (more, zone) => {
    const env = { TZ: 'America/Sao_Paulo' };
    const { lines } = await runInTerminal(remote('sync', 'runs', 'leads', ...more), {
      columns: 200,
      cwd: dir,
      env,
    });
    expect(lines[1]).toMatch(new RegExp(`\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d${zone} `));
  });
});

describe('a question', () => {
  beforeEach(({ skip }) => skip(!hasPty, NO_PYTHON));

  const ask = () => openTerminal(remote('outbox', 'discard', '4711'), { columns: 80, cwd: dir });

  it.each([
    ['no', 'n\r', 1, 'nothing was changed'],
    ['nothing', '\r', 1, 'nothing was changed'],
    ['the end of the input', CTRL_D, 1, 'nothing was changed'],
    ['Ctrl-C', CTRL_C, 130, ''],
    ['yes', 'y\r', 3, 'no event'],
  ])('answered with %s', async (_, typed, code, text) => {
    const terminal = ask();
    await terminal.shows('Continue? [y/N] ');
    terminal.type(typed);
    expect(await terminal.ended).toBe(code);
    expect(terminal.shown()).toContain('1 event will be discarded for good: 4711');
    expect(terminal.shown()).toContain(text);
  });

  it('needs --yes without a terminal', async () => {
    const { code, stderr } = await piped(remote('outbox', 'discard', '4711'));
    expect(code).toBe(2);
    expect(stderr).toContain('add --yes');
  });
});

describe('progress and log', () => {
  beforeEach(({ skip }) => skip(!hasPty, NO_PYTHON));

  /** A bar, a log line above it, and a pause, as a command shows them. */
  const SCRIPT = `
    const { guardStream } = await import(process.argv[1] + '/src/cli/lib/terminal/terminal.js');
    const { hasColor } = await import(process.argv[1] + '/src/observe/color.js');
    const { makeLogger } = await import(process.argv[1] + '/src/cli/lib/logger.js');
    const { createProgress } = await import(process.argv[1] + '/src/cli/lib/terminal/progress.js');
    guardStream(process.stderr, hasColor(process.stderr, process.env));
    const progress = createProgress(process.stderr, { label: 'sync leads' });
    progress.update({ done: 10, total: 100 });
    makeLogger('info').warn('page lost');
    progress.update({ done: 50, total: 100, paused: true, note: 'waiting for ana '.repeat(10) });
    process.stderr.write('', () => process.exit());
  `;
  const show = () => [process.execPath, '--input-type=module', '-e', SCRIPT, pathToFileURL(dist).href];

  it.each(COLUMNS)('fit %i columns; a paused bar says so', async (columns) => {
    const { lines } = await runInTerminal(show(), { columns });
    for (const line of lines) expect(widthOf(line)).toBeLessThan(columns);
    expect(lines[0]).toMatch(/WARN +page lost$/);
    expect(lines.at(-1)).toMatch(/^sync leads \[#+-+\] 50%, 50 of 100 records, paused/);
  });

  it.each([
    ['a terminal', {}, true],
    ['NO_COLOR', { NO_COLOR: '1' }, false],
    ['NO_COLOR and FORCE_COLOR', { NO_COLOR: '1', FORCE_COLOR: '1' }, true],
    ['a dumb terminal', { TERM: 'dumb' }, false],
  ])('have colors as %s wants it', async (_, env, colored) => {
    const { raw } = await runInTerminal(show(), { columns: 80, env });
    expect(raw.includes('\u001b[33mWARN')).toBe(colored);
    expect(raw.includes('\u001b[33msync leads')).toBe(colored);
    // Of the control sequences, only that which clears the bar's line is no color.
    expect(raw.replaceAll('\u001b[2K', '').includes('\u001b[')).toBe(colored);
  });

  it('are lines without a terminal', async () => {
    const { stderr } = await piped(show());
    expect(stderr).not.toContain('\u001b');
    const [first, log, last] = stderr.split('\n');
    expect(first).toBe('sync leads: 10%, 10 of 100 records');
    expect(JSON.parse(log ?? '')).toMatchObject({ level: 'warn', msg: 'page lost' });
    expect(last).toMatch(/^sync leads: 50%, 50 of 100 records, paused/);
  });
});

describe('an error with --json', () => {
  beforeEach(({ skip }) => skip(!hasPty, NO_PYTHON));

  it('is one JSON object, in a terminal and in a pipe', async () => {
    const words = remote('sync', 'rows', 'nobody', '--json');
    const { code, lines } = await runInTerminal(words, { columns: 80, cwd: dir });
    const { code: pipedCode, stdout, stderr } = await piped(words);
    expect([code, pipedCode, stdout]).toEqual([3, 3, '']);
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toEqual(JSON.parse(stderr));
    expect(JSON.parse(stderr)).toMatchObject({ error: { exit: 3, code: 'UNKNOWN_NAME' } });
  });
});
