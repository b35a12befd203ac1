// Patterns that a user wrote: they mean what they mean in JavaScript, and none stops the process.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileMapping, MappingConfigError } from '../../../src/mapping/index.ts';
import {
  LinearRegExp,
  PatternError,
  PatternLimitError,
  PatternTime,
  TestPattern,
} from '../../../src/mapping/pattern/pattern.ts';
import { cpuMs } from '../../support/cpu-time.ts';

const pattern = (source: string) => new TestPattern(source, new PatternTime(500));
const TEXTS = [
  '',
  'a',
  'b',
  'ab',
  'aab',
  'A',
  'É',
  'é',
  '1',
  '-',
  '_',
  ' ',
  '\n',
  '\r',
  '	',
  '\v',
  '\f',
  '\b',
  '\0',
  '\xA0',
  ' ',
  ' ',
  '\u2028',
  '\u2029',
  ' ',
  '　',
  '﻿',
  '᠎',
  '​',
  '',
  'a\n',
  '\na',
  'a\r\n',
  'a b',
  'a-b',
  '2026-11-26',
  '+55 11 98765-4321',
  'a{',
  'a{,5}',
  '{}',
  ']',
  '}',
  '\\',
  'ſ',
  'K',
  'ß',
  'ẞ',
  'İ',
  'ı',
  'Ω',
  'ω',
  'Ω',
  '٣',
  '[:alpha:]',
  'Qa',
  'z',
  'x',
  'u0041',
  '@',
  '/',
  '',
  'cA',
  'aaaa',
  'abab',
  'a.b',
  'aXb',
  'k',
  'K',
  'S',
  's',
  '_a',
  'é b',
  'bé',
  'p',
  'pL',
  '&',
  'a&&b',
  '^',
  '$',
  '.',
];

describe('a pattern matches what it matches in JavaScript', () => {
  it.each([
    '^\\s$',
    '^\\S$',
    '^[\\s]$',
    '^[^\\s]$',
    '^[^\\S]$',
    '^\\d$',
    '^\\D$',
    '^\\w$',
    '^\\W$',
    '^[^\\W_]$',
    '^.$',
    'a.b',
    '^a$',
    'a$',
    '^a',
    '\\ba',
    'a\\b',
    '\\Bb',
    '^[^]$',
    '[]',
    '^[\\d-x]$',
    '^[x-\\d]$',
    '^[a-]$',
    '^[-a]$',
    '^[]a]$',
    'a{',
    'a{,5}',
    '{}',
    ']',
    '}',
    '^a{2}b',
    '^a{0,1}b',
    '^a{2,}$',
    '^(ab)+$',
    '^(?:a|ab)$',
    '^(?<n>a)b$',
    '^a+?$',
    '\\v',
    '^[\\b]$',
    '\\0',
    '\\x41',
    '\\u0041',
    '^\\cA$',
    '\\@',
    '\\/',
    '\\-',
    '^[[:alpha:]]',
    '\\Qa',
    '\\z',
    '\\A',
    '\\a',
    '^\\p{L}+$',
    '^\\P{L}$',
    '^[\\p{Lu}\\d]$',
    '^\\p{Script=Greek}$',
    '^\\u{61}$',
    'a&&b',
    '^\\pL$',
    '\\^\\$\\.',
    '(?:)',
  ])('%s', (source) => {
    const isUnicode = /\\[pPu]\{/.test(source);
    const own = new RegExp(source, isUnicode ? 'u' : '');
    const mine = pattern(source);
    expect(TEXTS.filter((text) => mine.test(text))).toEqual(TEXTS.filter((text) => own.test(text)));
  });

  it('takes a character beyond U+FFFF as one, as JSON Schema recommends', () => {
    expect([
      pattern('^.$').test('😀'),
      pattern('^[😀]$').test('😀'),
      pattern('\\ud83d\\ude00').test('😀'),
    ]).toEqual([true, true, true]);
  });

  const atom = fc.constantFrom('a', 'b', '.', '\\s', '\\w', '[ab]', '[^a]', '\\d', '\\b', '^', '$', '1');
  const { tree } = fc.letrec<{ tree: string }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      atom,
      fc.tuple(tie('tree'), tie('tree')).map(([a, b]) => `${a}${b}`),
      fc.tuple(tie('tree'), tie('tree')).map(([a, b]) => `(?:${a}|${b})`),
      fc
        .tuple(tie('tree'), fc.constantFrom('*', '+', '?', '{2}', '{0,2}', '*?'))
        .map(([a, q]) => `(${a})${q}`),
    ),
  }));
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', ' ', '\n', '\u2028', '_'), maxLength: 8 });

  it('whatever the pattern and the text are', () => {
    fc.assert(
      fc.property(
        tree,
        text,
        (source, value) => pattern(source).test(value) === new RegExp(source).test(value),
      ),
      { numRuns: 2000 },
    );
  });

  it('and finds the same parts in JSONata, or refuses the pattern', () => {
    fc.assert(
      fc.property(tree, text, fc.constantFrom('g', 'gi'), (source, value, flags) => {
        const own = new RegExp(source, flags);
        let mine: LinearRegExp;
        try {
          mine = new LinearRegExp(own);
        } catch (error) {
          expect(error).toBeInstanceOf(PatternError);
          return;
        }
        const found = own.exec(value);
        const match = mine.exec(value);
        expect(match === null ? null : [...match, match.index]).toEqual(
          found === null ? null : [...found, found.index],
        );
        if (found !== null) expect(mine.lastIndex).toBe(own.lastIndex);
      }),
      { numRuns: 2000 },
    );
  });
});

