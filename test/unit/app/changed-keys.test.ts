// Which keys of an entry changed: the audit log names them, and no value.
import { expect, it } from 'vitest';
import { changedKeys } from '../../../src/app/config-edit/changed-keys.ts';

it.each<[string, string | null, string, string[]]>([
  ['a value', 'flow: 1', 'flow: 2', ['flow']],
  ['a type', 'flow: 1', 'flow: "1"', ['flow']],
  ['a key that comes and one that goes', 'a: 1', 'b: 1', ['a', 'b']],
  ['a key without a value', 'a: 1', 'a: 1\nb:', ['b']],
  ['one key of a mapping', 'w: { a: 1, b: 2 }', 'w: { a: 1, b: 3 }', ['w.b']],
  ['a mapping that goes', 'w: { a: 1, b: 2 }\nx: 1', 'x: 1', ['w.a', 'w.b']],
  ['a list in another order', 'l: [1, 2]', 'l: [2, 1]', ['l']],
  ['a mapping that becomes a list', 'l: { a: 1 }', 'l: [1]', ['l.a']],
  ['an empty mapping', 'x: 1', 'x: 1\nw: {}', ['w']],
  ['keys that are values of rows', 'c: { n: { map: { Ana: x } } }', 'c: { n: { map: { Bia: x } } }', ['c.n']],
  ['an alias', 'a: { x: 1 }\nb: { x: 1 }', 'a: &a { x: 1 }\nb: *a', []],
  ['the order of keys, and comments', 'a: 1\nb: 2', '# new\nb: 2\na: 1', []],
  ['an entry that was not there', null, 'a: 1', []],
])('%s', (_, before, after, changed) => {
  expect(changedKeys(before, after)).toEqual(changed);
});

it('a long list names the first level alone', () => {
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`variable${n}`, 'x']));
  expect(changedKeys('variables: {}\nflow: 1', JSON.stringify({ variables: many, flow: 1 }))).toEqual([
    'variables',
  ]);
});
