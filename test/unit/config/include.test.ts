// One file for each account: `include` adds entries to sluice.yaml, and problems point into the right file.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { configContext, GOOD } from './context.ts';

const context = configContext();
const MAIN = `${GOOD}include: [accounts/*.yaml]\n`;
const OTHER = `accounts:
  zeta:
    baseUrl: http://127.0.0.1:4010/wapi
    tokens: [file:zeta-token]
`;

async function put(name: string, text: string) {
  await mkdir(join(context.dir, 'accounts'), { recursive: true });
  await writeFile(join(context.dir, 'accounts', name), text);
}

it('adds the entries of every file that matches, with paths from the folder of the main file', async () => {
  await writeFile(join(context.dir, 'zeta-token'), 'svc_test_zeta', { mode: 0o600 });
  await put('zeta.yaml', OTHER);
  await put('more.yaml', 'syncs:\n  more: { account: zeta, source: crm, mapping: people }\n');
  await put('.hidden.yaml', 'nonsense: [');
  await put('notes.txt', 'nonsense: [');
  await put('empty.yaml', '# nothing yet\n');
  const loaded = await context.load(MAIN);
  expect(Object.keys(loaded.config.accounts)).toEqual(['acme', 'zeta']);
  expect(loaded.spec('more').account).toBe('zeta');
  expect((await loaded.secret('file:zeta-token')).value).toBe('svc_test_zeta');
});

it.each([
  [
    'an unknown account',
    'syncs:\n  a: { account: zoe, source: crm, mapping: people }\n',
    'accounts/zeta.yaml:2:8  syncs.a.account: there is no account "zoe"',
  ],
  [
    'a name of the main file',
    OTHER.replace('zeta:', 'acme:'),
    'accounts/zeta.yaml:2:3  accounts.acme: is in sluice.yaml:3 already; keep one of them, or rename one',
  ],
  [
    'a key of the main file only',
    'admin: { port: 1 }\n',
    'accounts/zeta.yaml:1:1  admin: an included file cannot have this key',
  ],
  ['a list', '- 1\n', 'accounts/zeta.yaml:1:1  expected keys with values'],
  ['broken YAML', 'accounts: [\n', 'accounts/zeta.yaml:'],
  [
    'an unknown key',
    OTHER.replace('tokens', 'token'),
    'accounts/zeta.yaml:4:5  accounts.zeta.token: unknown key',
  ],
])('%s is reported with file and line', async (_name, text, problem) => {
  await put('zeta.yaml', text);
  const problems = await context.problemsOf(MAIN);
  expect(problems.join('\n')).toContain(problem);
});

it('a name in two included files is reported with both places', async () => {
  await put('a.yaml', OTHER);
  await put('b.yaml', `# a copy\n${OTHER}`);
  expect(await context.problemsOf(MAIN)).toEqual([
    'accounts/b.yaml:3:3  accounts.zeta: is in accounts/a.yaml:2 already; keep one of them, or rename one',
  ]);
});

it.each([
  ['[none/*.yaml]', 'include[0]: there is no folder none'],
  ['[none.yaml]', 'include: there is no file'],
  ['["*/a.yaml"]', 'include[0]: has a * in the name of a folder'],
  ['accounts', 'include: expected a list, found text'],
])('include: %s is refused', async (include, problem) => {
  const problems = await context.problemsOf(`${GOOD}include: ${include}\n`);
  expect(problems.join('\n')).toContain(problem);
});

it('reports every file that it reads, also of a broken configuration', async () => {
  await put('zeta.yaml', 'accounts: [\n');
  const read: string[] = [];
  await context.problemsOf(
    MAIN.replace('people:\n    contact', 'other: { preset: p.yaml }\n  people:\n    contact'),
    {
      read: (path) => read.push(path),
    },
  );
  expect(read.map((path) => path.slice(context.dir.length + 1)).sort()).toEqual([
    'accounts',
    'accounts/zeta.yaml',
    'p.yaml',
    'sluice.yaml',
  ]);
});
