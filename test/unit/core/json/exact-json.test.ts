// Integers of a JSON text keep their digits, and nothing else changes.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExactJson } from '../../../../src/core/json/exact-json.ts';

describe('parseExactJson', () => {
  it.each<[string, unknown]>([
    ['{"id":700000000000000001}', { id: '700000000000000001' }],
    ['{"id":9007199254740991}', { id: 9007199254740991 }],
    ['{"id":9007199254740992}', { id: '9007199254740992' }],
    ['-9007199254740993', '-9007199254740993'],
    ['[5511987654321,{"a":[12345678901234567890]}]', [5511987654321, { a: ['12345678901234567890'] }]],
    ['{"id":"700000000000000001"}', { id: '700000000000000001' }],
    [
      '"text 700000000000000001 \\"700000000000000001\\" \\\\"',
      'text 700000000000000001 "700000000000000001" \\',
    ],
    ['{"700000000000000001":1}', { '700000000000000001': 1 }],
    ['0.1234567890123456789', 0.12345678901234568],
    [
      '{"a":1e17,"b":100000000000000000.5,"c":100000000000000000}',
      { a: 1e17, b: 1e17, c: '100000000000000000' },
    ],
    ['{"__proto__":{"x":700000000000000001}}', JSON.parse('{"__proto__":{"x":1}}')],
  ])('reads %s', (text, expected) => {
    const value = parseExactJson(text);
    if (text.includes('__proto__')) {
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(Object.hasOwn(value as object, '__proto__')).toBe(true);
    } else expect(value).toEqual(expected);
  });

  it.each(['', '{"id":700000000000000001', '0700000000000000001', '"700000000000000001', '{a:1}'])(
    'refuses %j as JSON.parse does',
    (text) => {
      expect(() => parseExactJson(text)).toThrow(SyntaxError);
    },
  );

  it('reads whatever JSON.stringify writes, digits and all', () => {
    const leaf = fc.oneof(
      fc.bigInt(),
      fc.string({ unit: 'binary' }),
      fc.double(),
      fc.boolean(),
      fc.constant(null),
    );
    const tree = fc.letrec((tie) => ({
      tree: fc.oneof(leaf, fc.array(tie('tree')), fc.dictionary(fc.string(), tie('tree'))),
    })).tree;
    fc.assert(
      fc.property(tree, (value) => {
        expect(parseExactJson(write(value))).toEqual(JSON.parse(write(asRead(value))));
      }),
    );
  });

  it('takes a long string beside a long integer', () => {
    const body = '\\"x'.repeat(500_000);
    expect(parseExactJson(`["${body}",700000000000000001]`)).toEqual([
      '"x'.repeat(500_000),
      '700000000000000001',
    ]);
  });
});

/** A value whose long integers are texts. */
function asRead(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? value : String(value);
  const isLong =
    typeof value === 'number' && /^-?\d+$/.test(JSON.stringify(value)) && !Number.isSafeInteger(value);
  if (typeof value === 'number') return isLong ? JSON.stringify(value) : value;
  if (Array.isArray(value)) return value.map(asRead);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, asRead(inner)]));
}

/** JSON with integers of any length. */
function write(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, inner]) => `${JSON.stringify(key)}:${write(inner)}`)
    .join(',')}}`;
}
