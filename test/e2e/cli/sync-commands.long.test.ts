// `sluice sync rows`, `retry` and `schedule` as users type them, against a ledger and a Temporal server made for them.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { loadConfig } from '../../../src/config/load.ts';
import { crmSyncWorkflowId } from '../../../src/core/ids.ts';
import { type Database, openPglite } from '../../../src/core/sql/database.ts';
import { migrate } from '../../../src/core/sql/migrations/migrations.ts';
import { registerSync } from '../../../src/jobs/sync/commands/sync.ts';
import { RunSpec } from '../../../src/jobs/sync/contract/run.ts';
import { endRecord } from '../../../src/jobs/sync/store/records.ts';
import { addRowProblems } from '../../../src/jobs/sync/store/row-problems.ts';
import { closeRun } from '../../../src/jobs/sync/store/run-end.ts';
import { advanceRun, openRun } from '../../../src/jobs/sync/store/runs.ts';
import { stageRecords } from '../../../src/jobs/sync/store/staged-records.ts';
import { SEARCH_ATTRIBUTES } from '../../../src/temporal/search-attributes.ts';
import { openTestOperator, type TestOperator } from '../../support/operator/operator.ts';
import { layCluster } from '../../support/postgres/cluster.ts';
import { unleased } from '../../support/postgres/ledger.ts';
import { buildOnce } from '../../support/runner/build.ts';
import { runHere } from '../../support/runner/run-here.ts';
import { connectTestTemporal, type TestTemporal } from '../../support/temporal/temporal.ts';

const PHONE = '5511987654321';
const EVIL = '=HYPERLINK("http://evil","x")';

let main: string;
let dir: string;
let temporal: TestTemporal;

beforeAll(async () => {
  main = join(await buildOnce(), 'src/cli/main.js');
  dir = await mkdtemp(join(tmpdir(), 'sluice-commands-'));
  temporal = await connectTestTemporal({ searchAttributes: SEARCH_ATTRIBUTES });
  await writeFile(
    join(dir, 'sluice.yaml'),
    stringify({
      version: 1,
      accounts: { acme: { baseUrl: 'http://127.0.0.1:9/wapi', tokens: ['env:TOKEN'] } },
      sources: { leads: { type: 'csv', path: 'leads.csv' } },
      mappings: { leads: { contact: { number: 'phone' } } },
      syncs: {
        leads: {
          account: 'acme',
          source: 'leads',
          mapping: 'leads',
          schedule: { cron: '0 6 * * *', timeZone: 'America/Sao_Paulo' },
        },
        other: { account: 'acme', source: 'leads', mapping: 'leads' },
      },
    }),
  );
  await fillLedger();
});
afterAll(async () => {
  await temporal.close();
  await rm(dir, { recursive: true, force: true });
});

/** One run: a failed person full of personal data, one of unknown outcome, a rejected row. */
async function fillLedger(): Promise<void> {
  const folder = join(dir, '.sluice', 'ledger');
  await layCluster(folder);
  const db = await openPglite(folder);
  try {
    await migrate(db);
    const run = await openRun(
      db,
      RunSpec.parse({
        account: 'acme',
        sync: 'leads',
        options: { account: 'acme', source: 'leads', mapping: 'leads' },
        source: { type: 'csv', path: 'leads.csv' },
        mapping: { contact: { number: 'phone' } },
      }),
    );
    const contact = { number: PHONE, name: EVIL, email: 'canary@example.com', document: '12345678909' };
    const record = { key: PHONE, contact, extraInfo: [{ name: 'salary', value: 'canary' }], tags: ['vip'] };
    const other = { ...record, key: '14155552001', contact: { number: '14155552001' } };
    await stageRecords(db, run.id, [
      { key: record.key, row: 1, record, todo: 4 },
      { key: other.key, row: 2, record: other, todo: 4 },
    ]);
    const problem = {
      field: 'contact.email',
      code: 'invalid_email',
      reason: 'no address',
      value: 'canary@@',
    };
    await addRowProblems(db, run.id, [{ row: 3, kind: 'reject', problem }]);
    await advanceRun(db, run.id, { cursor: null, progress: 1, read: 3, rejected: 1, merged: 0 });
    const rows = await db.query<{ id: number }>('select id from run_records order by id');
    const end = { step: 'upsertContact', reason: 'refused' } as const;
    await endRecord(db, unleased(rows[0]?.id as number), {
      ...end,
      status: 'failed',
      code: 'ERR_DUPLICATED_CONTACT',
    });
    await endRecord(db, unleased(rows[1]?.id as number), {
      ...end,
      status: 'unknown',
      code: 'READ_BACK_FAILED',
    });
    await closeRun(db, run.id, { status: 'finished', stopped: 0 });
  } finally {
    await db.close();
  }
}

