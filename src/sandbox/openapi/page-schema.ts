// Reads the document's schemas for the page: rows of fields, short names of types, a curl line.
import type { OpenApiDocument } from './document.ts';
import type { Json } from './json-schema.ts';

export interface Field {
  readonly name: string;
  readonly depth: number;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
}

export class Resolver {
  readonly #document: OpenApiDocument;
  constructor(document: OpenApiDocument) {
    this.#document = document;
  }

  /** What a reference points at; anything else as it is. */
  resolve(node: Json): Json {
    const reference = node['$ref'];
    if (typeof reference !== 'string') return node;
    return reference
      .slice(2)
      .split('/')
      .reduce<unknown>((at, part) => (at as Json)[part], this.#document) as Json;
  }
}

const nameOf = (node: Json) => (node['$ref'] as string | undefined)?.split('/').at(-1);

/** `integer`, `Tag[]`, `open | won | lost`, `Named or null`. */
export function typeOf(schema: Json): string {
  const reference = nameOf(schema);
  if (reference !== undefined) return reference;
  if ('const' in schema) return JSON.stringify(schema['const']);
  if (Array.isArray(schema['enum'])) return schema['enum'].map(String).join(' | ');
  if (schema['not'] !== undefined) return 'refused';
  const choices = (schema['anyOf'] ?? []) as Json[];
  const isObject = schema['type'] === 'object';
  if (choices.length > 0 && !isObject) return [...new Set(choices.map(typeOf))].join(' or ');
  if (schema['type'] === 'array') return `${typeOf((schema['items'] ?? {}) as Json)}[]`;
  if (schema['format'] === 'binary') return 'file';
  const types = schema['type'] === undefined ? ['any'] : [schema['type']].flat();
  return types.join(' or ');
}

/** All fields of an object, those of nested objects and named schemas under them; a named schema opens once a branch. */
export function fieldsOf(schema: Json, resolver: Resolver, depth = 0): Field[] {
  const object = objectIn(schema, resolver);
  if (object === undefined || depth > 3) return [];
  const required = new Set((object['required'] ?? []) as string[]);
  return Object.entries(object['properties'] as { [name: string]: Json }).flatMap(([name, property]) => [
    {
      name,
      depth,
      type: typeOf(property),
      isRequired: required.has(name),
      description: [describe(property, resolver), limitsOf(property)].filter(Boolean).join(' '),
    },
    ...fieldsOf(property, resolver, depth + 1),
  ]);
}

/** The words of a schema, else those of what it wraps. */
function describe(schema: Json, resolver: Resolver): string {
  const choices = (schema['anyOf'] ?? []) as Json[];
  const own = schema['description'] ?? choices.map((choice) => choice['description']).find(Boolean);
  return String(own ?? (schema['$ref'] === undefined ? '' : (resolver.resolve(schema)['description'] ?? '')));
}

/** The object that a value of this schema is, is a list of, or may be. */
function objectIn(schema: Json, resolver: Resolver): Json | undefined {
  const known = resolver.resolve(schema);
  if (known['properties'] !== undefined) return known;
  if (known['items'] !== undefined) return objectIn(known['items'] as Json, resolver);
  const choices = (known['anyOf'] ?? []) as Json[];
  return choices.map((choice) => objectIn(choice, resolver)).find((found) => found !== undefined);
}

/** Default and bounds in words. */
export function limitsOf(schema: Json): string {
  const { default: standard, minimum } = schema;
  const parts = [
    ...(standard === undefined ? [] : [`Default ${String(standard)}.`]),
    ...(typeof minimum === 'number' && minimum > 1 ? [`At least ${minimum}.`] : []),
  ];
  return parts.join(' ');
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** A call that can be pasted into a shell once BASE_URL and TOKEN are set. */
export function curlOf(method: string, path: string, operation: Json): string {
  const parameters = (operation['parameters'] ?? []) as Json[];
  const inPath = new Map(
    parameters.filter((each) => each['in'] === 'path').map((each) => [each['name'], each['example']]),
  );
  const target = path.replace(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(String(inPath.get(name) ?? 1)),
  );
  const body = operation['requestBody'] as
    | { content: { 'application/json': { example?: unknown } } }
    | undefined;
  const lines = [
    `curl${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} "$BASE_URL${target}"`,
    ...((operation['security'] as unknown[]).length === 0 ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...(body === undefined
      ? []
      : [
          `-H 'Content-Type: application/json'`,
          `-d ${quoted(JSON.stringify(body.content['application/json'].example))}`,
        ]),
  ];
  return lines.join(' \\\n  ');
}
