// A corrected body: where it is no JSON, and in which fields it differs.
import { describe, expect, it } from 'vitest';
import { changesBetween, readJson } from '../../../src/console/screens/events/json-text.ts';

describe('text that is no JSON', () => {
  it.each([
    ['{\n  "phone" 1\n}', { line: 2, column: 11, ended: false }],
    ['{"phone": "1"', { line: 1, column: 14, ended: true }],
    ['', { line: 1, column: 1, ended: true }],
    ['{"a": 1} x', { line: 1, column: 10, ended: false }],
  ])('%j is faulty at a position', (text, fault) => {
    expect(readJson(text)).toEqual({ fault });
  });
});

describe('the changes', () => {
  it.each([
    [
      'a field with another name',
      '{"phoen":"1"}',
      '{"phone":"1"}',
      [
        ['phoen', '"1"', null],
        ['phone', null, '"1"'],
      ],
    ],
    ['a text instead of a number', '{"a":{"b":[1]}}', '{"a":{"b":["1"]}}', [['a.b.0', '1', '"1"']]],
    ['null instead of the text null', '{"a":"null"}', '{"a":null}', [['a', '"null"', 'null']]],
    ['another layout', '{"a":1}', '{\n  "a": 1\n}', []],
    ['a scalar', '1', '2', [['Body', '1', '2']]],
    ['a body that was no JSON', 'phone=1', '{"phone":1}', [['Body', 'phone=1', '{"phone":1}']]],
    ['a body that is no JSON yet', '{"a":1}', '{"a":', []],
  ])('of %s', (_, before, after, expected) => {
    const changes = changesBetween(before, after, 'Body');
    expect(changes.map((change) => [change.field, change.before, change.after])).toEqual(expected);
  });
});
