// JSONata expressions: compiled once, refused when they could make one row yield two different records.
import jsonata from 'jsonata';
import { requireSafeName } from './columns.ts';
import { MappingConfigError, ValueError } from './errors.ts';
import { GuardedRegExp } from './guarded-regexp.ts';

// A runaway expression ends as a problem of its row. Measured: a usual one takes 20 µs. Its timeout can't
// reach into a regular expression, hence an engine that gives up by itself; JSONata only ever says `new` to it.
const LIMITS = { timeout: 2000, stack: 300, RegexEngine: GuardedRegExp as unknown as RegExpConstructor };

const UNSTABLE = new Set(['now', 'millis', 'random', 'shuffle']);

/** Resolves to the value; rejects with ValueError `expression_failed`. */
export type Evaluate = (values: Readonly<Record<string, unknown>>) => Promise<unknown>;

/**
 * What is about an event rather than in it stands under `$event`, which JSONata takes for a variable.
 * @throws MappingConfigError for a syntax error, a forbidden name, or a function whose result changes from run to run
 */
export function compileJsonata(source: string, at: readonly string[]): Evaluate {
  let expression: jsonata.Expression;
  try {
    expression = jsonata(source, LIMITS);
  } catch (error) {
    const { message, position } = error as jsonata.JsonataError;
    throw new MappingConfigError(at, `JSONata: ${message} (at character ${position})`, { cause: error });
  }
  checkNames(expression.ast(), at);
  return async (values) => {
    try {
      const bindings = values.$event === undefined ? undefined : { event: values.$event };
      return plain(await expression.evaluate(values, bindings));
    } catch (error) {
      // The library's message may quote the row, so only its code is handed on.
      const code = String((error as jsonata.JsonataError).code ?? 'error');
      const reason = `the JSONata expression failed on this row (${code}); correct it, or guard it with a condition`;
      throw new ValueError('expression_failed', reason, undefined);
    }
  };
}

function checkNames(node: unknown, at: readonly string[]): void {
  if (typeof node !== 'object' || node === null) return;
  const { type, value } = node as { type?: unknown; value?: unknown };
  if (typeof value === 'string') {
    if (type === 'name') requireSafeName(value, at);
    if (type === 'variable' && UNSTABLE.has(value)) {
      const why = 'gives another result each time, so that every sync would send every record again';
      throw new MappingConfigError(at, `$${value}() ${why}; use a column of the export instead`);
    }
  }
  for (const inner of Object.values(node)) checkNames(inner, at);
}

/** JSONata marks its lists with own properties; what leaves the mapping is plain data. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return Array.from(value, plain);
  return typeof value === 'function' ? undefined : value;
}
