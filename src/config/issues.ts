// Translates zod's issues into messages for people who write YAML.
import type { z } from 'zod';
import { DURATION } from '../core/config/base.ts';
import type { ProblemNote } from '../core/config/errors.ts';
import { child } from '../core/config/raw.ts';
import { nearest } from '../core/suggest.ts';
import { type JsonSchema, knownKeys } from './json-schema.ts';

type Issue = z.core.$ZodIssue;

export interface DescribedIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly hint?: string;
  readonly note?: ProblemNote;
}

/**
 * Returns one entry per problem to correct. `value` is the validated value, because zod leaves it out of its issues.
 * A found text is quoted only where one of a fixed list was expected: elsewhere it could be a secret.
 */
export function describeIssues(
  issues: readonly Issue[],
  value: unknown,
  schema: JsonSchema,
): DescribedIssue[] {
  const place = (issue: Issue) => issue.path.join('\0');
  const wrongKind = new Set(issues.filter(({ code }) => code === 'invalid_type').map(place));
  return (
    issues
      // zod reports the length of a text too where a list was expected.
      .filter((issue) => !issue.code.startsWith('too_') || !wrongKind.has(place(issue)))
      .flatMap((issue) => describe(issue, value, schema))
  );
}

function describe(issue: Issue, value: unknown, schema: JsonSchema): DescribedIssue[] {
  const { path } = issue;
  const found = path.reduce(child, value);
  const missing = found === undefined ? 'is missing; ' : '';
  switch (issue.code) {
    case 'invalid_type': {
      const expected = `expected ${kindName(issue.expected)}`;
      const message = found === undefined ? missing + expected : `${expected}, found ${kindOf(found)}`;
      const kind = KINDS[issue.expected]?.[1];
      return [kind === undefined ? { path, message } : { path, message, note: valueNote(found, kind) }];
    }
    case 'invalid_value':
      return [oneOf(path, issue.values.map(String), found)];
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownKey([...path, key], key, knownKeys(schema, value, path)));
    case 'invalid_key':
      return [
        { path, message: `this name can't be used: ${issue.issues.map((one) => one.message).join('; ')}` },
      ];
    case 'invalid_union':
      if (issue.errors.length === 0) return [oneOf(path, literals(issue), found)];
      return describeUnion(issue, value, schema);
    case 'invalid_format':
      if (issue.format === 'url') {
        return [{ path, message: 'is not a web address', hint: 'write https://… or http://…' }];
      }
      if (issue.format === 'regex' && issue.pattern === String(DURATION))
        return [{ path, message: issue.message, note: note('CONFIG_DURATION') }];
      return [{ path, message: issue.message }];
    case 'too_small':
      return [{ path, message: tooSmall(issue, found), note: smallNote(issue) }];
    case 'too_big': {
      const message = tooBig(issue, found);
      if (issue.origin === 'string' || issue.origin === 'array') return [{ path, message }];
      return [{ path, message, note: note('CONFIG_HIGH', { maximum: Number(issue.maximum) }) }];
    }
    default:
      return [{ path, message: issue.message }];
  }
}

function unknownKey(path: readonly PropertyKey[], key: string, known: readonly string[]): DescribedIssue {
  if (known.includes(key))
    return { path, message: 'conflicts with the other keys here', hint: 'keep either it or them' };
  const near = nearest(key, known);
  const list = known.length === 0 ? undefined : `known here: ${known.join(', ')}`;
  const hint = near === undefined ? list : `did you mean "${near}"?`;
  return {
    path,
    message: 'unknown key',
    hint,
    note: note('CONFIG_UNKNOWN_KEY', { key }),
  };
}

function oneOf(path: readonly PropertyKey[], values: readonly string[], found: unknown): DescribedIssue {
  const wanted = `expected ${either(values.map((value) => JSON.stringify(value)))}`;
  const own = valueNote(found, 'oneOf', { values });
  if (found === undefined) return { path, message: `is missing; ${wanted}`, note: own };
  const near = typeof found === 'string' && values.length > 1 ? nearest(found, values) : undefined;
  const message = `${wanted}, found ${shown(found)}`;
  return { path, message, ...(near === undefined ? {} : { hint: `did you mean "${near}"?` }), note: own };
}

