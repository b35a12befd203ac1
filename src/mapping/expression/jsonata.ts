// Compiles JSONata expressions once. It rejects expressions that could give different records for one row or run code
// from the data, and stops those that take too long or yield too much.
import jsonata from 'jsonata';
import { requireSafeName } from '../columns.ts';
import { MappingConfigError, ValueError } from '../errors.ts';
import { compileLiteral, LinearRegExp, PatternError } from '../pattern/pattern.ts';
import { ExpressionBudget } from './budget.ts';

/** A runaway expression becomes a problem of its row. Measured: a usual one takes 20 µs. */
const LIMIT_MS = 2000;
/** Maximum items of a list: of the result, and of each intermediate list. */
const MAX_ITEMS = 10_000;
/** Maximum characters of all texts and names in the result: four times the longest cell. */
const MAX_CHARACTERS = 262_144;

// The timeout cannot interrupt a regular expression, so JSONata gets one that always ends. JSONata only calls `new` and
// `exec` on it.
const LIMITS = {
  timeout: LIMIT_MS,
  stack: 300,
  sequence: MAX_ITEMS,
  RegexEngine: LinearRegExp as unknown as RegExpConstructor,
};

/** Codes of JSONata's own timeout and of an interrupted regular expression. */
const TIMEOUTS = new Set(['D1012', 'STUCK']);
/** Codes of a list with too many items, made by `..` or otherwise. */
const TOO_MANY = new Set(['D2014', 'D2015']);

const CHANGES = 'gives another result each time, so that every sync would send every record again';
const REFUSED: ReadonlyMap<string, string> = new Map([
  ...['now', 'millis', 'random', 'shuffle'].map(
    (name) => [name, `${CHANGES}; use a column of the export instead`] as const,
  ),
  ['eval', 'runs text of the data as an expression; write the expression itself here'],
]);

/** Code of the ValueError of an expression that reached its time limit. */
export const EXPRESSION_TIMEOUT = 'expression_timeout';

/** Resolves to the value; rejects with ValueError `expression_failed`, `expression_timeout` or `result_too_large`. */
export type Evaluate = (values: Readonly<Record<string, unknown>>) => Promise<unknown>;

/** @param budget of the mapping that the expression is a part of */
export type CompileJsonata = (source: string, at: readonly string[], budget: ExpressionBudget) => Evaluate;

/**
 * Metadata of an event is available under `$event`, which JSONata reads as a variable.
 * @throws MappingConfigError for a syntax error, a forbidden name, `$eval`, or a function whose result changes from run
 * to run, or once the expressions exceed the budget
 */
export function compileJsonata(
  source: string,
  at: readonly string[],
  budget = new ExpressionBudget(),
): Evaluate {
  budget.addText(source, at);
  let expression: jsonata.Expression;
  try {
    expression = jsonata(source, LIMITS);
  } catch (error) {
    const { message, position } = error as jsonata.JsonataError;
    throw new MappingConfigError(at, `JSONata: ${message} (at character ${position})`, { cause: error });
  }
  checkNames(expression.ast(), at);
  checkPatterns(expression.ast(), at, budget);
  expression.registerFunction('pad', pad, '<s-ns?:s>');
  return async (values) => {
    const bindings = values.$event === undefined ? undefined : { event: values.$event };
    let result: unknown;
    try {
      result = await expression.evaluate(values, bindings);
    } catch (error) {
      throw failureOf(error);
    }
    requireSmall(result);
    return plain(result);
  };
}

/** Compiles the expressions of one campaign or request. Each text is compiled once, and all of them share one budget. */
export function sharedJsonata(): (source: string, at: readonly string[]) => Evaluate {
  const budget = new ExpressionBudget();
  const known = new Map<string, Evaluate>();
  return (source, at) => {
    const evaluate = known.get(source) ?? compileJsonata(source, at, budget);
    known.set(source, evaluate);
    return evaluate;
  };
}

/** The library's message may quote the row, so only its code is passed on. */
function failureOf(error: unknown): ValueError {
  if (error instanceof ValueError) return error;
  const code = String((error as jsonata.JsonataError).code ?? 'error');
  if (TIMEOUTS.has(code)) {
    const reason = `the JSONata expression did not end within ${LIMIT_MS / 1000} s on this row; make it simpler`;
    return new ValueError(EXPRESSION_TIMEOUT, reason, undefined);
  }
  if (TOO_MANY.has(code)) return tooLarge('items', MAX_ITEMS);
  const reason = `the JSONata expression failed on this row (${code}); correct it, or guard it with a condition`;
  return new ValueError('expression_failed', reason, undefined);
}

function tooLarge(what: string, most: number): ValueError {
  const reason = `the JSONata expression yields more than ${most.toLocaleString('en')} ${what} on this row; yield less`;
  return new ValueError('result_too_large', reason, undefined);
}

/** JSONata's own function accepts any width and builds the text before a check is possible. */
function pad(text: string | undefined, width: number, filler = ' '): string | undefined {
  if (text === undefined) return undefined;
  const wanted = Math.trunc(Math.abs(width));
  if (wanted > MAX_CHARACTERS) throw tooLarge('characters', MAX_CHARACTERS);
  const missing = wanted - [...text].length;
  if (missing <= 0) return text;
  const characters = [...(filler === '' ? ' ' : filler)];
  const added = Array.from({ length: missing }, (_, at) => characters[at % characters.length]).join('');
  return width > 0 ? text + added : added + text;
}

function checkNames(node: unknown, at: readonly string[]): void {
  if (typeof node !== 'object' || node === null) return;
  const { type, value, position } = node as { type?: unknown; value?: unknown; position?: unknown };
  if (typeof value === 'string') {
    if (type === 'name') requireSafeName(value, at);
    const why = type === 'variable' ? REFUSED.get(value) : undefined;
    if (why !== undefined)
      throw new MappingConfigError(at, `$${value} (at character ${Number(position) - value.length}) ${why}`);
  }
  for (const inner of Object.values(node)) checkNames(inner, at);
}

function checkPatterns(node: unknown, at: readonly string[], budget: ExpressionBudget): void {
  if (node instanceof RegExp) {
    try {
      budget.addPattern(compileLiteral(node).programSize(), at);
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      const { source } = node;
      throw new MappingConfigError(at, `the pattern /${source}/ ${error.message}`, { cause: error });
    }
  } else if (typeof node === 'object' && node !== null)
    for (const inner of Object.values(node)) checkPatterns(inner, at, budget);
}

/** @throws ValueError `result_too_large` */
function requireSmall(result: unknown): void {
  let items = 0;
  let characters = 0;
  const count = (value: unknown): void => {
    if (typeof value === 'string') characters += value.length;
    else if (typeof value === 'object' && value !== null && !isFunction(value)) {
      for (const [name, inner] of Object.entries(value)) {
        items++;
        if (!Array.isArray(value)) characters += name.length;
        if (items > MAX_ITEMS) throw tooLarge('items', MAX_ITEMS);
        count(inner);
      }
    }
    if (characters > MAX_CHARACTERS) throw tooLarge('characters', MAX_CHARACTERS);
  };
  count(result);
}

/** JSONata marks its lists with own properties. The mapping returns plain data. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return Array.from(value, plain);
  return isFunction(value) ? undefined : value;
}

/** A function in an expression is an object that leads to all of its variables. */
function isFunction(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'function';
  return '_jsonata_lambda' in value || '_jsonata_function' in value;
}
