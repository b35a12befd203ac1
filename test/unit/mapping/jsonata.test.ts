// What JSONata may not do: run code of the data, take the process's time or memory, or yield more than a field can hold.
import { describe, expect, it } from 'vitest';
import { compileMapping } from '../../../src/mapping/index.ts';

const compile = (name: string) =>
  compileMapping({ contact: { number: 'phone', name }, tags: [], extraInfo: {} });
const apply = (name: string, values: Record<string, unknown> = {}) =>
  compile(name).apply({ phone: '+5511987654321', ...values });

describe('$eval is refused when the mapping is compiled, with its place and the fix', () => {
  it.each([
    '=$eval(name)',
    '=name ~> $eval',
    '=($f := $eval; $f(name))',
    '=$map([name], $eval)',
    '=$eval(?, name)',
    '={"a": [$eval]}',
    '=($eval := function($x) { $x }; name)',
    '=$f(function() { $eval(name) })',
    '=name[$eval("1")]',
    '=name^($eval("1"))',
    '=name ~> |$|{"a": $eval("1")}|',
  ])('%s', (expression) => {
    expect(() => compile(expression)).toThrow(
      `mapping contact.name: $eval (at character ${expression.indexOf('$eval')}) runs text of the data as an expression; write the expression itself here`,
    );
  });

  it('data that resembles code stays text', async () => {
    expect(await apply('=name', { name: '$eval("1+1")' })).toMatchObject({
      record: { contact: { name: '$eval("1+1")' } },
    });
  });
});

describe('a runaway expression is a problem of its row, and says which limit it met', () => {
  it.each([
    ['a range', '=$string([1..10000000])', 'result_too_large', '10,000 items'],
    ['a list that is joined', '=$join([1..10001].$string($))', 'result_too_large', '10,000 items'],
    ['a list that grows', '=$count($append([1..9000], [1..9000]))', 'result_too_large', '10,000 items'],
    ['padding', '=$pad("x", 500000000)', 'result_too_large', '262,144 characters'],
    ['padding to the left', '=$pad("x", -500000000, "ab")', 'result_too_large', '262,144 characters'],
    [
      'a text that doubles',
      '=($f := function($s, $n) { $n = 0 ? $s : $f($s & $s, $n - 1) }; $f("ab", 20))',
      'result_too_large',
      '262,144 characters',
    ],
    [
      'a large regular expression',
      '=$match($pad("a", 60000, "ab"), /a[ab]{900}[cd]$/)',
      'expression_timeout',
      'within 2 s',
    ],
    ['recursion', '=($f := function($x) { 1 + $f($x) }; $f(1))', 'expression_failed', 'D1011'],
  ])('%s', async (_what, expression, code, limit) => {
    expect(await apply(expression)).toMatchObject({
      ok: false,
      problems: [{ field: 'contact.name', code, reason: expect.stringContaining(limit) }],
    });
  });

  it.each([
    ['the constructor of a value', '=$lookup({}, "constructor")'],
    ['a function', '=function($x) { $x }'],
    ['a function of its own', '=$sum'],
  ])('%s is nothing', async (_what, expression) => {
    const result = await apply(expression);
    expect(result).toMatchObject({ ok: true });
    expect(JSON.stringify(result)).not.toContain('native code');
    if (result.ok) expect(result.record.contact.name).toBeUndefined();
  });
});

it.each([
  ['abc', 5, '#', 'abc##'],
  ['abc', -5, '#', '##abc'],
  ['abc', 8, '-+', 'abc-+-+-'],
  ['abc', 2, '#', 'abc'],
  ['é😀', 4, '😀', 'é😀😀😀'],
])('$pad(%j, %i, %j) is %j, as the JSONata documents say', async (text, width, filler, expected) => {
  const result = await apply(`=$pad(text, ${width}, filler)`, { text, filler });
  expect(result).toMatchObject({ record: { contact: { name: expected } } });
});
