// Reads the JSON Schema of a route before ajv compiles it. It refuses, with the place, what ajv passes over or meets
// only when an event comes: keywords that check nothing, references out of the schema, and those that never end.
import { PatternError, PatternTime, TestPattern } from '../../../../mapping/pattern/pattern.ts';
import { RouteConfigError } from './errors.ts';
import { isObject, type JsonObject } from './json.ts';

/** The way from the schema's entry in the route to a part of it. */
export type Place = readonly string[];

/** A schema inside the schema. */
export interface Part {
  readonly at: Place;
  readonly schema: unknown;
  /** Parts by keyword. */
  readonly parts: ReadonlyMap<string, readonly Part[]>;
  /** What `$ref` leads to. */
  target?: Part;
}

export interface SchemaReading {
  readonly root: Part;
  /** Every property that it names. Other names in an event may be personal data, so messages leave them out. */
  readonly names: ReadonlySet<string>;
  /** That it uses. */
  readonly keywords: ReadonlySet<string>;
}

/** Formats that are checked, and the longest text that has one. Others would be taken without a check. */
export const FORMATS = {
  'date-time': 100,
  date: 10,
  time: 100,
  duration: 100,
  email: 320,
  hostname: 254,
  ipv4: 15,
  ipv6: 45,
  uri: 65_536,
  uuid: 45,
} as const;

/** Keywords whose value is a schema or a list of schemas. */
const SCHEMAS = new Set([
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'contains',
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
]);
/** Keywords whose value has a schema a name. */
const MAPS = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
  '$defs',
  'definitions',
]);
/** Keywords whose schemas are about the same value, not about a property or an item of it. */
export const SAME_VALUE: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependencies',
]);
/** Keywords that check nothing unless one of those beside them is there. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  if: ['then', 'else'],
  then: ['if'],
  else: ['if'],
  minContains: ['contains'],
  maxContains: ['contains'],
  additionalItems: ['items'],
};
/** Keywords that ajv knows but that check nothing or refer to another schema, with the fix. */
const REFUSED: Readonly<Record<string, string>> = {
  nullable: 'write type: [string, "null"]',
  discriminator: 'write const in each form of oneOf',
  contentEncoding: 'take it out: it checks nothing',
  contentMediaType: 'take it out: it checks nothing',
  contentSchema: 'take it out: it checks nothing',
  id: 'take it out',
  $id: 'take it out; only the root may have one',
  $schema: 'take it out; only the root may have one',
  $anchor: 'refer to the place, as in #/$defs/name',
  $dynamicAnchor: 'refer to the place, as in #/$defs/name',
  $dynamicRef: 'write $ref',
  $recursiveAnchor: 'refer to the place, as in #/$defs/name',
  $recursiveRef: 'write $ref',
  $vocabulary: 'take it out',
};

/**
 * @param schema valid by its meta-schema; keywords that begin with `x-` are taken out of it
 * @param known does this draft have the keyword?
 * @throws RouteConfigError
 */
