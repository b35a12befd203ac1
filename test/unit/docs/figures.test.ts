// A fact that several documents state is the same in all of them, and the same as in the code or the benchmarks.
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AdminConfig } from '../../../src/config/schema/admin.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const read = (path: string) => readFile(join(ROOT, path), 'utf8');

const README = await read('README.md');
const BENCHMARKS = await read('docs/explanation/benchmarks.md');
const PACKAGE = JSON.parse(await read('package.json')) as { version: string; engines: { node: string } };

/** Pages for readers. Decisions keep the figures of their day. */
const folder = await readdir(join(ROOT, 'docs'), { recursive: true });
const pages = new Map<string, string>([['README.md', README]]);
for (const path of folder)
  if (/^(?:tutorials|how-to|explanation|reference)\/.*\.md$/.test(path))
    pages.set(`docs/${path}`, await read(`docs/${path}`));

/** All values that a pattern captures on the pages, with the pages that state them. */
function stated(pattern: RegExp): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [path, text] of pages)
    for (const match of text.replaceAll(/\s+/g, ' ').matchAll(pattern)) {
      const value = match.slice(1).find((part) => part !== undefined) ?? '';
      values.set(value, [...(values.get(value) ?? []), path]);
    }
  return values;
}

describe('a figure is the same wherever it stands', () => {
  it.each([
    [
      'calls of the first run of the example',
      /213 cards created, ([\d,]+) API calls|213 cards with ([\d,]+) calls/g,
    ],
    ['CPU of a call in ms', /(?:CPU per call: |a call costs )(1\.\d\d) ms/g],
    ['bytes of history per record', /(?:and a record |minute: [\d.]+ activities per call and )(\d+) bytes/g],
    ['slots until a lead starts, at p99', /first call starts within ([\d.]+) slots/g],
    ['use of a token that others share', /(0\.\d\d\d) (?:of the limit )?together/g],
  ])('%s', (_, pattern) => {
    const values = stated(pattern);
    expect(values.size, JSON.stringify([...values])).toBe(1);
  });

  it('of the example at the real limit is that of its first run', () => {
    const [, benchmark] = /at 120 calls a minute: ([\d,]+) calls in/.exec(BENCHMARKS) ?? [];
    expect(README).toContain(`213 cards created, ${benchmark} API calls made`);
    expect(README).toContain(`213 cards with ${benchmark} calls`);
  });

  it('of the picture of the example is that of README', async () => {
    const [, calls] = /213 cards created, ([\d,]+) API calls made/.exec(README) ?? [];
    expect(await read('docs/images/run.svg')).toContain(`${calls} API calls made`);
  });
});

describe('the comparison in README', () => {
  const rows = README.split('\n').filter((line) => /^\| .*\|.*\|.*\|.*\|.*\|$/.test(line));
  const measured = rows.flatMap((row) => {
    const cells = row.split('|').map((cell) => cell.trim());
    return [cells[2], cells[5]].flatMap(
      (cell = '') => cell.match(/\d[\d,.]*(?: to [\d.]+)? (?:calls|ms|s)\b/g) ?? [],
    );
  });

  it('has figures', () => {
    expect(measured).toEqual(expect.arrayContaining(['20,000 calls', '101 calls', '6.1 s', '1.17 ms']));
  });

  it.each(measured)('takes %s from the benchmarks', (figure) => {
    expect(BENCHMARKS.replaceAll(/\s+/g, ' ')).toContain(figure);
  });
});

describe('a list is the same wherever it stands', () => {
  it('presets are those of examples/', async () => {
    const entries = await readdir(join(ROOT, 'examples'), { recursive: true });
    const folders = entries
      .filter((path) => path.endsWith('/mapping.yaml'))
      .map((path) => path.split('/')[0]);
    const names = ['Google Contacts', 'HubSpot', 'Kommo', 'Pipedrive', 'RD Station', 'Salesforce'];
    expect(names).toHaveLength(folders.length);
    expect([...stated(/[Pp]resets?\]?(?:\([^)]*\))? (?:exist )?for (\w+) programs/g).keys()]).toEqual([
      'six',
    ]);
    for (const path of [
      'README.md',
      'docs/reference/mapping.md',
      'docs/how-to/crm-export.md',
      'docs/README.md',
    ]) {
      const text = (await read(path)).replaceAll(/\s+/g, ' ');
      for (const name of names) expect(text, path).toContain(name);
    }
    for (const path of folders) expect(pages.get('docs/how-to/crm-export.md')).toContain(`\`${path}\``);
  });

  it('versions of PostgreSQL are those that are tested', async () => {
    const majors = [...(await read('scripts/postgres-majors.mjs')).matchAll(/^ {2}(\d\d): '/gm)].map(
      ([, n]) => n,
    );
    const tested = `${majors.at(0)} to ${majors.at(-1)}`;
    expect([...stated(/(?:PostgreSQL(?: \|)?|runs? on versions) (\d\d to \d\d)\b/g).keys()]).toEqual([
      tested,
    ]);
    const [, image] = /image: postgres:(\d\d)\./.exec(await read('docker-compose.yml')) ?? [];
    expect(majors).toContain(image);
    expect(pages.get('docs/reference/supported-versions.md')).toMatch(
      new RegExp(`uses\\s+version ${image}\\.`),
    );
  });

  it('versions of Node, Sluice and Temporal are those of the program', async () => {
    const text = pages.get('docs/reference/supported-versions.md') ?? '';
    const [, low, high] = /\^([\d.]+)\.0 \|\| >=(\d+)/.exec(PACKAGE.engines.node) ?? [];
    expect(text).toContain(`${high}; ${low} or later works`);
    expect(text).toContain(PACKAGE.version);
    const [, temporal] = /version: '([\d.]+)'/.exec(await read('src/temporal/temporal-binary.ts')) ?? [];
    expect(text).toContain(`Temporal CLI ${temporal} `);
  });

  it('the port of metrics is the default of the configuration', () => {
    const { port } = AdminConfig.parse({});
    for (const [value, paths] of stated(/127\.0\.0\.1:(9\d\d\d)\/metrics/g))
      expect(value, paths.join()).toBe(String(port));
  });
});
