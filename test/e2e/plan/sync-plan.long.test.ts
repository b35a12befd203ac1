// Planning in the built program: a file of several pages, mapped in a thread of its own; cut off and taken up again;
// and as the command that shows a plan.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { z } from 'zod';
import { openPglite } from '../../../src/core/sql/database.ts';
import { registerSync } from '../../../src/jobs/sync/commands/sync.ts';
import { PlanProblem } from '../../../src/jobs/sync/contract/plan.ts';
import { RunSpec } from '../../../src/jobs/sync/contract/run.ts';
import { reportRun } from '../../../src/jobs/sync/store/run-report.ts';
import { layCluster } from '../../support/postgres/cluster.ts';
import { buildOnce } from '../../support/runner/build.ts';
import { runModule } from '../../support/runner/child.ts';
import { runHere } from '../../support/runner/run-here.ts';

const ROWS = 9000;
const MAPPING = { contact: { number: 'phone', name: 'name', email: 'email' }, tags: ['tags'] };
const SOURCE = { type: 'csv', path: 'leads.csv' };

let built: string;
let dir: string;
let server: Server;
let connections = 0;
beforeAll(async () => {
  built = await buildOnce();
  dir = await mkdtemp(join(tmpdir(), 'sluice-plan-'));
  server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  for (const folder of ['.sluice/ledger', 'killed']) await layCluster(join(dir, folder));
  await writeFile(join(dir, 'leads.csv'), rows().join('\n'));
  await writeFile(join(dir, 'few.csv'), [...rows().slice(0, 11), 'none,Nobody,,'].join('\n'));
  await writeFile(join(dir, 'clash.csv'), clash().join('\n'));
  const { port } = server.address() as { port: number };
  await writeFile(
    join(dir, 'sluice.yaml'),
    stringify({
      version: 1,
      accounts: { acme: { baseUrl: `http://127.0.0.1:${port}/wapi`, tokens: ['env:TOKEN'] } },
      sources: {
        leads: SOURCE,
        few: { ...SOURCE, path: 'few.csv' },
        clash: { ...SOURCE, path: 'clash.csv' },
      },
      mappings: {
        leads: MAPPING,
        clash: { contact: { number: 'Telefone', name: 'Nome', document: 'CPF' } },
      },
      syncs: {
        leads: { account: 'acme', source: 'leads', mapping: 'leads' },
        few: { account: 'acme', source: 'few', mapping: 'leads' },
        clash: { account: 'acme', source: 'clash', mapping: 'clash' },
      },
    }),
  );
});
afterAll(async () => {
  await new Promise((closed) => server.close(closed));
  await rm(dir, { recursive: true, force: true });
});

/** Person n; the last of each thousand comes again at the end, with a tag; one row is no phone number. */
function rows(): string[] {
  const row = (n: number, tags = '') =>
    `+1 415 556 ${String(1000 + n).padStart(4, '0')},"Canaria, ${n}",c${n}@mail.example,${tags}`;
  const all = Array.from({ length: ROWS - 10 }, (_, n) => row(n));
  const again = Array.from({ length: 9 }, (_, n) => row(n * 999, 'vip'));
  return ['phone,name,email,tags', ...all, ...again, 'none,Nobody,,'];
}

/** 1,200 rows without a number, a number of two people, and one of two names. */
function clash(): string[] {
  const none = Array.from({ length: 1200 }, (_, n) => `none ${n},Nobody ${n},`);
  const family = ['+1 415 555 0001,Canaria Reis,123.456.789-09', '+1 415 555 0001,Bruno Lima,98765432100'];
  const names = ['+1 415 555 0002,Canaria,', '+1 415 555 0002,Davi,', '+1 415 555 0002,CANARIA,'];
  return ['Telefone,Nome,CPF', ...none, ...family, ...names];
}

