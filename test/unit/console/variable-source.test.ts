// Where a variable's value comes from: what the form shows writes the same expression, and what it cannot show stays.
import { describe, expect, it } from 'vitest';
import {
  asKind,
  readSource,
  type VariableSource,
  writeSource,
} from '../../../src/console/screens/campaigns/draft/variable-source.ts';

describe('an expression', () => {
  it.each<[string, unknown, VariableSource['kind'], string, string]>([
    ['a path', 'contact.name', 'field', 'contact.name', ''],
    ['a path with a default', { path: 'name', default: 'friend' }, 'field', 'name', 'friend'],
    ['a fixed text', { const: 'ok' }, 'text', 'ok', ''],
    ['a template', '{{first}} {{last}}', 'expression', '{{first}} {{last}}', ''],
    ['a template with a default', { template: '{{a}}!', default: 'x' }, 'expression', '{{a}}!', 'x'],
    ['JSONata', '=$uppercase(name)', 'expression', '=$uppercase(name)', ''],
    ['JSONata with a default', { jsonata: 'a & b', default: 'x' }, 'expression', '=a & b', 'x'],
    ['nothing yet', '', 'field', '', ''],
  ])('%s is shown and written as it was', (_, expression, kind, text, fallback) => {
    const source = readSource(expression);
    expect(source).toEqual({ kind, text, fallback });
    expect(writeSource(source as VariableSource)).toEqual(expression);
  });

  it.each<[string, unknown]>([
    ['a list', ['a', 'b']],
    ['a map', { path: 'a', map: { x: 'y' } }],
    ['a fixed number', { const: 5 }],
    ['a default that is a number', { path: 'a', default: 0 }],
    ['a path that is only an object', { path: 'a' }],
    ['null', null],
  ])('%s is edited as YAML', (_, expression) => {
    expect(readSource(expression)).toBeNull();
  });
});

it.each<[string, VariableSource, VariableSource['kind'], unknown]>([
  [
    'a field becomes a template',
    { kind: 'field', text: 'name', fallback: 'x' },
    'expression',
    { template: '{{name}}', default: 'x' },
  ],
  [
    'a template of one field becomes the field',
    { kind: 'expression', text: '{{ name }}', fallback: '' },
    'field',
    'name',
  ],
  ['an expression is no field', { kind: 'expression', text: '=a+b', fallback: '' }, 'field', ''],
  [
    'a field name is not sent as a text',
    { kind: 'field', text: 'contact.name', fallback: '' },
    'text',
    { const: '' },
  ],
])('%s', (_, source, kind, expected) => {
  expect(writeSource(asKind(source, kind))).toEqual(expected);
});
