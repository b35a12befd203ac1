// Fix and retry: rejected rows leave with line and reason, and come back corrected.
import { appendFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { beforeEach, describe, expect, it } from 'vitest';
import { planPages } from '../../../../activities/sync/plan/plan-run.ts';
import { openSource } from '../../../../src/connectors/sources/index.ts';
import { openRun } from '../../../../src/jobs/sync/store/runs.ts';
import { compileMapping } from '../../../../src/mapping/index.ts';
import { operatorContext } from '../../../support/operator/context.ts';
import { openTestOperator, type TestOperator } from '../../../support/operator/operator.ts';

const YAML = `version: 1
accounts:
  acme: { baseUrl: 'http://127.0.0.1:9/wapi', tokens: [env:TOKEN] }
sources:
  leads: { type: csv, path: leads.csv }
mappings:
  leads: { defaultCountry: BR, contact: { number: Telefone, name: Nome } }
syncs:
  leads: { account: acme, source: leads, mapping: leads }
`;
const CSV = `Telefone;Nome;Nota
+55 11 98765-4321;Canaria;"two
lines"
none;"=HYPERLINK(""x"")";a
+55 11 98765-4323;Dora;b
;Eva;"c;d"
`;

const { db, operator, path } = operatorContext({
  yaml: YAML,
  files: { 'leads.csv': CSV },
  checks: true,
  stateHere: true,
});
let run: string;
beforeEach(async () => {
  ({ id: run } = await openRun(db, operator.config().spec('leads')));
  const makers = {
    openSource: (source: Parameters<typeof openSource>[0]) => openSource(source, { baseDir: path('') }),
    compileMapping,
  };
  await planPages({ db, memories: new Map(), ...makers }, run, { more: () => true });
});
const rejected = async (client = operator.client) =>
  await client.call('POST /syncs/{sync}/runs/{run}/rejected-rows', { sync: 'leads', run });
const send = async (text: string) => {
  const { upload } = await operator.client.call('POST /uploads', {
    name: 'fixed.csv',
    file: Buffer.from(text),
  });
  return await operator.client.call('POST /uploads/{upload}/corrections', { upload, sync: 'leads' });
};
const endRun = () =>
  db.query(`update runs set status = 'finished', finished_at = now() where id = $1`, [run]);

describe('rejected rows', () => {
  it('leave with the columns and the delimiter of the file, the line and the reason, safe in a spreadsheet', async () => {
    const { csv, rows, more } = await rejected(operator.as({ role: 'operator' }));
    expect([rows, more]).toEqual([2, false]);
    expect(parse(csv, { delimiter: ';' })).toEqual([
      ['Telefone', 'Nome', 'Nota', 'sluice_line', 'sluice_reason'],
      ['none', `'=HYPERLINK("x")`, 'a', '4', expect.stringContaining('Telefone: ')],
      ['', 'Eva', 'c;d', '6', expect.stringContaining('Telefone: ')],
    ]);
    const { lines } = await operator.client.call('GET /audit', { limit: 5 });
    expect(JSON.stringify(lines)).toContain('rejected-rows');
    expect(JSON.stringify(lines)).not.toMatch(/HYPERLINK|Eva/);
  });

  it('are for operators', async () => {
    await expect(rejected(operator.as({ role: 'editor' }))).rejects.toMatchObject({ kind: 'forbidden' });
  });

  it('of a file that changed since are refused', async () => {
    await appendFile(path('leads.csv'), '1;2;3\n');
    await expect(rejected()).rejects.toMatchObject({ code: 'SOURCE_CHANGED' });
  });

  it('of a run that did not record its file are refused', async () => {
    await db.query('update runs set source_file = null where id = $1', [run]);
    await expect(rejected()).rejects.toMatchObject({ kind: 'conflict', code: 'NO_SOURCE_FILE' });
  });
});

describe('corrected rows', () => {
  it('wait for the run that is open', async () => {
    await expect(send('Telefone,Nome\n1,x\n')).rejects.toMatchObject({ code: 'RUN_ACTIVE' });
  });

  it.each([
    ['without a column of the mapping', 'Telefone,Name\n1,x\n', 'COLUMNS_MISSING'],
    ['without a row', 'Telefone,Nome\n', 'EMPTY_FILE'],
    ['without a header', '+55 11 98765-4321,x@mail.example\n', 'SOURCE_NO_HEADER'],
    ['with a row that cannot be read', 'Telefone,Nome\n1,x,y\n', 'SOURCE_FORMAT'],
  ])('%s are refused, and nothing is kept', async (_, text, code) => {
    await endRun();
    const withClient = await withTemporal();
    const { upload } = await withClient.client.call('POST /uploads', {
      name: 'x.csv',
      file: Buffer.from(text),
    });
    await expect(
      withClient.client.call('POST /uploads/{upload}/corrections', { upload, sync: 'leads' }),
    ).rejects.toMatchObject({ code });
    expect(await readdir(path('data')).catch(() => [])).toEqual([]);
    await withClient.close();
  });

  it('are kept as they were before the spreadsheet, without the columns of Sluice, and run alone', async () => {
    const { csv } = await rejected();
    await endRun();
    const started: unknown[] = [];
    const withClient = await withTemporal(started);
    // As Excel saves it where `;` is the separator.
    const saved = parse(csv, { delimiter: ';' }).map((cells) =>
      cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(';'),
    );
    const text = `\ufeff${saved.join('\r\n')}`.replace('none', "'+55 11 98765-4329");
    const { upload } = await withClient.client.call('POST /uploads', {
      name: 'x.csv',
      file: Buffer.from(text),
    });
    const begun = await withClient.client.call('POST /uploads/{upload}/corrections', {
      upload,
      sync: 'leads',
    });
    expect(begun).toMatchObject({ execution: 'e1', rows: 2 });
    const [file = ''] = await readdir(path('data'));
    expect(started).toEqual([[{ account: 'acme', sync: 'leads', corrections: file }]]);
    expect(await readFile(join(path('data'), file), 'utf8')).toBe(
      '"Telefone","Nome","Nota"\n"+55 11 98765-4329","=HYPERLINK(""x"")","a"\n"","Eva","c;d"\n',
    );
    await withClient.close();
  });
});

/** An operator over a Temporal client that notes what is started. */
async function withTemporal(started: unknown[] = []): Promise<TestOperator> {
  const workflow = {
    start: async (_: string, { args }: { args: unknown[] }) => {
      started.push(args);
      return { firstExecutionRunId: 'e1' };
    },
  };
  const taskQueue = { describe: async () => ({ pollers: [] }) };
  return await openTestOperator({
    db,
    temporal: {
      workflow,
      taskQueue,
      workflowService: { describeTaskQueue: async () => ({ pollers: [] }) },
      options: { namespace: 'default' },
    } as never,
    config: operator.config(),
    stateDir: path(''),
  });
}

describe('the line of a rejected row', () => {
  const rows = async (lines: boolean) =>
    await operator.as({ role: 'viewer' }).call('GET /syncs/{sync}/rows', { sync: 'leads', run, lines });

  it('is that of a text editor, and the row of a spreadsheet', async () => {
    const { rows: found, linesProblem } = await rows(true);
    expect(found.map(({ row, place }) => [row, place])).toEqual([
      [2, { line: 4, sheetLine: 3 }],
      [4, { line: 6, sheetLine: 5 }],
    ]);
    expect(linesProblem).toBeNull();
  });

  it('is only looked up when it is asked for', async () => {
    expect((await rows(false)).rows.map(({ place }) => place)).toEqual([null, null]);
  });

  it('of a file that was replaced is not known, and the list says why', async () => {
    await appendFile(path('leads.csv'), '+55 11 98765-4329;Fay;e\n');
    const { rows: found, linesProblem } = await rows(true);
    expect(found.map(({ row, place }) => [row, place])).toEqual([
      [2, null],
      [4, null],
    ]);
    expect(linesProblem).toMatch(/leads\.csv/);
  });

  it('is kept, so the file is not read for each look', async () => {
    await rows(true);
    await appendFile(path('leads.csv'), '+55 11 98765-4329;Fay;e\n');
    const { rows: found, linesProblem } = await rows(true);
    expect(found.map(({ place }) => place?.line)).toEqual([4, 6]);
    expect(linesProblem).toBeNull();
  });
});