describe('sluice sync plan', () => {
  const plan = (...args: string[]) =>
    promisify(execFile)(
      process.execPath,
      [join(built, 'src/cli/main.js'), 'sync', 'plan', 'leads', ...args],
      {
        cwd: dir,
        env: { ...process.env, TOKEN: 'svc_test_plan', DATABASE_URL: '' },
      },
    );

  it('counts rows, people, fields and calls, calls nobody and leaves no row', async () => {
    const { stdout } = await plan('--json', '--samples', '2');
    const shown = JSON.parse(stdout) as { samples: unknown[] };
    expect(shown).toMatchObject({
      read: ROWS,
      create: ROWS - 10,
      update: 0,
      move: 0,
      unchanged: 0,
      merged: 9,
      rejected: 1,
      fields: { update: {}, create: { name: ROWS - 10, email: ROWS - 10, tags: 9 } },
      pace: { callsPerMinute: 120 },
    });
    expect(shown.samples).toHaveLength(2);
    expect(stdout).not.toMatch(/Canaria|c0@mail|4155561000|svc_test/);
    expect(connections).toBe(0);
    const db = await openPglite(join(dir, '.sluice', 'ledger'));
    const tables = ['runs', 'run_records', 'plan_pages', 'people', 'row_problems', 'run_warnings', 'slots'];
    for (const table of tables) expect(await db.query(`select 1 from ${table}`)).toEqual([]);
    await db.close();
  });

  it('is readable without --json', async () => {
    const place = ['--config', join(dir, 'sluice.yaml'), '--state', join(dir, '.sluice')];
    const { stdout, stderr } = await runHere(
      (program) => registerSync(program, { TOKEN: 'svc_test_plan' }),
      ['sync', 'plan', 'few', '--samples', '1', ...place],
    );
    expect(stdout).toContain('nothing was written, no call was made');
    expect(stdout).toMatch(/11 rows read: 10 to create/);
    expect(stdout).toMatch(/row 11 rejected/);
    expect(`${stdout}${stderr}`).not.toMatch(/Canaria|c0@mail|4155561000/);
  });
});

describe('the problems of a plan', () => {
  const clashed = async (...args: string[]) => {
    const place = ['--config', join(dir, 'sluice.yaml'), '--state', join(dir, '.sluice')];
    return await runHere(
      (program) => registerSync(program, { TOKEN: 'svc_test_plan' }),
      ['sync', 'plan', 'clash', ...place, ...args],
    );
  };
  const totals = [
    { outcome: 'rejected', where: 'contact.number', column: 'Telefone', rows: 1200, first: 1 },
    { outcome: 'rejected', where: 'contact.document', column: 'CPF', code: 'conflict', rows: 2, first: 1201 },
    { outcome: 'rejected', where: 'contact.name', column: 'Nome', code: 'conflict', rows: 2, first: 1201 },
    { outcome: 'warning', where: 'contact.name', column: 'Nome', code: 'conflict', rows: 1, first: 1204 },
  ];

  it('are all in its JSON, masked, with totals by reason; the counts add up', async () => {
    const { stdout } = await clashed('--json');
    const plan = JSON.parse(stdout) as { problems: unknown[] };
    expect(z.array(PlanProblem).parse(plan.problems)).toEqual(plan.problems);
    expect(plan).toMatchObject({ read: 1205, create: 1, merged: 2, rejected: 1202, totals });
    expect(plan.problems).toHaveLength(1205);
    expect(plan.problems.slice(-5)).toMatchObject([
      { row: 1201, where: 'contact.document', value: '•••09', otherRow: 1202, otherValue: '•••00' },
      { row: 1201, where: 'contact.name', value: 'C… R…', otherRow: 1202, otherValue: 'B… L…' },
      { row: 1202, where: 'contact.document', value: '•••00', otherRow: 1201, otherValue: '•••09' },
      { row: 1202, where: 'contact.name', value: 'B… L…', otherRow: 1201, otherValue: 'C… R…' },
      { row: 1204, outcome: 'warning', column: 'Nome', value: 'D…', otherRow: 1203, otherValue: 'C…' },
    ]);
    expect(stdout).not.toMatch(/Canaria|CANARIA|Bruno|Davi|98765432100/);
  });

  it('are all in the CSV, masked unless that is asked for; the plan itself stays readable', async () => {
    const file = join(dir, 'problems.csv');
    const { stdout } = await clashed('--csv', file);
    expect(stdout).toMatch(/1,200 rows rejected \(the first is row 1\): contact\.number \(column Telefone\)/);
    expect(stdout).toMatch(/2 rows rejected .*column CPF.*rows 1201 and 1202 have this number .*onConflict/);
    expect(stdout).toMatch(/warning: mapping: 1 row: contact\.name \(column Nome\): rows 1203 and 1204/);
    const csv = await readFile(file, 'utf8');
    expect(csv.split('\r\n')).toHaveLength(1 + 1205 + 1);
    expect(csv.split('\r\n')[0]).toBe('row,status,step,code,reason,column,value,otherRow,otherValue');
    expect(csv).not.toMatch(/Canaria|Bruno/);
    await clashed('--csv', file, '--unmasked');
    expect(await readFile(file, 'utf8')).toMatch(/Bruno Lima/);
  });

  it('go to stdout alone with --csv -, the plan to stderr; two forms on stdout are refused', async () => {
    const { stdout, stderr } = await clashed('--csv', '-');
    expect(stdout).toMatch(/^row,status/);
    expect(stderr).toMatch(/1,205 rows read/);
    expect((await clashed('--csv', '-', '--json')).code).toBe(2);
  });
});

