// The building blocks of mappings and actions: functions over the row that report unusable values.
import type { CountryCode } from 'libphonenumber-js/max';
import type { RowProblem } from '../core/record.ts';
import type { Expression, MappingConfig } from './config.ts';
import { readCountry } from './country.ts';
import { MappingConfigError, ValueError } from './errors.ts';
import type { ExpressionCompiler, Reader, RowView, Tidy } from './expression/expression.ts';
import { isCountry, type PhoneRules, parsePhone, parsePhoneNumber } from './phone/index.ts';
import { oneLine, preview, toText } from './text.ts';

/** Records an unusable value. A warning keeps the row. */
export type Report = (
  field: string,
  error: ValueError,
  kind?: 'problem' | 'warning',
  columns?: readonly string[],
) => void;

export type Part<T> = (row: RowView, report: Report) => T;

/** A field: its value, or undefined if it is empty or was reported. */
export function field<T>(
  name: string,
  read: Reader,
  convert: (value: unknown, row: RowView) => T,
  kind: 'problem' | 'warning' = 'problem',
): Part<T | undefined> {
  return (row, report) => {
    try {
      return convert(read(row), row);
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      report(name, error, kind, read.columns(row));
      return undefined;
    }
  };
}

/** Compiles an expression to a field named by its place. */
export function partOf<T>(
  compiler: ExpressionCompiler,
  expression: Expression,
  at: readonly string[],
  convert: (value: unknown) => T,
  tidy?: Tidy,
): Part<T | undefined> {
  return field(at.join('.'), compiler.compile(expression, at, tidy), convert);
}

export const line = (value: unknown): string | undefined => {
  const text = toText(value);
  return text === undefined ? undefined : oneLine(text) || undefined;
};

/** Returns what `convert` yields, which must not be empty. @throws ValueError `required` */
export function required<T>(convert: (value: unknown) => T | undefined, reason: string) {
  return (value: unknown): T => {
    const found = convert(value);
    if (found === undefined) throw new ValueError('required', reason, undefined);
    return found;
  };
}

/**
 * Reads a phone number as the identity of a person.
 * @throws ValueError `required`, or a code of {@link parsePhone}
 */
export function toNumber(value: unknown, rules: PhoneRules): string {
  const text = toText(value);
  if (text === undefined) {
    const reason =
      'a phone number is required because it identifies the contact; fill the column, or list further columns';
    throw new ValueError('required', reason, undefined);
  }
  const phone = typeof value === 'number' ? parsePhoneNumber(value, rules) : parsePhone(text, rules);
  if (!phone.ok) throw new ValueError(phone.code, phone.reason, value);
  return phone.number;
}

/**
 * How the numbers of a row with this country are read. Without one, as those of the mapping.
 * @throws ValueError `unknown_country`
 */
export function toPhoneRules(value: unknown, rules: PhoneRules): PhoneRules {
  const text = toText(value);
  if (text === undefined) return rules;
  const country = readCountry(text);
  if (country !== null) return { country, format: rules.format };
  const reason =
    'the value is no country with phone numbers, so a number without a country code cannot be read; write a code such as BR or a name, or write the number with + and country code';
  throw new ValueError('unknown_country', reason, value);
}

/** @throws MappingConfigError for a code that is not a country with phone numbers */
function requireCountry(code: string | undefined): CountryCode | undefined {
  if (code === undefined || isCountry(code)) return code;
  throw new MappingConfigError(
    ['defaultCountry'],
    `"${code}" is not a country with phone numbers; use ISO 3166 letters, for example BR`,
  );
}

/**
 * @throws MappingConfigError for a code that is not a country with phone numbers, and for national numbers without a
 * country
 */
export function requirePhoneRules({
  defaultCountry,
  numberFormat: format,
}: Pick<MappingConfig, 'defaultCountry' | 'numberFormat'>): PhoneRules {
  const country = requireCountry(defaultCountry);
  if (format === 'national' && country === undefined) {
    throw new MappingConfigError(['numberFormat'], 'national numbers need a country; set `defaultCountry`');
  }
  return { country, format };
}

/** Runs `finish` over rows after their JSONata is evaluated. Returns a promise only if there is any JSONata. */
export function overRows<T>(
  compiler: ExpressionCompiler,
  finish: (row: RowView) => T,
): (values: RowView['values'], dates?: RowView['dates']) => T | Promise<T> {
  const { columns, evaluations } = compiler;
  // Columns store the position of one row at a time, so they are bound where nothing else can run in between.
  const bound = (row: RowView) => {
    columns.bind(row.values);
    return finish(row);
  };
  return (values, dates) => {
    if (evaluations.length === 0) return bound({ values, results: [], dates });
    const results = evaluations.map((evaluate) =>
      evaluate(values).catch((error: unknown) => {
        if (error instanceof ValueError) return error;
        throw error;
      }),
    );
    return Promise.all(results).then((done) => bound({ values, results: done, dates }));
  };
}

/** @param columns of the source that the value came from */
export function toProblem(field: string, error: ValueError, columns: readonly string[] = []): RowProblem {
  const problem: RowProblem = { field, code: error.code, reason: error.message };
  const value = preview(error.value);
  if (value !== undefined) problem.value = value;
  const column = preview(columns.map(oneLine).join(', '));
  if (column) problem.column = column;
  return problem;
}
