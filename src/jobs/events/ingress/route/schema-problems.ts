// From the errors of ajv to what is said of an event: fields and reasons, without values and without names that the
// schema does not have.
import type { ErrorObject } from 'ajv';
import type { RowProblem } from '../../../../core/record.ts';
import type { JsonObject } from './json.ts';
import { type Part, SAME_VALUE, type SchemaReading } from './schema-reading.ts';

const MAX_REASON = 200;

/** An error, or what is left of those of a union. */
interface Fault {
  readonly error: ErrorObject;
  readonly problem: RowProblem;
}

/** `errors` come from ajv with `allErrors` and `verbose`. */
export type DescribeErrors = (event: JsonObject, errors: readonly ErrorObject[]) => RowProblem[];

export function describeErrors({ root, names }: SchemaReading): DescribeErrors {
  const bySchema = new Map<unknown, Part>();
  for (const part of allParts(root)) bySchema.set(part.schema, part);

  return (event, errors) => {
    const faults: Fault[] = [];
    for (const error of errors) {
      const { keyword, instancePath } = error;
      // Those about the name of a property come before the error of `propertyNames`, those of `then` before that of
      // `if`.
      if (error.propertyName !== undefined || keyword === 'if') continue;
      if (keyword === 'oneOf' || keyword === 'anyOf' || keyword === 'contains') {
        const forms = bySchema.get(error.parentSchema)?.parts.get(keyword) ?? [];
        let from = faults.length;
        while (from > 0 && forms.some((form) => isOfForm(form, error, faults[from - 1] as Fault))) from -= 1;
        const inner = faults.splice(from);
        const groups = forms.map((form) => inner.filter((fault) => isOfForm(form, error, fault)));
        const summary = { error, problem: toProblem(error, event, reasonOf(error, groups)) };
        faults.push(...(closestOf(error, groups) ?? [summary]));
        continue;
      }
      const name = unknownName(error);
      const last = faults.at(-1);
      if (name !== undefined && last?.error.keyword === keyword && last.error.instancePath === instancePath) {
        faults[faults.length - 1] = { error, problem: withName(last.problem, name) };
      } else {
        const problem = toProblem(error, event, reasonOf(error, []));
        // Names in the event may be personal data, so they go where values go.
        faults.push({
          error,
          problem: name === undefined ? problem : { ...problem, value: name.slice(0, MAX_REASON) },
        });
      }
    }
    return faults.map(({ problem }) => problem);
  };

  function toProblem(error: ErrorObject, event: JsonObject, reason: string): RowProblem {
    const { keyword, instancePath, params } = error;
    const missing = (params as { missingProperty?: string }).missingProperty;
    let value: unknown = event;
    const shown = namesOf(instancePath).map((name) => {
      const isItem = Array.isArray(value);
      value = (value as JsonObject | undefined)?.[name];
      return isItem || names.has(name) ? name : '*';
    });
    if (missing !== undefined) shown.push(missing);
    const field = shown.length === 0 ? 'event' : shown.join('.').slice(0, MAX_REASON);
    return { field, code: keyword, reason: reason.slice(0, MAX_REASON) };
  }
}

function allParts(part: Part): Part[] {
  return [part, ...[...part.parts.values()].flat().flatMap(allParts)];
}

/** Does the fault come from a check of the union's value by this form? Those of `contains` check an item each. */
function isOfForm(form: Part, union: ErrorObject, { error }: Fault): boolean {
  if (!error.instancePath.startsWith(union.instancePath)) return false;
  const below = namesOf(error.instancePath.slice(union.instancePath.length));
  return comesTo(form, union.keyword === 'contains' ? below.slice(1) : below, error.parentSchema);
}

/** Does a check by `part` come to the schema `end`, at the value that `path` leads to? */
function comesTo(part: Part, path: readonly string[], end: unknown, seen = new Set<Part>()): boolean {
  if (path.length === 0 && part.schema === end) return true;
  if (seen.has(part)) return false;
  seen.add(part);
  if (part.target !== undefined && comesTo(part.target, path, end, seen)) return true;
  const [name, ...rest] = path;
  return [...part.parts].some(([keyword, parts]) => {
    if (keyword === '$defs' || keyword === 'definitions') return false;
    if (SAME_VALUE.has(keyword)) return parts.some((inner) => comesTo(inner, path, end, seen));
    if (name === undefined) return false;
    return parts.some(
      (inner) => (keyword !== 'properties' || inner.at.at(-1) === name) && comesTo(inner, rest, end),
    );
  });
}

/** Of a JSON pointer. */
export function namesOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The faults of the one form whose type is right; undefined when none or several are. */
function closestOf(union: ErrorObject, groups: readonly Fault[][]): Fault[] | undefined {
  if (union.keyword === 'contains' || union.params['passingSchemas'] != null) return undefined;
  if (groups.length === 1) return groups[0];
  const near = groups.filter((faults) => faults.some(({ error }) => !isMismatch(error, union)));
  return near.length === 1 ? near[0] : undefined;
}

function isMismatch({ keyword, instancePath }: ErrorObject, union: ErrorObject): boolean {
  return instancePath === union.instancePath && ['type', 'enum', 'const', 'false schema'].includes(keyword);
}

function unknownName({ keyword, params }: ErrorObject): string | undefined {
  if (keyword === 'additionalProperties') return params['additionalProperty'] as string;
  if (keyword === 'unevaluatedProperties') return params['unevaluatedProperty'] as string;
  return keyword === 'propertyNames' ? (params['propertyName'] as string) : undefined;
}

function withName(problem: RowProblem, name: string): RowProblem {
  const count = Number(/^has (\d+) fields/.exec(problem.reason)?.[1] ?? 1) + 1;
  return {
    ...problem,
    reason: `has ${count} fields that the schema does not allow`,
    value: `${String(problem.value)}, ${name}`.slice(0, MAX_REASON),
  };
}

function reasonOf(error: ErrorObject, forms: readonly Fault[][]): string {
  const { keyword, params, message = 'does not match the schema' } = error;
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'type':
      return `must be ${[params['type']].flat().join(', ')}`;
    case 'enum':
      return `must be one of ${(params['allowedValues'] as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`;
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`;
    case 'false schema':
      return 'is not allowed here';
    case 'not':
      return 'matches a form that the schema forbids';
    case 'additionalProperties':
    case 'unevaluatedProperties':
    case 'propertyNames':
      return 'has a field that the schema does not allow';
    case 'oneOf':
    case 'anyOf': {
      if (params['passingSchemas'] != null)
        return 'matches more than one of the forms that exclude each other';
      const types = forms.map(([only, ...others]) =>
        only?.error.keyword === 'type' &&
        only.error.instancePath === error.instancePath &&
        others.length === 0
          ? [only.error.params['type']].flat().join(', ')
          : undefined,
      );
      return types.every((type) => type !== undefined)
        ? `needs one of ${[...new Set(types)].join(', ')}`
        : `matches none of the ${forms.length} forms that the schema allows`;
    }
    default:
      return message;
  }
}