export function readSchema(
  route: string,
  schema: JsonObject,
  known: (keyword: string) => boolean,
): SchemaReading {
  const names = new Set<string>();
  const keywords = new Set<string>();
  const all = new Map<string, Part>();
  const references: { from: Part; to: string }[] = [];
  const refuse = (at: Place, problem: string, cause?: unknown) =>
    new RouteConfigError(route, at, problem, cause === undefined ? undefined : { cause });

  const addName = (name: string, at: Place) => {
    if (name === '__proto__')
      throw refuse(at, 'ajv passes over a property of this name; rename it at the sender');
    names.add(name);
  };
  const requirePattern = (pattern: string, at: Place) => {
    try {
      void new TestPattern(pattern, new PatternTime(0));
    } catch (error) {
      if (error instanceof PatternError) throw refuse(at, `the pattern ${error.message}`, error);
      if (!(error instanceof SyntaxError)) throw error;
      throw refuse(at, 'the pattern is no regular expression', error);
    }
  };

  function read(value: unknown, at: Place, pointer: string): Part {
    const parts = new Map<string, Part[]>();
    const part: Part = { at, schema: value, parts };
    all.set(pointer, part);
    if (!isObject(value)) return part;
    for (const [keyword, inner] of Object.entries(value)) {
      const place = [...at, keyword];
      keywords.add(keyword);
      if (keyword.startsWith('x-')) delete (value as Record<string, unknown>)[keyword];
      else if (!known(keyword) || Object.hasOwn(REFUSED, keyword))
        throw refuse(place, `the keyword "${keyword}" is not supported; ${wayOut(keyword)}`);
      else if (
        Object.hasOwn(NEEDED, keyword) &&
        !NEEDED[keyword]?.some((other) => Object.hasOwn(value, other))
      )
        throw refuse(
          place,
          `"${keyword}" checks nothing without "${NEEDED[keyword]?.join('" or "')}"; add it`,
        );
      else if (keyword === 'enum' && (inner as unknown[]).length === 0)
        throw refuse(place, '"enum" has no values, so nothing would ever match; list them');
      else if (keyword === '$ref') references.push({ from: part, to: inner as string });
      else if (keyword === 'format') {
        if (!Object.hasOwn(FORMATS, inner as string))
          throw refuse(
            place,
            `the format is none of ${Object.keys(FORMATS).join(', ')}; use one of them, or pattern`,
          );
      } else if (keyword === 'pattern') requirePattern(inner as string, place);
      else if (keyword === 'required') for (const name of inner as string[]) addName(name, place);
      else parts.set(keyword, readParts(keyword, inner, place, `${pointer}/${keyword}`));
    }
    return part;
  }

  function readParts(keyword: string, value: unknown, at: Place, pointer: string): Part[] {
    if (SCHEMAS.has(keyword) && !Array.isArray(value)) return [read(value, at, pointer)];
    const isMap = MAPS.has(keyword) || keyword === 'dependentRequired';
    if (!isMap && !SCHEMAS.has(keyword)) return [];
    return Object.entries(value as object).flatMap(([name, inner]) => {
      const place = [...at, name];
      if (keyword === 'patternProperties') requirePattern(name, place);
      else if (isMap && !keyword.startsWith('$def') && keyword !== 'definitions') addName(name, place);
      if (isMap && Array.isArray(inner)) for (const other of inner as string[]) addName(other, place);
      else return [read(inner, place, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)];
      return [];
    });
  }

  const root = read(schema, ['schema'], '#');
  for (const { from, to } of references) {
    const target = all.get(decodeFragment(to));
    if (target === undefined) {
      const problem = `"$ref" leads nowhere; it can be "#", or lead to a schema inside this one, as in "#/$defs/name"`;
      throw refuse([...from.at, '$ref'], problem);
    }
    from.target = target;
  }
  for (const part of all.values()) {
    if (isCircular(part, part, new Set()))
      throw refuse(part.at, '"$ref" comes back to where it began without a property or item between');
  }
  return { root, names, keywords };
}

/** Does a check of the value come back to `start` before it goes to a part of the value? */
function isCircular(start: Part, part: Part, seen: Set<Part>): boolean {
  const same = [...part.parts].flatMap(([keyword, parts]) => (SAME_VALUE.has(keyword) ? parts : []));
  if (part.target !== undefined) same.push(part.target);
  return same.some((next) => next === start || (!seen.has(next) && isCircular(start, next, seen.add(next))));
}

function decodeFragment(reference: string): string {
  try {
    return decodeURIComponent(reference);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return reference;
  }
}

function wayOut(keyword: string): string {
  return Object.hasOwn(REFUSED, keyword)
    ? (REFUSED[keyword] as string)
    : 'take it out, or begin its name with "x-" if it is a note';
}
