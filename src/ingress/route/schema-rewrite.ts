// Rewrites a JSON Schema into the part of it that zod's converter evaluates as the specification says, and refuses the
// rest. The converter alone passes over much in silence: keywords that it does not know, those beside `enum`, `const` and `$ref`,
// all without a `type`, names in `required` that `properties` lacks, formats it has not heard of.
import { RouteConfigError } from './errors.ts';
import { isObject, type JsonObject, kindOf } from './json.ts';
import { Definitions, type Place, requireSchema, type Schema } from './schema-definitions.ts';
import { FORMATS, FORMS, SCHEMA_NOTES, TYPES } from './schema-keywords.ts';

export interface RewrittenSchema {
  readonly schema: JsonObject;
  /** Every property that it names: what may be said of an event, whose other names may be personal data. */
  readonly names: ReadonlySet<string>;
  /** Does it hold regular expressions, which may take for ever? */
  readonly hasPatterns: boolean;
}

/** @throws RouteConfigError naming the keyword and its place */
export function rewriteSchema(route: string, schema: JsonObject): RewrittenSchema {
  const rewriting = new Rewriting(route, schema);
  return { schema: rewriting.rewriteRoot(), names: rewriting.names, hasPatterns: rewriting.hasPatterns };
}

class Rewriting {
  readonly names = new Set<string>();
  hasPatterns = false;
  readonly #route: string;
  readonly #root: JsonObject;
  readonly #definitions: Definitions;

  constructor(route: string, root: JsonObject) {
    this.#route = route;
    this.#root = root;
    this.#definitions = new Definitions(route, root);
  }

  rewriteRoot(): JsonObject {
    const { $defs: _, definitions: __, $schema, $id: ___, ...root } = this.#root;
    this.#requireDraft($schema);
    if (root.type !== undefined && ![root.type].flat().includes('object')) {
      throw this.#refuse(['schema', 'type'], 'an event is an object, so none would ever match; write object');
    }
    const typed = root.type === undefined && root.$ref === undefined ? { ...root, type: 'object' } : root;
    const rewritten = this.#rewrite(typed, ['schema'], '#');
    const defs = this.#definitions.map(({ schema, at, reference }) => this.#rewrite(schema, at, reference));
    this.#definitions.requireProgress();
    return { allOf: [rewritten], $defs: defs };
  }

