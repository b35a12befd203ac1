// The phone number of a row, and the country that another column names.
import type { Expression } from './config.ts';
import { ValueError } from './errors.ts';
import type { ExpressionCompiler } from './expression/expression.ts';
import { field, type Part, partOf, type Report, toNumber, toPhoneRules } from './parts.ts';
import type { PhoneRules } from './phone/index.ts';
import { toText } from './text.ts';

const IGNORE: Report = () => undefined;

/** A number that names its country, whatever the row says. */
const NAMED = /^\s*(?:\+|00)/;

interface NumberConfig {
  readonly number: Expression;
  /** Of the number of the row. */
  readonly country?: Expression | undefined;
}

/**
 * The number, read in the country of its row.
 * @param at place of `config`
 */
export function compileNumber(
  { number, country }: NumberConfig,
  at: readonly string[],
  rules: PhoneRules,
  compiler: ExpressionCompiler,
): Part<string | undefined> {
  const name = [...at, 'number'].join('.');
  const read = compiler.compile(number, [...at, 'number']);
  if (country === undefined) return field(name, read, (value) => toNumber(value, rules));
  const rulesOfRow = partOf(compiler, country, [...at, 'country'], (value) => toPhoneRules(value, rules));
  // Read once: an expression may be slow.
  const once = field(name, read, (value) => ({ value }));
  return (row, report) => {
    const found = once(row, report);
    if (found === undefined) {
      rulesOfRow(row, report);
      return undefined;
    }
    const alone = Object.assign(() => found.value, { columns: read.columns });
    const numberBy = <T>(convert: (value: unknown) => T) => field(name, alone, convert);
    if (NAMED.test(numberBy(toText)(row, IGNORE) ?? ''))
      return numberBy((value) => toNumber(value, rules))(row, report);
    const own = rulesOfRow(row, report);
    if (own !== undefined) return numberBy((value) => toNumber(value, own))(row, report);
    numberBy((value) => refuseAnywhere(value, rules))(row, report);
    return undefined;
  };
}

/** Codes of numbers that no country makes readable. */
const ANYWHERE: ReadonlySet<string> = new Set(['required', 'excel_number']);

/** Whoever corrects the country must not learn of such a number in the next run only. @throws ValueError */
function refuseAnywhere(value: unknown, rules: PhoneRules): void {
  try {
    toNumber(value, rules);
  } catch (error) {
    if (!(error instanceof ValueError) || ANYWHERE.has(error.code) || !/\p{Nd}/u.test(toText(value) ?? ''))
      throw error;
  }
}
