import { describe, expect, it } from 'vitest';
import { compileSchema, RouteConfigError } from '../../../../src/ingress/route/index.ts';
import { fits } from './schema-support.ts';

function configError(schema: unknown): RouteConfigError {
  try {
    compileSchema('leads', schema as Record<string, unknown>);
  } catch (error) {
    if (error instanceof RouteConfigError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

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
