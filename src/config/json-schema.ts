// The JSON Schema of sluice.yaml, for editors, and to find the keys that are allowed at a place.
import { z } from 'zod';
import { child } from '../core/config/raw.ts';
import { MappingConfig } from '../mapping/config.ts';
import { Config } from './schema/config.ts';

/** The part of JSON Schema that `z.toJSONSchema` writes for these shapes, and that this file reads back. */
export interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly const?: unknown;
}

/** JSON Schema (draft 2020-12) of the configuration file as people write it: keys with a default are optional. */
export function configJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(Config, { target: 'draft-2020-12', io: 'input' });
  return { title: 'sluice.yaml', ...schema };
}

/** The JSON Schema of a `preset` file: one mapping. */
export function presetJsonSchema(): Record<string, unknown> {
  return { title: 'mapping', ...z.toJSONSchema(MappingConfig, { target: 'draft-2020-12', io: 'input' }) };
}

/**
 * The keys allowed in the object at `path` of `value`. Of several shapes, only those that match its literals
 * (`type: csv`) count.
 */
export function knownKeys(schema: JsonSchema, value: unknown, path: readonly PropertyKey[]): string[] {
  let candidates = alternatives(schema, value);
  let current = value;
  for (const part of path) {
    current = child(current, part);
    candidates = candidates.flatMap((one) => {
      const next = typeof part === 'number' ? one.items : (own(one, part) ?? one.additionalProperties);
      return typeof next === 'object' ? alternatives(next, current) : [];
    });
  }
  return [...new Set(candidates.flatMap((one) => Object.keys(one.properties ?? {})))];
}

function own(schema: JsonSchema, part: PropertyKey): JsonSchema | undefined {
  return child(schema.properties, part) as JsonSchema | undefined;
}

function alternatives(schema: JsonSchema, value: unknown): JsonSchema[] {
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches === undefined) return [schema];
  return branches.flatMap((one) => alternatives(one, value)).filter((one) => literalsFit(one, value));
}

function literalsFit(schema: JsonSchema, value: unknown): boolean {
  return Object.entries(schema.properties ?? {}).every(
    ([key, property]) => property.const === undefined || property.const === child(value, key),
  );
}