describe('a file that is no table for the mapping', () => {
  const files: [string, string | Uint8Array, number, RegExp][] = [
    [
      'no column for the number',
      'phones,name\n1,Ana\n',
      2,
      /did you mean "phones"\?; columns found: "phones", "name"/,
    ],
    ['a person in the first line', '11987654321,Ana\n11987654322,Eva\n', 2, /looks like a row, not a header/],
    ['a web page', '<!doctype html><html><form>', 2, /HTML/],
    ['a workbook', Buffer.from('PK\u0003\u0004…', 'latin1'), 2, /xlsx.*CSV UTF-8/],
    ['nothing at all', '', 2, /no header/],
    ['a quote that is never closed', 'phone,name\n+14155551000,Ana\n"+14155551001,Eva\n', 6, /NOT_READ/],
  ];
  it.each(files)('%s: sluice sync plan ends with its exit code', async (_, data, code, says) => {
    await writeFile(join(dir, 'few.csv'), data);
    const place = ['--config', join(dir, 'sluice.yaml'), '--state', join(dir, '.sluice')];
    const found = await runHere(
      (program) => registerSync(program, { TOKEN: 'svc_test_plan' }),
      ['sync', 'plan', 'few', ...place],
    );
    expect(found.code).toBe(code);
    expect(`${found.stdout}${found.stderr}`).toMatch(says);
    expect(`${found.stdout}${found.stderr}`).not.toMatch(/11987654321/);
  });
});

describe('a run that is killed while it is planned', () => {
  it('goes on where it was, and counts every row and person once', async () => {
    const spec = RunSpec.parse({
      account: 'acme',
      sync: 'killed',
      source: SOURCE,
      mapping: MAPPING,
      options: { account: 'acme', source: 'leads', mapping: 'leads' },
    });
    const module = (path: string) => JSON.stringify(join(built, path));
    const code = `
      import { openPglite } from ${module('src/core/sql/database.js')};
      import { migrate } from ${module('src/core/sql/migrations/migrations.js')};
      import { openRun } from ${module('src/jobs/sync/store/runs.js')};
      import { compileMapping } from ${module('src/mapping/index.js')};
      import { openSource } from ${module('src/connectors/sources/index.js')};
      import { planPages } from ${module('activities/sync/plan/plan-run.js')};
      const db = await openPglite('killed');
      await migrate(db);
      const run = await openRun(db, ${JSON.stringify(spec)});
      const makers = { openSource: (source) => openSource(source, { baseDir: '.' }), compileMapping };
      let last = -1;
      const { read } = await planPages({ db, ...makers, baseDir: '.', memories: new Map() }, run.id, {
        more({ read }) {
          if (read !== last) console.log(String(last = read));
          return true;
        },
      });
      console.log('done ' + read);
      await db.close();`;
    const start = () =>
      runModule(
        `process.chdir(${JSON.stringify(dir)});${code.replaceAll(/^ +import (.*) from (.*);$/gm, 'const $1 = await import($2);')}`,
      );
    const first = start();
    const seen: number[] = [];
    while (seen.length < 2) seen.push(Number(await first.line()));
    await first.kill();
    const second = start();
    const from = Number(await second.line());
    expect(from).toBeGreaterThanOrEqual(seen[1] as number);
    let line = '';
    while (!line.startsWith('done')) line = await second.line();
    expect(line).toBe(`done ${ROWS}`);
    await second.ended();
    const db = await openPglite(join(dir, 'killed'));
    expect(await reportRun(db, 'acme/killed/1')).toMatchObject({
      read: ROWS,
      pending: ROWS - 10,
      unchanged: 0,
      merged: 9,
      rejected: 1,
    });
    const tagged = await db.query("select 1 from run_records where payload -> 'tags' = '[\"vip\"]'");
    expect(tagged).toHaveLength(9);
    await db.close();
  });
});
