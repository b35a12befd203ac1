// `sluice init --csv`: what it writes loads, and maps the rows that it was made from.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { registerInit } from '../../../src/cli/config/init.ts';
import { describeError } from '../../../src/cli/lib/describe-error.ts';
import { EXIT } from '../../../src/cli/lib/exit.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { previewMapping } from '../../../src/recognize/index.ts';
import { parseFixture } from '../../../src/sandbox/fixture/fixture-merge.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice-csv-'));
});
afterEach(() => rm(dir, { recursive: true }));

async function init(content: string | Buffer, ...more: readonly string[]) {
  const csv = join(dir, 'export.csv');
  await writeFile(csv, content);
  return await run('--csv', csv, ...more);
}

async function run(...words: readonly string[]) {
  let [stdout, stderr] = ['', ''];
  const program = new Command('sluice').exitOverride().configureOutput({
    writeOut: (text) => (stdout += text),
    writeErr: (text) => (stderr += text),
  });
  registerInit(program);
  const exitCode = await program.parseAsync(['init', '--dir', dir, ...words], { from: 'user' }).then(
    () => EXIT.ok as number,
    (error: unknown) => {
      const described = describeError(error);
      stderr += described.message ?? '';
      return described.exitCode;
    },
  );
  return { stdout, stderr, exitCode };
}

const load = () => loadConfig(join(dir, 'sluice.yaml'), { env: { ACME_TOKEN: 'svc_test_local' } });
const TABLE = 'Nome;Telefone;Tags\nAna Reis;(11) 91234-5601;vip,novo\nBia Luz;não tem;vip\n';

describe('init --csv', () => {
  it('writes a configuration that maps the export', async () => {
    const { exitCode, stdout } = await init(TABLE);
    expect(exitCode).toBe(EXIT.ok);
    expect((await readdir(dir)).sort()).toEqual([
      '.dockerignore',
      '.env.example',
      '.github',
      '.gitignore',
      'Dockerfile',
      'export.csv',
      'package.json',
      'sandbox.yaml',
      'sluice.schema.json',
      'sluice.yaml',
    ]);
    const { config } = await load();
    expect(config.sources.export).toMatchObject({ type: 'csv', path: join(dir, 'export.csv') });
    const preview = await previewMapping(Buffer.from(TABLE), config.mappings.leads!, { rows: 9, records: 9 });
    expect(preview).toMatchObject({ mapped: 1, rejected: 1 });
    expect(preview.records[0]?.record).toMatchObject({ key: '5511912345601', tags: ['novo', 'vip'] });
    expect(stdout).toContain('of 2 rows, 1 row would be synced and 1 rejected');
  });

  it('shows no personal data in clear, neither in text nor as JSON nor in what it writes', async () => {
    const text = await init(TABLE);
    const json = await init(TABLE, '--json', '--force');
    const yaml = await readFile(join(dir, 'sluice.yaml'), 'utf8');
    for (const shown of [text.stdout, json.stdout, yaml]) expect(shown).not.toMatch(/Reis|91234-?5601|Bia/);
    expect(JSON.parse(json.stdout)).toMatchObject({
      recognized: { delimiter: ';', header: true, country: { country: 'BR' } },
      preview: { mapped: 1, rejected: 1 },
    });
  });

  it('writes a sandbox with the tags of the export', async () => {
    await init(TABLE);
    const fixture = parseFixture(parse(await readFile(join(dir, 'sandbox.yaml'), 'utf8')));
    expect(fixture.accounts?.[0]?.tags?.map(({ name }) => name)).toEqual(['novo', 'vip']);
  });

  it('marks each guess, and asks to check the doubtful ones', async () => {
    await init('Nome;Telefone\nAna;11912345601\nBia;y\nCaio;z\n');
    const yaml = await readFile(join(dir, 'sluice.yaml'), 'utf8');
    expect(yaml).toMatch(/# Guess, \d+ % sure, CHECK: "Telefone" has 3 values\n {6}number: Telefone/);
    expect(yaml).toMatch(/# Guess, 100 % sure: "Nome" has 3 values\n {6}name: Nome/);
  });

  it('takes the mapping of a CRM, with the country of the numbers in the file', async () => {
    const bytes = await readFile(
      resolve(import.meta.dirname, '../../../examples/hubspot/contacts.csv'),
      'utf8',
    );
    const [header = '', ...rows] = bytes.split('\n').slice(0, 20);
    const brazilian = rows.map((row) => row.replaceAll(/"\+?1\d{10}"/g, '"11912345601"'));
    expect((await init([header, ...brazilian].join('\n'))).exitCode).toBe(EXIT.ok);
    const { config } = await load();
    expect(config.mappings.leads).toMatchObject({ defaultCountry: 'BR', card: { pipeline: 'Sales' } });
    expect((await init([header, ...brazilian].join('\n'), '--preset', 'none', '--force')).exitCode).toBe(
      EXIT.ok,
    );
    expect((await load()).config.mappings.leads).not.toHaveProperty('card');
  });

  it('writes columns whose names look like YAML, templates or several lines as they are', async () => {
    const name = 'Phone\nversion: 2 #"';
    const quoted = `"${name.replaceAll('"', '""')}"`;
    expect((await init(`${quoted},=Name,{{Email}}\n+5511912345601,Ana,ana@example.com\n`)).exitCode).toBe(
      EXIT.ok,
    );
    const { config } = await load();
    expect(config.mappings.leads?.contact).toEqual({
      number: name,
      email: { path: '{{Email}}' },
      name: { path: '=Name' },
    });
  });

  it.each([
    [
      'no header',
      'Ana;11912345601\nBia;11912345602\n',
      EXIT.usage,
      /no line with column names.*\ncolumn 1;number$/,
    ],
    ['no numbers', 'Name;City\nAna;Recife\n', EXIT.usage, /no column of .* has phone numbers.*Name, City/],
    ['nothing', '', EXIT.usage, /empty/],
  ])('refuses a file with %s, and writes nothing', async (_, content, code, message) => {
    const { exitCode, stderr } = await init(content);
    expect(stderr).toMatch(message);
    expect([exitCode, await readdir(dir)]).toEqual([code, ['export.csv']]);
  });

  it.each([
    ['a missing file', ['--csv', '/nowhere/x.csv'], EXIT.notFound],
    ['a preset without a file', ['--preset', 'kommo'], EXIT.usage],
    ['an unknown preset', ['--csv', 'x.csv', '--preset', 'excel'], EXIT.usage],
  ])('refuses %s', async (_, words, code) => {
    expect((await run(...words)).exitCode).toBe(code);
    expect(await readdir(dir)).toEqual([]);
  });

  it('overwrites nothing without --force', async () => {
    await writeFile(join(dir, 'sluice.yaml'), 'mine');
    expect((await init(TABLE)).exitCode).toBe(EXIT.conflict);
    expect(await readFile(join(dir, 'sluice.yaml'), 'utf8')).toBe('mine');
  });
});