function literals(issue: Issue): string[] {
  return 'options' in issue && Array.isArray(issue.options) ? issue.options.map(String) : [];
}

/**
 * Of the shapes that a value could have, describes the nearest one: the one with the fewest issues among those of the
 * right kind. Each unknown key counts as one issue. If no shape has the right kind, the message names all kinds.
 */
function describeUnion(
  issue: Extract<Issue, { code: 'invalid_union' }>,
  value: unknown,
  schema: JsonSchema,
): DescribedIssue[] {
  const { path } = issue;
  const branches = issue.errors.map((errors) => ({
    errors,
    kind: errors.find((one) => one.code === 'invalid_type' && one.path.length === 0),
  }));
  const fitting = branches.filter(({ kind }) => kind === undefined);
  if (fitting.length === 0) {
    const kinds = branches.map(({ kind }) =>
      kind?.code === 'invalid_type' ? kindName(kind.expected) : 'something else',
    );
    const found = path.reduce(child, value);
    const wanted = `expected ${either([...new Set(kinds)])}`;
    if (found !== undefined) return [{ path, message: `${wanted}, found ${kindOf(found)}` }];
    return [{ path, message: `is missing; ${wanted}`, note: note('CONFIG_VALUE', { which: ['missing'] }) }];
  }
  const weighed = fitting.map(({ errors }) => ({
    errors,
    weight: errors.reduce((sum, one) => sum + weight(one), 0),
  }));
  const best = weighed.reduce((a, b) => (b.weight < a.weight ? b : a));
  const absolute = best.errors.map((one) => ({ ...one, path: [...path, ...one.path] }) as Issue);
  return describeIssues(absolute, value, schema);
}

function weight(issue: Issue): number {
  return issue.code === 'unrecognized_keys' ? issue.keys.length : 1;
}

function tooSmall(issue: Extract<Issue, { code: 'too_small' }>, found: unknown): string {
  const { origin, minimum } = issue;
  if (origin === 'string') return 'must not be empty';
  if (origin === 'array') return `needs at least ${minimum === 1 ? 'one entry' : `${minimum} entries`}`;
  return `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${minimum}, found ${shown(found)}`;
}

/** A message gives only the length of texts and lists: they could be secrets. */
function tooBig({ origin, maximum }: Extract<Issue, { code: 'too_big' }>, found: unknown): string {
  if (origin === 'string') return `must have at most ${maximum} characters`;
  if (origin === 'array') return `must have at most ${maximum} entries`;
  return `must be at most ${maximum}, found ${shown(found)}`;
}

/** Kinds of values: in words, and as a note names them, which has a sentence in every language. */
const KINDS: Readonly<Record<string, readonly [name: string, noted: string]>> = {
  string: ['text', 'text'],
  number: ['a number', 'number'],
  int: ['a whole number', 'int'],
  boolean: ['true or false', 'boolean'],
  array: ['a list', 'list'],
  object: ['keys with values', 'keys'],
  record: ['keys with values', 'keys'],
};

function note(code: string, params: ProblemNote['params'] = {}): ProblemNote {
  return { code, params };
}

/** What is missing, and what is something else than it must be. */
function valueNote(found: unknown, kind: string, params: ProblemNote['params'] = {}): ProblemNote {
  return note('CONFIG_VALUE', { ...params, which: found === undefined ? ['missing', kind] : [kind] });
}

function smallNote({ origin, minimum, inclusive }: Extract<Issue, { code: 'too_small' }>): ProblemNote {
  if (origin === 'string') return note('CONFIG_EMPTY');
  if (origin === 'array') return note('CONFIG_FEW', { minimum: Number(minimum) });
  return note('CONFIG_LOW', { minimum: Number(minimum), which: [inclusive === false ? 'above' : 'from'] });
}

function kindName(expected: string): string {
  return KINDS[expected]?.[0] ?? expected;
}

function kindOf(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number' && !Number.isInteger(value)) return 'a fraction';
  return KINDS[typeof value]?.[0] ?? typeof value;
}

function shown(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return value.length <= 40 ? JSON.stringify(value) : 'a long text';
  return kindOf(value);
}

function either(items: readonly string[]): string {
  if (items.length < 2) return items.join('');
  return `${items.slice(0, -1).join(', ')} or ${items.at(-1)}`;
}