it.each(['[a-z]', 'ſ', 'k', 'É', '\\w', '\\W', '[^k]', 'ß', 'Ω', 'ı', '[^\\W]', '\\s'])(
  'without case, %s matches what it matches in JavaScript',
  (source) => {
    const own = new RegExp(`^${source}$`, 'i');
    const mine = new LinearRegExp(own);
    const fits = (text: string) => {
      mine.lastIndex = 0;
      return mine.exec(text) !== null;
    };
    expect(TEXTS.filter(fits)).toEqual(TEXTS.filter((text) => own.test(text)));
  },
);

describe('a pattern that RE2 cannot express is refused with a way out', () => {
  it.each([
    ['(?=a)', 'allOf'],
    ['(?!a)', 'allOf'],
    ['(?<=a)b', 'allOf'],
    ['(?<!a)b', 'allOf'],
    ['(a)\\1', 'write the part again'],
    ['(?<n>a)\\k<n>', 'write the part again'],
    ['a{1001}', 'maxLength'],
    ['a{0,2000}', 'maxLength'],
    ['(?:a{0,90}){0,90}', 'make it simpler'],
    ['((a{1,10}){1,10}b{1,1000}){1,1}c{1,1000}d{1,1000}e{1,1000}f{1,1000}', 'make it simpler'],
    [`${'('.repeat(300)}a${')'.repeat(300)}`, 'flatter'],
  ])('%s', (source, wayOut) => {
    expect(() => pattern(source)).toThrow(PatternError);
    expect(() => pattern(source)).toThrow(wayOut);
  });

  it.each([
    [/(a*)*/, 'at least one character'],
    [/(?:(a)|b)*/, '(?:…)'],
    [/^a$/m, 'flag m'],
  ])('%s in an expression', (literal, wayOut) => {
    const build = () =>
      compileMapping({
        contact: { number: 'phone', name: `=$match(n, ${literal})` },
        tags: [],
        extraInfo: {},
      });
    expect(build).toThrow(MappingConfigError);
    expect(build).toThrow(wayOut);
  });
});

describe('no pattern stops the process', () => {
  it.each([
    ['^(a+)+$', `${'a'.repeat(1_000_000)}!`],
    ['(x+x+)+y', 'x'.repeat(1_000_000)],
    ['^(a|aa)+$', `${'a'.repeat(1_000_000)}!`],
    ['(.*a){1,20}b', 'a'.repeat(250_000)],
    ['^([a-z]+\\.?)*@', 'a'.repeat(1_000_000)],
  ])('%s', (source, text) => {
    expect(cpuMs(() => expect(pattern(source).test(text)).toBe(false))).toBeLessThan(1000);
  });

  it('a long text and a large pattern together are refused before the match', () => {
    expect(() => pattern('a[ab]{900}[cd]$').test('ab'.repeat(500_000))).toThrow(PatternLimitError);
  });

  it('many texts of one event share one limit', () => {
    const time = new PatternTime(0);
    const slow = new TestPattern('a[ab]{500}c', time);
    slow.test('ab'.repeat(5000));
    expect(() => slow.test('a')).toThrow(PatternLimitError);
    time.restart();
    expect(slow.test('a')).toBe(false);
  });

  it('an expression over a hostile text ends at once', async () => {
    const mapping = compileMapping({
      contact: { number: 'phone', name: '=$contains(name, /^(a+)+$/) ? "yes" : "no"' },
      tags: [],
      extraInfo: {},
    });
    const row = await mapping.apply({ phone: '+5511987654321', name: `${'a'.repeat(60_000)}!` });
    expect(row).toMatchObject({ ok: true, record: { contact: { name: 'no' } } });
  });

  it.each<[string, string, string]>([
    ['$replace(name, /(\\w+) (\\w+)/, "$2 $1")', 'Ana Silva', 'Silva Ana'],
    ['$join($split(name, /\\s*,\\s*/), "|")', 'a , b,c', 'a|b|c'],
    ['$match(name, /(?<y>\\d{4})-(\\d\\d)/).groups[1]', 'on 2026-11-26', '11'],
    ['$replace(name, /É/i, "e")', 'éÉ', 'ee'],
    ['$join($match(name, /./).match, "|")', 'a😀b', 'a|😀|b'],
  ])('%s gives what it gave', async (expression, name, result) => {
    const mapping = compileMapping({
      contact: { number: 'phone', name: `=${expression}` },
      tags: [],
      extraInfo: {},
    });
    expect(await mapping.apply({ phone: '+5511987654321', name })).toMatchObject({
      ok: true,
      record: { contact: { name: result } },
    });
  });
});
