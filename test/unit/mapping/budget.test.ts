// Mappings that are small to send and long to compile. All of it happens in the thread of the server.
import { expect, it } from 'vitest';
import type { Expression } from '../../../src/mapping/config.ts';
import { openConfined } from '../../../src/mapping/expression/confined.ts';
import { compileMapping, sharedJsonata } from '../../../src/mapping/index.ts';
import { translatePattern } from '../../../src/mapping/pattern/translate.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const large = (index: number) => `$match(name, /\\p{L}{1,${900 - (index % 900)}}x${index}/)`;

const compile = (name: Expression, extraInfo: Record<string, Expression> = {}) => {
  const confined = openConfined({ totalMs: 1000, memoryMb: 64 });
  return compileMapping({ contact: { number: 'phone', name }, tags: [], extraInfo }, confined.compile);
};

it.each<[string, Expression, Record<string, Expression>?]>([
  ['many large patterns in one expression', `=[${numbers(600).map(large).join(',')}]`],
  [
    'a large pattern in each of many fields',
    'name',
    Object.fromEntries(numbers(600).map((index) => [`f${index}`, `=${large(index)}`])),
  ],
  ['repetitions written out', `=$match(name, /${'(?:[a-z]{30}){30}'.repeat(900)}/)`],
  ['a long expression', `=[${numbers(20_000).join(',')}]`],
  ['many blocks', `=(${'$a:=1;'.repeat(10_000)} 1)`],
  ['a template with many placeholders', '{{name}}'.repeat(3000)],
  ['a template that opens placeholders only', '{{'.repeat(400_000)],
  ['a long path', 'a.'.repeat(400_000)],
  ['a list of many columns', { first: numbers(3000).map(() => 'name') }],
  [
    'many constants',
    'name',
    Object.fromEntries(numbers(3000).map((index) => [`f${index}`, { const: index }])),
  ],
])('%s: refused, before it takes long', (_, name, extraInfo) => {
  const began = performance.now();
  expect(() => compile(name, extraInfo)).toThrow(/together|too large/);
  // Without the limit, the first one takes 4 s.
  expect(performance.now() - began).toBeLessThan(1500);
});

it('parts of one request share the limits, and the same text counts once', () => {
  const jsonata = sharedJsonata();
  const text = `"${'x'.repeat(30_000)}"`;
  const mapping = (name: string) =>
    compileMapping({ contact: { number: 'phone', name }, tags: [], extraInfo: {} }, jsonata);
  mapping(`=${text}`);
  expect(() => mapping(`=${text}`)).not.toThrow();
  expect(() => mapping(`=${text} & "y"`)).toThrow(/more than 50,000 characters together/);
});

it.each([
  ['a usual pattern', '=$match(name, /^\\+?[0-9 ()-]{8,20}$/)'],
  [
    'many alternatives that begin alike',
    `=$contains(name, /${numbers(1500)
      .map((each) => `a${each}`)
      .join('|')}/)`,
  ],
])('%s is compiled', (_, name) => {
  expect(() => compile(name)).not.toThrow();
});

it('a pattern is measured before it is compiled', () => {
  // Compiled, it has 810,000 instructions.
  const source = '(?:[a-z]{30}){30}'.repeat(900);
  expect(() => translatePattern(source, { groups: true, ignoreCase: false })).toThrow(/too large/);
});