  /** @param same the definition whose value this one is about; undefined inside its properties and items */
  #rewrite(schema: Schema, at: Place, same: string | undefined): Schema {
    if (typeof schema === 'boolean') return schema;
    const parts: Schema[] = [];
    const ofType: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(schema)) {
      const place = [...at, keyword];
      if (SCHEMA_NOTES.has(keyword) || keyword.startsWith('x-')) continue;
      if (keyword === 'type') this.#requireTypes(value, place);
      else if (keyword === '$ref') parts.push({ $ref: this.#definitions.resolve(value, place, same) });
      else if (keyword === 'enum' || keyword === 'const')
        parts.push(this.#rewriteValues(keyword, value, place));
      else if (keyword === 'anyOf' || keyword === 'oneOf' || keyword === 'allOf') {
        const list = this.#rewriteList(value, place, same);
        parts.push(keyword === 'allOf' ? allOf(list) : { [keyword]: list });
      } else ofType[keyword] = this.#rewriteKeyword(keyword, value, place);
    }
    const { type } = schema;
    const hasKeywords = Object.keys(ofType).length > 0;
    if (hasKeywords) this.#completeShape(ofType, at);
    const { minItems, maxItems } = ofType;
    if ((ofType.prefixItems ?? Array.isArray(ofType.items)) && (minItems ?? maxItems) !== undefined) {
      // A list that ends before an item that may be anything would count as long enough.
      parts.push({ type: TYPES, items: true, minItems, maxItems });
      delete ofType.minItems;
      delete ofType.maxItems;
    }
    if (type !== undefined || hasKeywords) parts.unshift({ ...ofType, type: type ?? TYPES });
    return parts.length === 0 ? true : allOf(parts);
  }

  #rewriteKeyword(keyword: string, value: unknown, at: Place): unknown {
    const form = Object.hasOwn(FORMS, keyword) ? FORMS[keyword] : undefined;
    switch (form) {
      case undefined:
        throw this.#refuse(at, `the keyword "${keyword}" is not supported; ${wayOut(keyword)}`);
      case 'count':
        if (Number.isSafeInteger(value) && Number(value) >= 0) return value;
        throw this.#refuse(at, `"${keyword}" is no whole number from 0 up`);
      case 'number':
        if (typeof value === 'number' && (keyword !== 'multipleOf' || value > 0)) return value;
        throw this.#refuse(at, `"${keyword}" is no number${keyword === 'multipleOf' ? ' above 0' : ''}`);
      case 'flag':
        if (typeof value === 'boolean') return value;
        throw this.#refuse(at, `"${keyword}" is neither true nor false`);
      case 'names':
        if (!Array.isArray(value)) throw this.#refuse(at, `"${keyword}" is no list of names`);
        for (const name of value) this.#requireName(name, at);
        return value;
      case 'format':
        if (typeof value === 'string' && FORMATS.has(value)) return value;
        throw this.#refuse(
          at,
          `the format is none of ${[...FORMATS].join(', ')}; use one of them, or pattern`,
        );
      case 'pattern':
        this.#requirePattern(value, at);
        return value;
      case 'schema':
        return this.#rewrite(requireSchema(this.#route, value, at), at, undefined);
      case 'items':
        return Array.isArray(value)
          ? this.#rewriteList(value, at, undefined)
          : this.#rewrite(requireSchema(this.#route, value, at), at, undefined);
      case 'schemas':
        return this.#rewriteList(value, at, undefined);
      case 'schemaMap':
        return this.#rewriteMap(keyword, value, at);
    }
  }

  #rewriteList(value: unknown, at: Place, same: string | undefined): Schema[] {
    if (!Array.isArray(value) || value.length === 0) {
      throw this.#refuse(at, `"${at.at(-1)}" is no list with at least one schema`);
    }
    return value.map((schema, index) => {
      const place = [...at, String(index)];
      return this.#rewrite(requireSchema(this.#route, schema, place), place, same);
    });
  }

  #rewriteMap(keyword: string, value: unknown, at: Place): JsonObject {
    if (!isObject(value)) throw this.#refuse(at, `"${keyword}" is ${kindOf(value)}, no object of schemas`);
    const entries = Object.entries(value).map(([name, schema]) => {
      const place = [...at, name];
      if (keyword === 'properties') this.#requireName(name, place);
      else this.#requirePattern(name, place);
      return [name, this.#rewrite(requireSchema(this.#route, schema, place), place, undefined)];
    });
    return Object.fromEntries(entries);
  }

  #rewriteValues(keyword: 'enum' | 'const', value: unknown, at: Place): JsonObject {
    const values: unknown = keyword === 'const' ? [value] : value;
    if (!Array.isArray(values) || values.length === 0) throw this.#refuse(at, '"enum" is no list of values');
    if (values.some((one) => typeof one === 'object' && one !== null)) {
      const problem = `"${keyword}" has an object or a list in it; only texts, numbers, true, false and null can be compared`;
      throw this.#refuse(at, problem);
    }
    return { enum: values };
  }

  /** Adds what the converter would pass over: required names without a schema, and bounds of a list without `items`. */
  #completeShape(ofType: Record<string, unknown>, at: Place): void {
    const {
      required = [],
      properties = {},
      items,
      prefixItems,
      additionalProperties,
      patternProperties,
    } = ofType;
    const others = (required as string[]).filter((name) => !Object.hasOwn(properties as JsonObject, name));
    if (others.length > 0) {
      if (additionalProperties === false) {
        const problem =
          '"required" has a name that "properties" lacks and "additionalProperties" forbids; list it in both';
        throw this.#refuse([...at, 'required'], problem);
      }
      const added = others.map((name) => [name, additionalProperties ?? true]);
      ofType.properties = { ...(properties as JsonObject), ...Object.fromEntries(added) };
    }
    if (patternProperties !== undefined && isObject(additionalProperties)) {
      const problem =
        '"additionalProperties" with a schema does not go with "patternProperties"; write false, or leave it out';
      throw this.#refuse([...at, 'additionalProperties'], problem);
    }
    if (prefixItems !== undefined && Array.isArray(items)) {
      throw this.#refuse(
        [...at, 'items'],
        '"items" is a list beside "prefixItems"; write one schema for the rest',
      );
    }
    if (items === undefined && prefixItems === undefined) ofType.items = true;
  }

  #requireDraft(draft: unknown): void {
    if (
      draft === undefined ||
      (typeof draft === 'string' && /\/(2020-12|2019-09|draft-0[67])\//.test(`${draft}/`.replace('#', '')))
    )
      return;
    throw this.#refuse(
      ['schema', '$schema'],
      '"$schema" is none of draft-06, draft-07, 2019-09 and 2020-12; use one of them',
    );
  }

  #requireTypes(value: unknown, at: Place): void {
    const types = Array.isArray(value) ? value : [value];
    if (types.length > 0 && types.every((type) => TYPES.includes(type) || type === 'integer')) return;
    throw this.#refuse(at, `"type" is none of ${TYPES.join(', ')} and integer, or a list of them`);
  }

  #requireName(name: unknown, at: Place): void {
    if (typeof name !== 'string') throw this.#refuse(at, 'the name of a property is no text');
    if (name in Object.prototype) {
      throw this.#refuse(
        at,
        `"${name}" is a name that every object inherits, so it can't be checked; rename it at the sender`,
      );
    }
    this.names.add(name);
  }

  #requirePattern(value: unknown, at: Place): RegExp {
    this.hasPatterns = true;
    if (typeof value !== 'string' || /\\[pPu]\{/.test(value)) {
      const problem =
        'the pattern is no text, or has \\p{…} or \\u{…} in it, which are not supported; list the characters';
      throw this.#refuse(at, problem);
    }
    try {
      return new RegExp(value);
    } catch (error) {
      throw this.#refuse(at, 'the pattern is no regular expression', error);
    }
  }

  #refuse(at: Place, problem: string, cause?: unknown): RouteConfigError {
    return new RouteConfigError(this.#route, at, problem, cause === undefined ? undefined : { cause });
  }
}

/**
 * Zod's intersection forgives names that only one side forbids (`additionalProperties: false`, `propertyNames`), where JSON Schema
 * does not. What comes out of an exclusive union is not forgiven, so each part is put into one that has no other way.
 */
function allOf(parts: readonly Schema[]): Schema {
  const [only, ...others] = parts;
  return only !== undefined && others.length === 0
    ? only
    : { allOf: parts.map((part) => ({ oneOf: [part, false] })) };
}

function wayOut(keyword: string): string {
  if (keyword === 'nullable') return 'write type: [string, "null"]';
  if (
    ['if', 'then', 'else', 'not', 'dependentRequired', 'dependentSchemas', 'dependencies'].includes(keyword)
  ) {
    return 'say it with oneOf or anyOf, or leave it to the mapping';
  }
  return 'take it out, or begin its name with "x-" if it is a note';
}