interface Ended {
  readonly code: string | number | null | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

function whole(args: string, env: Record<string, string>) {
  const { TEMPORAL_ADDRESS: _, TEMPORAL_NAMESPACE: __, DATABASE_URL: ___, ...inherited } = process.env;
  const files = ['--config', join(dir, 'sluice.yaml'), '--state', join(dir, '.sluice')];
  return { argv: [...args.split(' '), ...files], env: { ...inherited, TOKEN: 'svc_test_x', ...env } };
}

function sluice(args: string, more: Record<string, string> = {}): Promise<Ended> {
  const { argv, env } = whole(args, more);
  return runHere((program) => registerSync(program, env), argv);
}

/** The same as a process of its own. */
function spawned(args: string): Promise<Ended> {
  const { argv, env } = whole(args, {});
  return new Promise((done) => {
    execFile(process.execPath, [main, ...argv], { env }, (error, stdout, stderr) =>
      done({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

const lines = (text: string) => text.trimEnd().split('\n');

describe('sluice sync rows', () => {
  it('shows what failed and why, without a personal datum, unless asked for it', async () => {
    const { code, stdout, stderr } = await spawned('sync rows leads --json');
    expect(code, stderr).toBe(0);
    const rows = lines(stdout).map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(rows.map(({ row, outcome, where, code }) => [row, outcome, where, code])).toEqual([
      [1, 'failed', 'upsertContact', 'ERR_DUPLICATED_CONTACT'],
      [2, 'unknown', 'upsertContact', 'READ_BACK_FAILED'],
      [3, 'rejected', 'contact.email', 'invalid_email'],
    ]);
    expect(rows[0]).toMatchObject({
      key: '+55 11 9••••-4321',
      status: 'failed',
      step: 'upsertContact',
      attempts: 1,
      created: false,
      cardCreated: false,
      payload: { contact: { email: 'c•••@example.com', document: '•••09' }, tags: ['vip'] },
    });
    for (const canary of [PHONE, 'canary', 'HYPERLINK', '12345678909', '14155552001'])
      expect(stdout + stderr).not.toContain(canary);
  });

  it('writes CSV that a spreadsheet does not run, to a file of its owner', async () => {
    const { code, stderr, stdout } = await sluice(
      `sync rows leads --csv ${join(dir, 'rows.csv')} --unmasked --code ERR_DUPLICATED_CONTACT`,
    );
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('personal data is shown in clear');
    const file = join(dir, 'rows.csv');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const rows = parse(await readFile(file), { columns: true, record_delimiter: '\r\n' });
    expect(rows).toEqual([
      expect.objectContaining({ row: '1', status: 'failed', key: PHONE, name: `'${EVIL}`, tags: 'vip' }),
    ]);
  });

  it('of a run of another sync says so, exit code 3', async () => {
    expect((await sluice('sync rows leads --run acme/other/1')).code).toBe(3);
  });
});

describe('with a Temporal server', () => {
  let db: Database;
  let operator: TestOperator;
  beforeAll(async () => {
    db = await openPglite(join(dir, '.sluice', 'ledger'));
    const config = await loadConfig(join(dir, 'sluice.yaml'), { env: { TOKEN: 'svc_test_x' } });
    operator = await openTestOperator({ db, temporal: temporal.client, config });
  });
  afterAll(async () => {
    await operator.close();
    await db.close();
  });
  const away = () => ({ SLUICE_SERVER: operator.server });

  it('sluice sync retry while a run is under way is a conflict, exit code 5', async () => {
    const handle = await temporal.client.workflow.start('crmSync', {
      workflowId: crmSyncWorkflowId('acme', 'leads'),
      taskQueue: temporal.taskQueue(),
      args: [{ account: 'acme', sync: 'leads' }],
    });
    const { code, stderr } = await sluice('sync retry leads', away());
    expect(code).toBe(5);
    expect(stderr).toContain('a run of "leads" is under way');
    await handle.terminate();
  });

  it('sluice sync list and runs show the state, start, end and counts', async () => {
    const json = async (args: string) => {
      const ended = await sluice(`${args} --json`, away());
      expect(ended.code, ended.stderr).toBe(0);
      return lines(ended.stdout).map((line) => JSON.parse(line) as Record<string, unknown>);
    };
    const run = {
      run: 'acme/leads/1',
      kind: 'sync',
      status: 'finished',
      finishedAt: expect.stringMatching(/Z$/),
      read: 3,
      outcomes: expect.objectContaining({ rejected: 1, failed: 1, unknown: 1 }),
    };
    expect(await json('sync runs leads')).toEqual([expect.objectContaining(run)]);
    expect(await json('sync list')).toMatchObject([
      { sync: 'leads', state: 'idle', source: { name: 'leads', type: 'csv' }, last: run },
      { sync: 'other', state: 'idle', last: null, schedule: null },
    ]);
    const { stdout } = await sluice('sync runs leads', away());
    expect(lines(stdout)[1]).toMatch(
      /^acme\/leads\/1\s+sync\s+finished\s.*\s1 rejected, 1 failed, 1 unknown$/,
    );
    expect((await sluice('sync status other', away())).code).toBe(3);
    expect((await sluice('sync pause leads', away())).code).toBe(3);
    const status = await sluice('sync status leads', away());
    expect(status).toMatchObject({ code: 0, stdout: expect.stringContaining('run acme/leads/1: ended') });
  });

  it('sluice sync schedule: applied, listed with its zone, paused with a reason, back-filled', async () => {
    const run = async (args: string) => {
      const ended = await sluice(`sync schedule ${args} --json`, away());
      expect(ended.code, ended.stderr).toBe(0);
      return JSON.parse(ended.stdout) as Record<string, unknown>;
    };
    expect((await sluice('sync schedule pause leads', away())).stderr).toContain(
      'sluice sync schedule apply',
    );
    expect((await sluice('sync schedule pause other', away())).code).toBe(3);
    expect(await run('apply')).toEqual({ account: 'acme', sync: 'leads', change: 'create' });
    expect(await run('pause leads --reason holiday')).toMatchObject({
      scheduleId: 'sync/acme/leads',
      paused: true,
    });
    expect([await run('list')]).toMatchObject([
      {
        sync: 'leads',
        state: 'in-step',
        timeZone: 'America/Sao_Paulo',
        paused: true,
        note: expect.stringMatching(/^paused by .+: holiday$/),
        next: [expect.stringMatching(/T06:00:00-03:00$/), expect.anything(), expect.anything()],
      },
    ]);
    const span = '--from 2026-11-16T06:00:00-03:00 --to 2026-11-18T06:00:00-03:00';
    expect(await run(`backfill leads ${span}`)).toMatchObject({ scheduledTimes: 3 });
    await temporal.client.schedule.getHandle('sync/acme/leads').delete();
  });
});
