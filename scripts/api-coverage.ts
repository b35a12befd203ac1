// `npm run coverage:api`: asks vitest for the real names of the tests, tables included, and writes docs/reference/api-coverage.md.
// With --check it writes nothing and fails when the page is not the one that would be written.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gapsOf, type NamedTest, readRules, renderCoverage, resolveRules } from './api-rules.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGE = join(ROOT, 'docs/reference/api-coverage.md');

async function listTests(files: readonly string[]): Promise<NamedTest[]> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-coverage-'));
  try {
    const out = join(folder, 'tests.json');
    const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
    const projects = ['--project', 'unit', '--project', 'contract'];
    await promisify(execFile)(process.execPath, [vitest, 'list', `--json=${out}`, ...projects, ...files], {
      cwd: ROOT,
    });
    const listed = JSON.parse(await readFile(out, 'utf8')) as NamedTest[];
    return listed.map(({ file, name }) => ({ file: relative(ROOT, file), name }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const rules = await readRules(join(ROOT, 'docs/api-rules'));
const files = [...new Set(rules.flatMap(({ matchers }) => matchers.map(({ file }) => file)))];
const resolved = resolveRules(rules, await listTests(files));
const gaps = gapsOf(resolved);
const page = renderCoverage(resolved);
if (gaps.length > 0) {
  process.stderr.write(
    `${gaps.join('\n')}\n${gaps.length} gaps; docs/reference/api-coverage.md is left as it was\n`,
  );
  process.exitCode = 1;
} else if (!process.argv.includes('--check')) {
  await writeFile(PAGE, page);
  process.stdout.write(`docs/reference/api-coverage.md: ${rules.length} rules, each with a test\n`);
} else if ((await readFile(PAGE, 'utf8')) !== page) {
  process.stderr.write('docs/reference/api-coverage.md is stale: run npm run coverage:api\n');
  process.exitCode = 1;
} else process.stdout.write(`${rules.length} rules, each with a test, and the page is up to date\n`);
