import { describe, expect, it } from 'vitest';
import { compileSchema, RouteConfigError } from '../../../../../../src/jobs/events/ingress/route/index.ts';
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
    [inA({ if: {} }), 'schema.properties.a.if', '"then" or "else"'],
    [inA({ then: {} }), 'schema.properties.a.then', 'without "if"'],
    [inA({ else: {} }), 'schema.properties.a.else', 'without "if"'],
    [inA({ minContains: 1 }), 'schema.properties.a.minContains', 'without "contains"'],
    [inA({ items: [{}] }), 'schema.properties.a.items', 'prefixItems'],
    [inA({ not: { minlength: 1 } }), 'schema.properties.a.not.minlength'],
    [inA({ dependentSchemas: { b: { format: 'phone' } } }), 'schema.properties.a.dependentSchemas.b.format'],
    [inA({ unevaluatedProperties: { pattern: '(' } }), 'schema.properties.a.unevaluatedProperties.pattern'],
    ...['$anchor', '$recursiveRef', '$dynamicRef', '$dynamicAnchor', '$vocabulary', 'id'].map(
      (keyword): [unknown, string] => [inA({ [keyword]: 'x' }), `schema.properties.a.${keyword}`],
    ),
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
    [inA({ format: 'phone' }), 'schema.properties.a.format', 'date-time'],
    [inA({ format: 'uri-reference' }), 'schema.properties.a.format'],
    [inA({ pattern: '(' }), 'schema.properties.a.pattern'],
    [inA({ pattern: '\\p{Letters}' }), 'schema.properties.a.pattern'],
    [inA({ pattern: '^(?=.*a)b' }), 'schema.properties.a.pattern', 'looks ahead or behind'],
    [inA({ pattern: '(a)\\1' }), 'schema.properties.a.pattern', 'write the part again'],
    [inA({ pattern: '^.{1,5000}$' }), 'schema.properties.a.pattern', 'minLength and maxLength'],
    [{ patternProperties: { '(?!x)': {} } }, 'schema.patternProperties.(?!x)', 'allOf'],
    [inA({ patternProperties: { '(': {} } }), 'schema.properties.a.patternProperties.('],
    [inA({ minLength: '3' }), 'schema.properties.a.minLength'],
    [inA({ minimum: '3' }), 'schema.properties.a.minimum'],
    [inA({ minimum: 3, exclusiveMinimum: true }), 'schema.properties.a.exclusiveMinimum'],
    [inA({ uniqueItems: 1 }), 'schema.properties.a.uniqueItems'],
    [inA({ enum: [] }), 'schema.properties.a.enum'],
    [inA({ anyOf: [] }), 'schema.properties.a.anyOf'],
    [inA({ items: 'string' }), 'schema.properties.a.items'],
    [inA('string'), 'schema.properties.a'],
    [inA({ oneOf: [{}, { nullable: true }] }), 'schema.properties.a.oneOf.1.nullable'],
    [inA({ items: { properties: { b: { id: 'x' } } } }), 'schema.properties.a.items.properties.b.id'],
    [inA({ $ref: 'https://json-schema.org/draft/2020-12/schema' }), 'schema.properties.a.$ref'],
    [inA({ $ref: 'file:///etc/passwd' }), 'schema.properties.a.$ref'],
    [inA({ $ref: '#/$defs/%' }), 'schema.properties.a.$ref'],
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
    [{ $defs: { a: { not: { $ref: '#/$defs/a' } } } }, 'schema.$defs.a', 'comes back'],
    [{ if: { $ref: '#' }, then: {} }, 'schema', 'comes back'],
    [JSON.parse('{"properties":{"__proto__":{}}}'), 'schema.properties.__proto__'],
    [{ required: ['__proto__'] }, 'schema.required', 'rename'],
    [{ dependentRequired: { a: ['__proto__'] } }, 'schema.dependentRequired'],
    [{ required: 'a' }, 'schema.required'],
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
