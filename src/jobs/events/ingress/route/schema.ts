// Checks an event against the JSON Schema of its route.
import { Ajv, type Format, type Options, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { RowProblem } from '../../../../core/record.ts';
import { PatternLimitError, PatternTime, TestPattern } from '../../../../mapping/pattern/pattern.ts';
import { RefusedError } from '../intake.ts';
import { RouteConfigError } from './errors.ts';
import type { JsonObject } from './json.ts';
import { replaceKeywords } from './schema-keywords.ts';
import { describeErrors, namesOf } from './schema-problems.ts';
import { FORMATS, readSchema } from './schema-reading.ts';
import { inTime, StuckError } from './time-limit.ts';

const MAX_PROBLEMS = 20;
/** Errors of one event that are read: one of 1 MiB can have half a million. */
const MAX_ERRORS = 2000;
/** All patterns for one event. */
const PATTERNS_MS = 500;
/** A schema with `$ref`, for one event: it can check the same value in very many ways. The limit costs 25 to 100 µs. */
const REFERENCES_MS = 2000;

const OPTIONS: Options = {
  allErrors: true,
  verbose: true,
  // Refuses what would be ignored: unknown keywords, `then` without `if`.
  strictSchema: true,
  strictTypes: false,
  strictTuples: false,
  allowMatchingProperties: true,
  // Done before, with the place of what is wrong.
  validateSchema: false,
  // A property that every object inherits is none of the event.
  ownProperties: true,
  multipleOfPrecision: 9,
  formats: Object.fromEntries(
    Object.keys(FORMATS).map((name) => [name, shortFormat(name as keyof typeof FORMATS)]),
  ),
  logger: false,
};

/** @throws RefusedError `SCHEMA` with what is wrong, field by field */
export type CheckSchema = (event: JsonObject) => void;

/**
 * Compiles a JSON Schema (draft-06 to 2020-12). `format` is checked; `default` fills nothing in: the event stays as
 * it came.
 * @throws RouteConfigError for whatever could not be checked, with its place
 */
export function compileSchema(route: string, given: JsonObject): CheckSchema {
  // A copy of its own: a part that a YAML alias repeats could not be distinguished otherwise.
  const { $schema, $id: _, ...schema } = JSON.parse(JSON.stringify(given)) as Record<string, unknown>;
  const draft = draftOf(route, $schema);
  schema.type ??= 'object';
  if (![schema.type].flat().includes('object')) {
    throw new RouteConfigError(
      route,
      ['schema', 'type'],
      'an event is an object, so none would ever match; write object',
    );
  }
  requireValid(route, draft, schema);
  // An instance keeps whatever it has compiled, so each schema has one of its own.
  const time = new PatternTime(PATTERNS_MS);
  const regExp = (pattern: string) => new TestPattern(pattern, time);
  const ajv = openAjv(draft, { meta: false, code: { regExp: Object.assign(regExp, { code: 'pattern' }) } });
  replaceKeywords(ajv);
  const reading = readSchema(route, schema, (keyword) => Object.hasOwn(ajv.RULES.keywords, keyword));
  const validate = compile(route, ajv, schema);
  const describe = describeErrors(reading);
  const hasReferences = reading.keywords.has('$ref');
  return (event) => {
    time.restart();
    if (limited(() => (hasReferences ? inTime(REFERENCES_MS, () => validate(event)) : validate(event))))
      return;
    const errors = validate.errors ?? [];
    validate.errors = null;
    const issues = distinct(describe(event, errors.slice(0, MAX_ERRORS)));
    const unread = Math.max(0, errors.length - MAX_ERRORS);
    const problems = issues.slice(0, MAX_PROBLEMS);
    const more = issues.length - problems.length + unread;
    if (more > 0) {
      problems.push({ field: 'event', code: 'more', reason: `${more} more fields do not match the schema` });
    }
    const [shown] = problems as [RowProblem];
    const others = issues.length - 1 + unread;
    const rest = others > 0 ? `, and ${others} more` : '';
    const message = `${shown.field}: ${shown.reason}${rest}`;
    throw new RefusedError('SCHEMA', 422, message, problems);
  };
}

type Draft = '2020-12' | '2019-09' | 'draft-07' | 'draft-06';

/** Draft-06 is read as draft-07, which adds `if` to it. A schema that names no draft is one of 2020-12. */
function draftOf(route: string, draft: unknown = '/2020-12/'): Draft {
  const name = /\/(2020-12|2019-09|draft-0[67])\//.exec(`${String(draft)}/`.replace('#', ''))?.[1];
  if (name !== undefined) return name as Draft;
  const problem = '"$schema" is none of draft-06, draft-07, 2019-09 and 2020-12; use one of them';
  throw new RouteConfigError(route, ['schema', '$schema'], problem);
}

function openAjv(draft: Draft, options: Options): Ajv {
  const all = { ...OPTIONS, ...options };
  if (draft === '2020-12') return new Ajv2020(all);
  return draft === '2019-09' ? new Ajv2019(all) : new Ajv(all);
}

/** One for each draft, made at its first schema: to compile a meta-schema takes 30 ms. It compiles nothing else. */
const metaSchemas = new Map<Draft, Ajv>();

function metaSchemaOf(draft: Draft): Ajv {
  const known = metaSchemas.get(draft);
  if (known !== undefined) return known;
  const ajv = openAjv(draft, {});
  metaSchemas.set(draft, ajv);
  return ajv;
}

/** By the meta-schema of the draft. */
function requireValid(route: string, draft: Draft, schema: JsonObject): void {
  const ajv = metaSchemaOf(draft);
  if (ajv.validateSchema(schema) === true) return;
  const [error] = ajv.errors ?? [];
  const place = namesOf(error?.instancePath ?? '');
  const values = error?.params['allowedValues'] as string[] | undefined;
  const problem = `"${place.at(-1) ?? 'schema'}" ${error?.message ?? 'is no schema'}${values === undefined ? '' : ` ${values.join(', ')}`}`;
  const isTuple = place.at(-1) === 'items' && draft === '2020-12';
  const wayOut = isTuple
    ? '; a list of schemas is called prefixItems, or name an older draft in $schema'
    : '';
  throw new RouteConfigError(route, ['schema', ...place], `${problem}${wayOut}`);
}

function compile(route: string, ajv: Ajv, schema: JsonObject): ValidateFunction {
  try {
    return ajv.compile(schema);
  } catch (error) {
    const problem = `it can't be compiled (${(error as Error).message}); write it in another way`;
    throw new RouteConfigError(route, ['schema'], problem, { cause: error });
  }
}

/** @throws RefusedError for an event that takes too long to check */
function limited<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof PatternLimitError)
      throw tooSlow(`${error.message}; shorten the texts, or write patterns with smaller numbers in {…}`);
    if (error instanceof StuckError)
      throw tooSlow(`the schema takes longer than ${error.limitMs} ms over it; write fewer $ref in anyOf`);
    throw error;
  }
}

function tooSlow(reason: string): RefusedError {
  const problem: RowProblem = { field: 'event', code: 'pattern_stuck', reason };
  return new RefusedError('SCHEMA', 422, `the event can't be checked: ${reason}`, [problem]);
}

/** The regular expressions of ajv-formats take a time that grows with the square of the length. */
function shortFormat(name: keyof typeof FORMATS): (text: string) => boolean {
  const format = fullFormats[name];
  const longest = FORMATS[name];
  const check = checkOf(format);
  return (text) => text.length <= longest && check(text);
}

function checkOf(format: Format): (text: string) => boolean {
  if (format instanceof RegExp) return (text) => format.test(text);
  const validate = typeof format === 'function' ? format : (format as { validate: Format }).validate;
  if (validate instanceof RegExp) return (text) => validate.test(text);
  return validate as (text: string) => boolean;
}

function distinct(problems: readonly RowProblem[]): RowProblem[] {
  return [...new Map(problems.map((problem) => [`${problem.field} ${problem.reason}`, problem])).values()];
}
