// Converts zod schemas to the JSON Schemas of an OpenAPI 3.1 document. Named schemas move to the components. Examples
// are built from those of the fields.
import { z } from 'zod';

export type Json = { [key: string]: unknown };

const COMPONENTS = '#/components/schemas/';

/** Collects the named schemas of one document. */
export class Components {
  readonly schemas: Json = {};
  readonly responses: Json = {};

  /** @param io `input` for requests, `output` for answers */
  schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
    const { $schema: _dialect, $defs, ...rest } = z.toJSONSchema(schema, { io }) as Json;
    for (const [name, definition] of Object.entries(($defs ?? {}) as Json)) {
      this.schemas[name] ??= clean(definition);
    }
    return clean(rest) as Json;
  }

  /**
   * Returns a reference to the named response, or the response itself if it has no name or differs from the named one.
   */
  shared(name: string | undefined, response: Json): Json {
    if (name === undefined) return response;
    const known = (this.responses[name] ??= response);
    return JSON.stringify(known) === JSON.stringify(response)
      ? { $ref: `#/components/responses/${name}` }
      : response;
  }

  /** Builds an example from the examples of the fields. It omits optional fields without one. */
  exampleOf(schema: Json): unknown {
    const {
      $ref,
      examples,
      default: standard,
      enum: values,
      anyOf,
      properties,
      items,
    } = schema as {
      $ref?: string;
      examples?: unknown[];
      default?: unknown;
      enum?: unknown[];
      anyOf?: Json[];
      properties?: Json;
      items?: Json;
    };
    if (examples !== undefined) return examples[0];
    if ($ref !== undefined) return this.exampleOf(this.schemas[$ref.slice(COMPONENTS.length)] as Json);
    if ('const' in schema) return schema['const'];
    if (standard !== undefined) return standard;
    if (values !== undefined) return values[0];
    if (properties !== undefined) return this.#exampleOfObject(schema, properties);
    if (anyOf !== undefined) return this.exampleOf(anyOf[0] as Json);
    const type = Array.isArray(schema['type']) ? schema['type'].at(-1) : schema['type'];
    if (type === 'array') return items === undefined ? [] : [this.exampleOf(items)];
    return { boolean: true, string: 'text', integer: 1, number: 1, object: {} }[type as string] ?? null;
  }

  #exampleOfObject(schema: Json, properties: Json): Json {
    const required = new Set((schema['required'] ?? []) as string[]);
    const shown = Object.entries(properties as { [name: string]: Json }).filter(
      ([name, property]) => required.has(name) || hasExample(property),
    );
    return Object.fromEntries(shown.map(([name, property]) => [name, this.exampleOf(property)]));
  }
}

const hasExample = (schema: Json): boolean =>
  schema['examples'] !== undefined || ((schema['anyOf'] ?? []) as Json[]).some(hasExample);

/** Redirects references to the components, and removes the limits of safe integers. */
function clean(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(
    ([key, item]) => !(/^(maximum|minimum)$/.test(key) && Math.abs(Number(item)) === Number.MAX_SAFE_INTEGER),
  );
  return Object.fromEntries(
    entries.map(([key, item]) => [
      key,
      key === '$ref' ? String(item).replace('#/$defs/', COMPONENTS) : key === 'examples' ? item : clean(item),
    ]),
  );
}
