// Holds an event against the JSON Schema of its route.
import { z } from 'zod';
import type { RowProblem } from '../../contracts/wire/record.ts';
import { guarded, StuckError } from '../../mapping/expression/guarded-regexp.ts';
import { RefusedError } from '../intake.ts';
import { RouteConfigError } from './errors.ts';
import type { JsonObject } from './json.ts';
import { rewriteSchema } from './schema-rewrite.ts';

const MAX_PROBLEMS = 20;
/** Of the faults of one event so many are checked: half a million of them, in 1 MiB, took 2 s. */
const MAX_FAULTS = 500;
/** For one event, where the schema has patterns. Measured: 200,000 texts in 1 MiB take 25 ms with a harmless one. */
const LIMIT_MS = 2000;
const MAX_REASON = 200;

/** @throws RefusedError `SCHEMA` with what is wrong, field by field */
export type CheckSchema = (event: JsonObject) => void;

/**
 * Compiles a JSON Schema (draft-06 to 2020-12). `format` is checked; `default` fills nothing in: the event stays as it came.
 * @throws RouteConfigError for whatever could not be checked, with its place
 */
export function compileSchema(route: string, schema: JsonObject): CheckSchema {
  const { schema: rewritten, names, hasPatterns } = rewriteSchema(route, schema);
  const compiled = convert(route, rewritten);
  const check = (event: JsonObject) => compiled.safeParse(event).error;
  return (event) => {
    const error = hasPatterns ? inTime(() => check(event)) : check(event);
    if (error === undefined) return;
    const faults = error.issues.slice(0, MAX_FAULTS);
    const issues = distinct(faults.flatMap((issue) => toProblems(issue, names)));
    const problems = issues.slice(0, MAX_PROBLEMS);
    const more = issues.length - problems.length + error.issues.length - faults.length;
    if (more > 0) {
      problems.push({ field: 'event', code: 'more', reason: `${more} more fields do not match the schema` });
    }
    const [shown] = problems as [RowProblem];
    const others = issues.length - 1 + error.issues.length - faults.length;
    const rest = others > 0 ? `, and ${others} more` : '';
    const message = `the event does not match the schema of the route: ${shown.field}: ${shown.reason}${rest}`;
    throw new RefusedError('SCHEMA', 422, message, problems);
  };
}

/** A pattern can take years over one text, and holds the process meanwhile. */
function inTime<T>(check: () => T): T {
  try {
    return guarded(LIMIT_MS, check);
  } catch (error) {
    if (!(error instanceof StuckError)) throw error;
    const reason = `a pattern of the schema takes longer than ${LIMIT_MS} ms over it; write patterns without repetitions inside repetitions`;
    throw new RefusedError('SCHEMA', 422, `the event can't be checked: ${reason}`, [
      { field: 'event', code: 'pattern_stuck', reason },
    ]);
  }
}

function convert(route: string, schema: JsonObject): z.ZodType {
  try {
    return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0], { registry: z.registry() });
  } catch (error) {
    const problem = `it can't be converted (${(error as Error).message}); write it in another way`;
    throw new RouteConfigError(route, ['schema'], problem, { cause: error });
  }
}

type Issue = z.core.$ZodIssue;

/** One issue as problems: of a union, those of the form that comes closest. */
function toProblems(
  issue: Issue,
  names: ReadonlySet<string>,
  above: readonly PropertyKey[] = [],
): RowProblem[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'invalid_union') {
    const ways = issue.errors.filter((errors) => !errors.some(isNever));
    const closest = ways.length === 1 ? ways[0] : closestOf(ways);
    if (closest !== undefined) return closest.flatMap((inner) => toProblems(inner, names, path));
  }
  const problem = { field: fieldOf(path, names), code: issue.code, reason: reasonOf(issue) };
  // Names in the event may be personal data, so they go where values go.
  const keys = issue.code === 'unrecognized_keys' ? issue.keys.join(', ').slice(0, MAX_REASON) : undefined;
  return [keys === undefined ? problem : { ...problem, value: keys }];
}

/** The branch whose type is right, when there is just one. */
function closestOf(branches: readonly Issue[][]): Issue[] | undefined {
  const near = branches.filter((issues) => issues.some((issue) => !isMismatch(issue)));
  return near.length === 1 ? near[0] : undefined;
}

/** A way that is no way: see `allOf` where schemas are rewritten. */
function isNever(issue: Issue): boolean {
  return issue.code === 'invalid_type' && issue.expected === 'never' && issue.path.length === 0;
}

function isMismatch(issue: Issue): boolean {
  return issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value');
}

function reasonOf(issue: Issue): string {
  if (issue.code === 'unrecognized_keys')
    return `has ${issue.keys.length === 1 ? 'a field' : `${issue.keys.length} fields`} that the schema does not allow`;
  if (issue.code === 'invalid_type' && issue.message.endsWith('received undefined')) return 'is required';
  if (issue.code !== 'invalid_union') return issue.message.slice(0, MAX_REASON);
  if (issue.errors.length === 0) return 'matches more than one of the forms that exclude each other';
  const types = issue.errors.map(([only, ...others]) =>
    only?.code === 'invalid_type' && only.path.length === 0 && others.length === 0
      ? only.expected
      : undefined,
  );
  if (types.every((type) => type !== undefined)) return `needs one of ${[...new Set(types)].join(', ')}`;
  return `matches none of the ${issue.errors.length} forms that the schema allows`;
}

/** Only what the schema names is said; other names in an event may be personal data. */
function fieldOf(path: readonly PropertyKey[], names: ReadonlySet<string>): string {
  const parts = path.map((part) =>
    typeof part === 'number' || names.has(String(part)) ? String(part) : '*',
  );
  return parts.length === 0 ? 'event' : parts.join('.').slice(0, MAX_REASON);
}

function distinct(problems: readonly RowProblem[]): RowProblem[] {
  return [...new Map(problems.map((problem) => [`${problem.field} ${problem.reason}`, problem])).values()];
}
