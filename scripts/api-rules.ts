// The rules of the API text as data (docs/api-rules/*.yaml), the tests that check each, and the page that shows both.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

const RuleFile = z.array(
  z.strictObject({
    /** Where in the API text. */
    section: z.string().min(1),
    /** First part of the ids of these rules. */
    id: z.string().regex(/^[a-z]+(\.[a-z]+)*$/, 'write lower-case words with dots between'),
    rules: z.record(
      z.string().regex(/^[1-9]\d*$/, 'number the rules'),
      z.strictObject({
        rule: z.string().min(1),
        /** `folder/file > title of the test`; a `*` in the title stands for anything. */
        tests: z.array(z.string().regex(/^(sandbox|client|unit)\/[\w/-]+ > ./)).min(1),
      }),
    ),
  }),
);

export interface Rule {
  readonly id: string;
  readonly section: string;
  /** In our own words. */
  readonly text: string;
  readonly matchers: readonly Matcher[];
}

export interface Matcher {
  /** Relative to the project. */
  readonly file: string;
  /** Full title, its parts joined by ` > `; `*` stands for anything. */
  readonly title: string;
}

/** A test as `vitest list --json` names it, its file relative to the project. */
export interface NamedTest {
  readonly file: string;
  readonly name: string;
}

export interface ResolvedRule {
  readonly rule: Rule;
  /** What each matcher found. */
  readonly found: readonly { readonly matcher: Matcher; readonly names: readonly string[] }[];
}

const FOLDERS: Readonly<Record<string, string>> = {
  sandbox: 'test/contract/sandbox',
  client: 'test/contract/client',
  unit: 'test/unit',
};

/** @throws Error naming the file and place that is not in form, or a repeated id */
export async function readRules(folder: string): Promise<Rule[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).toSorted();
  const rules: Rule[] = [];
  for (const file of files) {
    const parsed = RuleFile.safeParse(parse(await readFile(join(folder, file), 'utf8')));
    if (!parsed.success) throw new Error(`${file}: ${z.prettifyError(parsed.error)}`);
    for (const { section, id, rules: numbered } of parsed.data) {
      for (const [number, { rule, tests }] of Object.entries(numbered)) {
        rules.push({ id: `${id}.${number}`, section, text: rule, matchers: tests.map(toMatcher) });
      }
    }
  }
  const twice = rules.find(({ id }, index) => rules.findIndex((rule) => rule.id === id) !== index);
  if (twice !== undefined) throw new Error(`the rule ${twice.id} is repeated in ${folder}`);
  return rules;
}

function toMatcher(text: string): Matcher {
  const at = text.indexOf(' > ');
  const [folder = '', ...rest] = text.slice(0, at).split('/');
  return { file: `${FOLDERS[folder]}/${rest.join('/')}.test.ts`, title: text.slice(at + 3) };
}

/** Finds the tests of each rule among those that there are. */
export function resolveRules(rules: readonly Rule[], tests: readonly NamedTest[]): ResolvedRule[] {
  const byFile = groupBy(tests, ({ file }) => file);
  return rules.map((rule) => ({
    rule,
    found: rule.matchers.map((matcher) => {
      const pattern = wildcard(matcher.title);
      const names = (byFile.get(matcher.file) ?? [])
        .map(({ name }) => name)
        .filter((name) => pattern.test(name));
      return { matcher, names: [...new Set(names)] };
    }),
  }));
}

/** One line for each matcher that finds no test: the rule has no test, or its test was removed or renamed. */
export function gapsOf(resolved: readonly ResolvedRule[]): string[] {
  return resolved.flatMap(({ rule, found }) =>
    found
      .filter(({ names }) => names.length === 0)
      .map(({ matcher }) => `${rule.id}: no test "${matcher.title}" in ${matcher.file}`),
  );
}

/** A title with `*` in it as a pattern for whole titles. */
export function wildcard(title: string): RegExp {
  const parts = title.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's');
}

/** The page docs/reference/api-coverage.md. */
export function renderCoverage(resolved: readonly ResolvedRule[]): string {
  const tests = new Set(
    resolved.flatMap(({ found }) =>
      found.flatMap(({ matcher, names }) => names.map((name) => `${matcher.file} ${name}`)),
    ),
  );
  const lines = [
    '# API coverage',
    '',
    'Every rule of the API description, and the tests that check it. `npm run coverage:api` writes this page from',
    '`docs/api-rules/`. It fails if a rule has no test, or if a test no longer exists.',
    '',
    `${resolved.length} rules, checked by ${tests.size} tests.`,
  ];
  for (const [section, rules] of groupBy(resolved, ({ rule }) => rule.section)) {
    lines.push('', `## ${section}`, '', '| id | rule | tests |', '| --- | --- | --- |');
    for (const { rule, found } of rules) {
      lines.push(`| \`${rule.id}\` | ${cell(rule.text)} | ${found.map(describeFound).join('<br>')} |`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function describeFound({ matcher, names }: ResolvedRule['found'][number]): string {
  const link = `[${matcher.file.replace(/^test\/(contract\/)?|\.test\.ts$/g, '')}](../../${matcher.file})`;
  const count = names.length === 1 ? '' : ` (${names.length} tests)`;
  return `${link}: ${cell(matcher.title.includes('*') && names.length === 1 ? (names[0] ?? '') : matcher.title)}${count}`;
}

/** Text as a cell of a table shows it. */
function cell(text: string): string {
  return text.replace(/[\\|<*_`[\]]/g, '\\$&').replace(/\s+/g, ' ');
}

/** Groups in the order in which their first item came. */
function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
