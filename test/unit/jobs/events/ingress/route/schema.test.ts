import { describe, expect, it } from 'vitest';
import { cpuMs } from '../../../../../support/cpu-time.ts';
import { fits, problemsOf } from './schema-support.ts';
import { http, scripted } from './support.ts';

type Schema = Record<string, unknown>;

describe('what a schema says is checked', () => {
  const ref = { $ref: '#/$defs/phone' };
  const tree = {
    $defs: {
      node: { properties: { next: { $ref: '#/$defs/node' }, n: { type: 'integer' } }, required: ['n'] },
    },
    properties: { tree: { $ref: '#/$defs/node' } },
  };
  it.each<[string, Schema, object[], object[]]>([
    ['required, without properties', { required: ['a'] }, [{ a: null }, { a: 0 }], [{}, { b: 1 }]],
    [
      'required, of anything',
      { properties: { a: true, b: {} }, required: ['a', 'b'] },
      [{ a: 1, b: null }],
      [{ a: 1 }, { b: 1 }],
    ],
    [
      'properties without a type',
      { properties: { a: { type: 'string' } } },
      [{}, { a: '' }],
      [{ a: 1 }, { a: null }],
    ],
    [
      'an inner object without a type',
      { properties: { a: { properties: { b: { type: 'string' } }, required: ['b'] } } },
      [{ a: { b: 'x' } }, { a: 'no object' }],
      [{ a: {} }, { a: { b: 1 } }],
    ],
    [
      'a bound without a type',
      { properties: { a: { minLength: 2 } } },
      [{ a: 'xx' }, { a: 1 }],
      [{ a: 'x' }],
    ],
    ['a bound on the fields', { minProperties: 2 }, [{ a: 1, b: 2 }], [{ a: 1 }]],
    [
      'enum beside type',
      { properties: { a: { type: 'string', enum: ['x', 1] } } },
      [{ a: 'x' }],
      [{ a: 1 }, { a: 'y' }],
    ],
    [
      'enum beside a bound',
      { properties: { a: { enum: ['x', 'yy'], minLength: 2 } } },
      [{ a: 'yy' }],
      [{ a: 'x' }],
    ],
    ['const', { properties: { a: { const: null } } }, [{ a: null }], [{ a: 0 }, { a: '' }]],
    [
      'null beside a type',
      { properties: { a: { type: ['string', 'null'] } } },
      [{ a: null }, { a: '' }],
      [{ a: 1 }],
    ],
    [
      'whole numbers',
      { properties: { a: { type: 'integer' } } },
      [{ a: 1 }, { a: -0 }],
      [{ a: 1.5 }, { a: '1' }],
    ],
    [
      '$defs',
      { properties: { a: ref }, $defs: { phone: { pattern: '^\\d+$' } } },
      [{ a: '1' }],
      [{ a: 'x' }],
    ],
    [
      'definitions, with a name that needs escaping',
      { properties: { a: { $ref: '#/definitions/a~1b%20c' } }, definitions: { 'a/b c': { type: 'string' } } },
      [{ a: 'x' }],
      [{ a: 1 }],
    ],
    [
      '$ref beside other keywords',
      { properties: { a: { ...ref, maxLength: 2 } }, $defs: { phone: { type: 'string' } } },
      [{ a: 'xx' }],
      [{ a: 'xxx' }, { a: 1 }],
    ],
    [
      'a definition of itself',
      tree,
      [{ tree: { n: 1, next: { n: 2 } } }],
      [{ tree: { n: 1, next: { n: 'x' } } }],
    ],
    [
      'the root of itself',
      { properties: { a: { $ref: '#' }, n: { type: 'null' } } },
      [{ a: { a: {} } }],
      [{ a: { n: 1 } }, { a: 1 }],
    ],
    [
      'additionalProperties',
      { properties: { a: true }, additionalProperties: false },
      [{ a: 1 }, {}],
      [{ b: 1 }, { a: 1, b: 1 }],
    ],
    [
      'additionalProperties with a schema',
      { properties: { a: true }, additionalProperties: { type: 'number' }, required: ['b'] },
      [{ a: 'x', b: 1 }],
      [{ b: 'x' }, { b: 1, c: 'x' }],
    ],
    [
      'additionalProperties in a part of allOf',
      { allOf: [{ properties: { a: true }, additionalProperties: false }, { properties: { b: true } }] },
      [{ a: 1 }],
      [{ b: 1 }],
    ],
    [
      'propertyNames in a part of allOf',
      { allOf: [{ propertyNames: { pattern: '^a' } }, { minProperties: 1 }] },
      [{ a1: 1 }],
      [{ b: 1 }, {}],
    ],
    [
      'patternProperties',
      { patternProperties: { '^n_': { type: 'number' } }, additionalProperties: false },
      [{ n_a: 1 }, {}],
      [{ n_a: 'x' }, { b: 1 }],
    ],
    [
      'anyOf of required',
      { anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      [{ a: 1 }, { b: 1 }, { a: 1, b: 1 }],
      [{}, { c: 1 }],
    ],
    [
      'oneOf',
      { oneOf: [{ required: ['a'] }, { required: ['b'] }] },
      [{ a: 1 }, { b: 1 }],
      [{}, { a: 1, b: 1 }],
    ],
    [
      'bounds of a list without items',
      { properties: { a: { type: 'array', minItems: 1 } } },
      [{ a: [1] }],
      [{ a: [] }],
    ],
    [
      'a list with places',
      { properties: { a: { prefixItems: [true, { type: 'number' }], items: false, minItems: 1 } } },
      [{ a: ['x'] }, { a: ['x', 1] }],
      [{ a: [] }, { a: ['x', 'y'] }, { a: ['x', 1, 2] }],
    ],
    [
      'unlike items',
      { properties: { a: { uniqueItems: true } } },
      [{ a: [{ b: 1 }, { b: 2 }] }],
      [{ a: [{ b: 1 }, { b: 1 }] }],
    ],
    [
      'contains',
      { properties: { a: { contains: { const: 'x' }, maxContains: 1 } } },
      [{ a: ['x', 1] }],
      [{ a: [] }, { a: ['x', 'x'] }],
    ],
    [
      'date-time',
      { properties: { a: { format: 'date-time' } } },
      [{ a: '2026-01-01T00:00:00+03:00' }, { a: 1 }],
      [{ a: '2026-02-30T00:00:00Z' }],
    ],
    [
      'email',
      { properties: { a: { type: 'string', format: 'email' } } },
      [{ a: 'a@example.com' }],
      [{ a: 'a' }],
    ],
    ['a property that may not be', { properties: { a: false } }, [{}], [{ a: null }]],
    [
      'if, then and else',
      {
        if: { properties: { a: { const: 1 } }, required: ['a'] },
        then: { required: ['b'] },
        else: { required: ['c'] },
      },
      [{ a: 1, b: 1 }, { c: 1 }],
      [{ a: 1 }, { a: 2 }, {}],
    ],
    ['not', { properties: { a: { not: { type: 'string' } } } }, [{ a: 1 }], [{ a: 'x' }]],
    [
      'dependentRequired and dependentSchemas',
      { dependentRequired: { a: ['b'] }, dependentSchemas: { c: { properties: { d: { type: 'string' } } } } },
      [{ a: 1, b: 1 }, { d: 1 }],
      [{ a: 1 }, { c: 1, d: 1 }],
    ],
    [
      'dependencies of draft-07',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        dependencies: { a: ['b'], c: { required: ['d'] } },
      },
      [
        { a: 1, b: 1 },
        { c: 1, d: 1 },
      ],
      [{ a: 1 }, { c: 1 }],
    ],
    [
      'places of draft-07',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        properties: { a: { items: [{ type: 'string' }], additionalItems: false } },
      },
      [{ a: ['x'] }],
      [{ a: [1] }, { a: ['x', 1] }],
    ],
    [
      'unevaluatedProperties',
      { allOf: [{ properties: { a: true } }], properties: { b: true }, unevaluatedProperties: false },
      [{ a: 1, b: 1 }],
      [{ c: 1 }],
    ],
    [
      'objects and lists as values',
      { properties: { a: { enum: [{ x: [1] }, []] }, b: { const: { y: null } } } },
      [{ a: { x: [1] } }, { a: [], b: { y: null } }],
      [{ a: { x: [2] } }, { b: {} }],
    ],
    [
      'names that every object inherits',
      { properties: { constructor: { type: 'string' } }, required: ['toString'] },
      [{ toString: 1 }, { toString: 1, constructor: 'x' }],
      [{}, { toString: 1, constructor: 1 }],
    ],
    [
      'inherited names, where values are compared',
      {
        properties: {
          a: { uniqueItems: true },
          b: { const: { x: 1 } },
          c: { enum: [{ constructor: 1 }, 2] },
        },
      },
      [{ a: [{ valueOf: 1 }, { valueOf: 2 }, { toString: 1 }] }, { c: { constructor: 1 } }],
      [
        { a: [{ valueOf: 1 }, { valueOf: 1 }] },
        { a: [{ constructor: {} }, { constructor: {} }] },
        { b: { valueOf: 1 } },
        { b: { x: 1, toString: 'x' } },
        { c: { hasOwnProperty: 1 } },
      ],
    ],
    [
      'inherited names, where no other fields are allowed',
      {
        anyOf: [{ required: ['a'], properties: { a: {} } }, { properties: { b: {} } }],
        unevaluatedProperties: false,
      },
      [{ a: 1 }, { b: 1 }, { a: 1, b: 1 }],
      [
        { a: 1, constructor: 1 },
        { b: 1, toString: 1 },
        JSON.parse('{ "a": 1, "__proto__": { "x": 1 } }') as object,
        { a: 1, c: 1 },
      ],
    ],
    [
      'values that are equal, whatever the order of their fields',
      { properties: { a: { uniqueItems: true }, b: { const: { x: 1, y: [null, 0] } } } },
      [{ a: [1, '1', [1], { 1: 1 }, null, 'null'] }, { b: { y: [null, -0], x: 1 } }, { a: 'x' }],
      [
        {
          a: [
            { x: 1, y: 2 },
            { y: 2, x: 1 },
          ],
        },
        { b: { x: 1, y: [0, null] } },
      ],
    ],
    [
      'a reference to any schema inside',
      {
        properties: {
          a: { properties: { b: { type: 'string' } } },
          c: { $ref: '#/properties/a/properties/b' },
        },
      },
      [{ c: 'x' }],
      [{ c: 1 }],
    ],
    [
      'patternProperties beside additionalProperties with a schema',
      { patternProperties: { '^a': true }, additionalProperties: { type: 'null' } },
      [{ a1: 1, b: null }],
      [{ b: 1 }],
    ],
    ['a Unicode pattern', { properties: { a: { pattern: '^\\p{L}+$' } } }, [{ a: 'É' }], [{ a: '1' }]],
    [
      'a pattern that is none in Unicode',
      { properties: { a: { pattern: '^\\@\\-$' } } },
      [{ a: '@-' }],
      [{ a: 'x' }],
    ],
    ['characters, not units', { properties: { a: { maxLength: 1 } } }, [{ a: '😀' }], [{ a: 'ab' }]],
    ['steps', { properties: { a: { multipleOf: 0.1 } } }, [{ a: 0.3 }, { a: 1e20 }], [{ a: 0.35 }]],
    [
      'a default fills nothing in',
      { properties: { a: { type: 'string', default: 'x' } }, required: ['a'] },
      [{ a: '' }],
      [{}],
    ],
  ])('%s', (_, schema, good, bad) => {
    for (const event of good) expect([event, fits(schema, { ...event })]).toEqual([event, true]);
    for (const event of bad) expect([event, fits(schema, { ...event })]).toEqual([event, false]);
  });

  it('notes and names that begin with x- say nothing', () => {
    const notes = {
      title: 't',
      description: 'd',
      examples: [1],
      $comment: 'c',
      deprecated: true,
      'x-owner': 'crm',
    };
    const root = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'https://example.com/lead.json',
    };
    expect(fits({ ...root, ...notes, properties: { a: notes } }, { a: 1 })).toBe(true);
  });

  it('the event itself stays as it came', async () => {
    const schema = { properties: { a: { type: 'object', properties: { b: { default: 1 } } } } };
    const { route, views } = scripted({ schema });
    await route.read(http('{"a":{"__proto__":{"x":1}},"z":1,"n":1e-7}'));
    expect(JSON.stringify(views[0])).toBe('{"a":{"__proto__":{"x":1}},"z":1,"n":1e-7,"$event":{}}');
  });
});

describe('no pattern and no format stops the process', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['a repetition inside a repetition', { pattern: '^(a+)+$' }, `${'a'.repeat(60)}!`],
    ['an e-mail address of 1 MiB', { format: 'email' }, `a@${'a'.repeat(1_000_000)}`],
    ['a long host name', { format: 'hostname' }, `${'a-'.repeat(500_000)}!`],
    ['a long URI', { format: 'uri' }, `http://${'a'.repeat(1_000_000)}!`],
    ['a long duration', { format: 'duration' }, `P${'1'.repeat(1_000_000)}`],
  ])('%s: ten events are refused in less than a second of computing', (_what, keyword, text) => {
    const tenEvents = () => {
      for (let event = 0; event < 10; event += 1)
        expect(problemsOf({ properties: { a: keyword } }, { a: text })?.problems[0]?.field).toBe('a');
    };
    expect(cpuMs(tenEvents)).toBeLessThan(1000);
  });
});
