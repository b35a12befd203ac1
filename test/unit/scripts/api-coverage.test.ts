// The page of API coverage is not older than the rules and the tests. Cheap: titles are read from the sources, where a
// table's title is still a template; `npm run coverage:api` asks for the real names.
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gapsOf, readRules, renderCoverage, resolveRules, wildcard } from '../../../scripts/api-rules.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const rules = await readRules(join(ROOT, 'docs/api-rules'));
const page = await readFile(join(ROOT, 'docs/reference/api-coverage.md'), 'utf8');

/** Texts in a source that may be titles or rows of a table, as patterns; one that is all template says nothing. */
function titlesIn(source: string): RegExp[] {
  const found = source.matchAll(/(?<=[([,]\s*)(['"`])((?:\\.|(?!\1)[\s\S])*)\1(?=\s*[,\]])/g);
  return [...found]
    .map(([, , text = '']) => text.replace(/\\(.)/g, '$1').replace(/%[sdifjoc#]|\$\{[^}]*\}|\$[\w.]+/g, '*'))
    .filter((text) => /[^*\s]/.test(text))
    .map(wildcard);
}

const escaped = (text: string) => text.replace(/[\\|<*_`[\]]/g, '\\$&');

describe('the rules of the API', () => {
  it('each stand on the page, with their words and tests', () => {
    const ids = [...page.matchAll(/^\| `([\w.]+)` \|/gm)].map(([, id]) => id);
    expect(ids).toEqual(rules.map(({ id }) => id));
    const rows = new Map([...page.matchAll(/^\| `([\w.]+)` \|.*$/gm)].map(([row, id]) => [id, row]));
    for (const { id, text, matchers } of rules) {
      expect(rows.get(id)).toContain(`| \`${id}\` | ${escaped(text)} | `);
      for (const { file, title } of matchers) {
        expect(rows.get(id)).toContain(`(../../${file}): ${title.includes('*') ? '' : escaped(title)}`);
      }
    }
  });

  it('each name tests whose parts stand in the sources', async () => {
    const sources = new Map<string, RegExp[]>();
    for (const { file } of rules.flatMap(({ matchers }) => matchers)) {
      if (!sources.has(file)) sources.set(file, titlesIn(await readFile(join(ROOT, file), 'utf8')));
    }
    const gone = rules.flatMap(({ id, matchers }) =>
      matchers
        // A part with a wildcard may stand for one with a template: only the full list decides.
        .filter(({ file, title }) =>
          title
            .split(' > ')
            .some((part) => !part.includes('*') && !sources.get(file)?.some((known) => known.test(part))),
        )
        .map(({ file, title }) => `${id}: ${title} in ${file}`),
    );
    expect(gone).toEqual([]);
  });

  it('leave out no code of the catalogue', async () => {
    const { KNOWN_ERROR_CODES } = await import('../../../src/service/api-client/error-codes.ts');
    const words = rules
      .flatMap(({ text, matchers }) => [text, ...matchers.map(({ title }) => title)])
      .join('\n');
    expect(KNOWN_ERROR_CODES.filter((code) => !words.includes(code))).toEqual([]);
  });

  it('are files of data that stay small enough to be read', async () => {
    for (const file of await readdir(join(ROOT, 'docs/api-rules'))) {
      const text = await readFile(join(ROOT, 'docs/api-rules', file), 'utf8');
      expect(text.split('\n').length, file).toBeLessThan(400);
    }
  });
});

describe('a rule', () => {
  const rule = (title: string) => ({
    id: 'a.1',
    section: 'A',
    text: 'holds',
    matchers: [{ file: 'test/a.test.ts', title }],
  });
  const tests = [
    { file: 'test/a.test.ts', name: 'a > one (1)' },
    { file: 'test/a.test.ts', name: 'a > two' },
    { file: 'test/b.test.ts', name: 'a > three' },
  ];

  it.each([
    ['a > one (1)', 1],
    ['a > *', 2],
    ['a > one (*)', 1],
    ['a > On*', 0],
    ['> two', 0],
    ['a > three', 0],
    ['a > .*', 0],
  ])('with %j finds %i tests', (title, count) => {
    const owner = resolveRules([rule(title)], tests);
    expect(owner[0]?.found[0]?.names).toHaveLength(count);
    expect(gapsOf(owner)).toHaveLength(count === 0 ? 1 : 0);
  });

  it('whose test has gone is named with what was sought', () => {
    expect(gapsOf(resolveRules([rule('a > gone')], tests))).toEqual([
      'a.1: no test "a > gone" in test/a.test.ts',
    ]);
  });

  it('is a row that breaks no table', () => {
    const row = renderCoverage(resolveRules([{ ...rule('a > one (1)'), text: 'a | b\n<c>' }], tests));
    expect(row).toContain('| `a.1` | a \\| b \\<c> | [a](../../test/a.test.ts): a > one (1) |');
  });
});
