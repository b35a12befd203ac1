import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RefusedError } from '../../../../src/ingress/intake.ts';
import { compileSchema, RouteConfigError } from '../../../../src/ingress/route/index.ts';
import { http, kafka, refusal, scripted } from './support.ts';

type Schema = Record<string, unknown>;
const fits = (schema: Schema, event: Record<string, unknown>): boolean => problemsOf(schema, event) === null;

function problemsOf(schema: Schema, event: Record<string, unknown>): RefusedError | null {
  try {
    compileSchema('leads', schema)(event);
    return null;
  } catch (error) {
    if (error instanceof RefusedError) return error;
    throw error;
  }
}

function configError(schema: unknown): RouteConfigError {
  try {
    compileSchema('leads', schema as Schema);
  } catch (error) {
    if (error instanceof RouteConfigError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

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
      [{ a: 1.5 }, { a: '1' }, { a: 2 ** 53 }],
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

describe('what could not be checked is refused when the route is opened, with its place', () => {
  const inA = (schema: unknown) => ({ properties: { a: schema } });
  it.each<[unknown, string, string?]>([
    ...['if', 'then', 'else', 'not', 'dependentSchemas', 'dependentRequired', 'dependencies'].map(
      (keyword): [unknown, string, string] => [
        inA({ [keyword]: {} }),
        `schema.properties.a.${keyword}`,
        'oneOf',
      ],
    ),
    ...[
      'unevaluatedProperties',
      'unevaluatedItems',
      '$anchor',
      '$dynamicRef',
      '$dynamicAnchor',
      '$vocabulary',
      'id',
    ].map((keyword): [unknown, string] => [inA({ [keyword]: 'x' }), `schema.properties.a.${keyword}`]),
    ...[
      'contentEncoding',
      'contentSchema',
      'discriminator',
      'minlength',
      'Required',
      'constructor',
      '__proto__',
    ].map((keyword): [unknown, string] => [
      JSON.parse(`{"properties":{"a":{"${keyword}":{}}}}`),
      `schema.properties.a.${keyword}`,
    ]),
    [inA({ type: 'string', nullable: true }), 'schema.properties.a.nullable', '"null"'],
    [inA({ type: 'text' }), 'schema.properties.a.type'],
    [inA({ type: [] }), 'schema.properties.a.type'],
    [inA({ $id: 'x' }), 'schema.properties.a.$id'],
    [inA({ $defs: {} }), 'schema.properties.a.$defs'],
    [inA({ format: 'phone' }), 'schema.properties.a.format', 'date-time'],
    [inA({ format: 'uri-reference' }), 'schema.properties.a.format'],
    [inA({ pattern: '(' }), 'schema.properties.a.pattern'],
    [inA({ pattern: '\\p{L}' }), 'schema.properties.a.pattern', 'list the characters'],
    [inA({ minLength: '3' }), 'schema.properties.a.minLength'],
    [inA({ minimum: '3' }), 'schema.properties.a.minimum'],
    [inA({ minimum: 3, exclusiveMinimum: true }), 'schema.properties.a.exclusiveMinimum'],
    [inA({ uniqueItems: 1 }), 'schema.properties.a.uniqueItems'],
    [inA({ enum: [] }), 'schema.properties.a.enum'],
    [inA({ enum: [{}] }), 'schema.properties.a.enum'],
    [inA({ const: [1] }), 'schema.properties.a.const'],
    [inA({ anyOf: [] }), 'schema.properties.a.anyOf'],
    [inA({ items: 'string' }), 'schema.properties.a.items'],
    [inA('string'), 'schema.properties.a'],
    [inA({ oneOf: [{}, { if: {} }] }), 'schema.properties.a.oneOf.1.if'],
    [inA({ items: { properties: { b: { not: {} } } } }), 'schema.properties.a.items.properties.b.not'],
    [inA({ $ref: 'https://example.com/x.json' }), 'schema.properties.a.$ref', 'leads nowhere'],
    [inA({ $ref: '#/$defs/none' }), 'schema.properties.a.$ref'],
    [inA({ $ref: '#/$defs/constructor' }), 'schema.properties.a.$ref'],
    [{ ...inA({ $ref: '#/properties/b' }), required: [] }, 'schema.properties.a.$ref'],
    [{ ...inA({ $ref: '#/$defs/b/properties/c' }), $defs: { b: {} } }, 'schema.properties.a.$ref'],
    [{ $ref: '#' }, 'schema', 'comes back'],
    [
      { $defs: { a: { anyOf: [{ $ref: '#/$defs/b' }] }, b: { allOf: [{ $ref: '#/$defs/a' }] } } },
      'schema.$defs',
      'comes back',
    ],
    [{ $defs: { a: { else: {} } } }, 'schema.$defs.a.else'],
    [{ $defs: [] }, 'schema.$defs'],
    [{ type: 'array' }, 'schema.type', 'object'],
    [{ properties: [] }, 'schema.properties'],
    [{ properties: { constructor: {} } }, 'schema.properties.constructor', 'rename'],
    [JSON.parse('{"properties":{"__proto__":{}}}'), 'schema.properties.__proto__'],
    [{ required: ['toString'] }, 'schema.required'],
    [{ required: 'a' }, 'schema.required'],
    [{ required: ['a'], additionalProperties: false }, 'schema.required'],
    [
      { patternProperties: { '^a': {} }, additionalProperties: { type: 'null' } },
      'schema.additionalProperties',
    ],
    [{ $schema: 'http://json-schema.org/draft-04/schema#' }, 'schema.$schema', 'draft-07'],
  ])('%j', (schema, place, hint = '') => {
    const error = configError(schema);
    expect(error.path.join('.')).toContain(place);
    expect(error.message).toContain(`route leads, ${place}`);
    expect(error.problem).toContain(hint);
  });

  it.each([
    'draft/2020-12/schema',
    'draft/2019-09/schema',
    'draft-07/schema#',
    'draft-07/schema',
    'draft-06/schema#',
  ])('$schema may be %s', (draft) => {
    expect(fits({ $schema: `http://json-schema.org/${draft}`, required: ['a'] }, { a: 1 })).toBe(true);
  });
});

describe('violations', () => {
  const schema = {
    properties: {
      phone: { type: 'string', pattern: '^\\d+$' },
      tags: { type: 'array', items: { type: 'string' } },
      price: { type: ['number', 'null'] },
      status: { enum: ['new', 'won'] },
      extra: { additionalProperties: { type: 'string' } },
      address: {
        oneOf: [
          { type: 'string' },
          { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        ],
      },
    },
    required: ['phone'],
  };

  it.each<[object, string, RegExp]>([
    [{}, 'phone', /required/],
    [{ phone: 'SECRET' }, 'phone', /pattern/],
    [{ phone: '1', tags: ['a', 'b', 5511987654321] }, 'tags.2', /string/],
    [{ phone: '1', price: 'SECRET' }, 'price', /number, null/],
    [{ phone: '1', status: 'SECRET' }, 'status', /new/],
    [{ phone: '1', address: {} }, 'address.city', /required/],
    [{ phone: '1', address: { city: 1 } }, 'address.city', /string/],
    [{ phone: '1', address: 5511987654321 }, 'address', /one of string, object/],
    [{ phone: '1', extra: { SECRET: 1 } }, 'extra.*', /string/],
  ])('%j is refused with field and reason, and without values', (event, field, reason) => {
    const refused = problemsOf(schema, { ...event });
    expect(refused).toMatchObject({
      code: 'SCHEMA',
      status: 422,
      problems: [{ field, reason: expect.stringMatching(reason) }],
    });
    expect(JSON.stringify([refused?.message, refused?.problems])).not.toMatch(/SECRET|5511987654321/);
  });

  it('names that the schema does not know are no part of what is said, but of what is kept', () => {
    const refused = problemsOf(
      { properties: { a: true }, additionalProperties: false },
      { a: 1, SECRET: 1, OTHER: 2 },
    );
    expect(refused?.problems).toEqual([
      {
        field: 'event',
        code: 'unrecognized_keys',
        reason: expect.stringContaining('2 fields'),
        value: 'SECRET, OTHER',
      },
    ]);
    expect(refused?.message).not.toContain('SECRET');
  });

  it('a thousand of them make a short list', () => {
    const refused = problemsOf(schema, {
      phone: '1',
      tags: Array.from({ length: 1000 }, (_, index) => index),
    });
    expect(refused?.problems).toHaveLength(21);
    expect(refused?.problems.at(-1)).toMatchObject({ reason: expect.stringContaining('980 more') });
    expect(refused?.message).toMatch(/tags\.0: .*, and 999 more$/);
  });

  it('of a union of many forms the reason stays short', () => {
    const oneOf = Array.from({ length: 200 }, (_, n) => ({
      properties: { kind: { const: `kind-${n}` }, [`field${n}`]: { type: 'string' } },
      required: ['kind', `field${n}`],
    }));
    const refused = problemsOf({ oneOf }, { kind: 'none' });
    expect(JSON.stringify(refused?.problems).length).toBeLessThan(500);
    expect(refused?.message.length).toBeLessThan(300);
    expect(refused?.message).toContain('200 forms');
    const long = problemsOf({ properties: { a: { enum: oneOf.map((_, n) => `value-${n}`) } } }, { a: 'x' });
    expect(long?.message.length).toBeLessThan(400);
  });

  it('FAULTS 37: a record of another schema is refused with what does not fit', async () => {
    const { route } = scripted({ schema });
    for (const delivery of [http({ order: 1 }), kafka({ order: 1 })]) {
      expect(await refusal(route, delivery)).toMatchObject({
        code: 'SCHEMA',
        status: 422,
        problems: [{ field: 'phone' }],
      });
    }
  });

  it('whatever comes, it fits or it is refused', () => {
    const check = compileSchema('leads', {
      ...schema,
      allOf: [{ minProperties: 1 }, { propertyNames: { maxLength: 20 } }],
    });
    const names = fc.oneof(
      fc.constantFrom(...Object.keys(schema.properties), '__proto__', 'constructor', 'toString'),
      fc.string(),
    );
    const property = fc.property(fc.dictionary(names, fc.jsonValue({ maxDepth: 4 })), (event) => {
      const text = JSON.stringify(event);
      try {
        check(JSON.parse(text) as Record<string, unknown>);
      } catch (error) {
        expect(error).toBeInstanceOf(RefusedError);
      }
    });
    fc.assert(property, { numRuns: 300 });
  });
});
