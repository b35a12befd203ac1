// Planning in the built program: a file of several pages, mapped in a thread of its own; cut off and taken up again;
// and as the command that shows a plan.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { registerSync } from '../../../src/cli/sync.ts';
import { RunSpec } from '../../../src/contracts/run.ts';
import { openPglite } from '../../../src/ledger/database.ts';
import { reportRun } from '../../../src/ledger/runs.ts';
import { buildOnce } from '../../support/build.ts';
import { runModule } from '../../support/child.ts';
import { layCluster } from '../../support/cluster.ts';
import { runHere } from '../../support/run-here.ts';

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
  const { port } = server.address() as { port: number };
  await writeFile(
    join(dir, 'sluice.yaml'),
    stringify({
      version: 1,
      accounts: { acme: { baseUrl: `http://127.0.0.1:${port}/wapi`, tokens: ['env:TOKEN'] } },
      sources: { leads: SOURCE, few: { ...SOURCE, path: 'few.csv' } },
      mappings: { leads: MAPPING },
      syncs: {
        leads: { account: 'acme', source: 'leads', mapping: 'leads' },
        few: { account: 'acme', source: 'few', mapping: 'leads' },
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
    `+1 415 555 ${String(1000 + n).padStart(4, '0')},"Canaria, ${n}",c${n}@mail.example,${tags}`;
  const all = Array.from({ length: ROWS - 10 }, (_, n) => row(n));
  const again = Array.from({ length: 9 }, (_, n) => row(n * 999, 'vip'));
  return ['phone,name,email,tags', ...all, ...again, 'none,Nobody,,'];
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
      ...{ read: ROWS, create: ROWS - 10, update: 0, move: 0, unchanged: 9, rejected: 1 },
      fields: { update: {}, create: { name: ROWS - 10, email: ROWS - 10, tags: 9 } },
      pace: { callsPerMinute: 120 },
    });
    expect(shown.samples).toHaveLength(2);
    expect(stdout).not.toMatch(/Canaria|c0@mail|4155551000|svc_test/);
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
    expect(`${stdout}${stderr}`).not.toMatch(/Canaria|c0@mail|4155551000/);
  });
});

describe('a run that is killed while it is planned', () => {
  it('goes on where it was, and counts every row and person once', async () => {
    const spec = RunSpec.parse({
      ...{ account: 'acme', sync: 'killed', source: SOURCE, mapping: MAPPING },
      options: { account: 'acme', source: 'leads', mapping: 'leads' },
    });
    const module = (path: string) => JSON.stringify(join(built, path));
    const code = `
      import { openPglite } from ${module('src/ledger/database.js')};
      import { migrate } from ${module('src/ledger/migrations.js')};
      import { openRun } from ${module('src/ledger/runs.js')};
      import { compileMapping } from ${module('src/mapping/index.js')};
      import { openSource } from ${module('src/sources/index.js')};
      import { planPages } from ${module('activities/plan-run.js')};
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
      ...{ read: ROWS, pending: ROWS - 10, unchanged: 9, rejected: 1 },
    });
    const tagged = await db.query("select 1 from run_records where payload -> 'tags' = '[\"vip\"]'");
    expect(tagged).toHaveLength(9);
    await db.close();
  });
});
