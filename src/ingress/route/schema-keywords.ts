// The keywords of JSON Schema that a route's schema may use.

export const TYPES: readonly string[] = ['string', 'number', 'boolean', 'object', 'array', 'null'];

/** What a keyword that is tied to a type takes. */
export const FORMS: Readonly<
  Record<
    string,
    | 'count'
    | 'number'
    | 'flag'
    | 'names'
    | 'format'
    | 'pattern'
    | 'schema'
    | 'items'
    | 'schemas'
    | 'schemaMap'
  >
> = {
  properties: 'schemaMap',
  patternProperties: 'schemaMap',
  additionalProperties: 'schema',
  propertyNames: 'schema',
  required: 'names',
  minProperties: 'count',
  maxProperties: 'count',
  items: 'items',
  prefixItems: 'schemas',
  additionalItems: 'schema',
  contains: 'schema',
  minContains: 'count',
  maxContains: 'count',
  minItems: 'count',
  maxItems: 'count',
  uniqueItems: 'flag',
  /** In UTF-16 units: a character beyond the Basic Multilingual Plane counts as two. */
  minLength: 'count',
  maxLength: 'count',
  pattern: 'pattern',
  format: 'format',
  minimum: 'number',
  maximum: 'number',
  exclusiveMinimum: 'number',
  exclusiveMaximum: 'number',
  multipleOf: 'number',
};

/** Those that zod checks as RFC 3339 and its kin say. `uri` is what the URL class takes. */
export const FORMATS: ReadonlySet<string> = new Set([
  ...['date-time', 'date', 'time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uri', 'uuid'],
]);

/** Keywords that say nothing about what is valid. */
export const SCHEMA_NOTES: ReadonlySet<string> = new Set([
  ...['title', 'description', 'examples', '$comment', 'default', 'deprecated', 'readOnly', 'writeOnly'],
]);
