// Builds JSON Schemas of what senders send: the route's own schema moved into the document, and the CloudEvents forms
// around it.

export type Schema = Readonly<Record<string, unknown>>;

export const refTo = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** Values of these keywords are data, so a `$ref` inside is not a reference. */
const DATA = new Set(['const', 'enum', 'default', 'examples', 'example']);

/**
 * Returns the schema as a component of the document, with its references adjusted. A schema with an `$id` is a resource
 * of its own and stays unchanged.
 */
export function embed(schema: Schema, name: string): Schema {
  if (typeof schema.$id === 'string') return schema;
  const move = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(move);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => {
        if (key === '$ref' && typeof inner === 'string' && /^#(?:\/|$)/.test(inner)) {
          return [key, `#/components/schemas/${name}${inner.slice(1)}`];
        }
        return [key, DATA.has(key) ? inner : move(inner)];
      }),
    );
  };
  const { $schema: _dialect, ...moved } = move(schema) as Record<string, unknown>;
  return moved;
}

/** Returns CloudEvents 1.0 in structured form, with the event as its `data`. */
export function cloudEvent(data: Schema): Schema {
  const text = { type: 'string', minLength: 1 };
  return {
    type: 'object',
    required: ['specversion', 'id', 'source', 'type', 'data'],
    properties: {
      specversion: { const: '1.0' },
      id: {
        ...text,
        description: 'Together with source, identifies the event if it has no idempotency key',
      },
      source: text,
      type: text,
      subject: text,
      time: { type: 'string', format: 'date-time' },
      datacontenttype: text,
      dataschema: text,
      data,
    },
  };
}
