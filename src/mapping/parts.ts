// What mappings and actions are made of: parts, each a function over the row, that report what can't be used.
import type { CountryCode } from 'libphonenumber-js/max';
import type { Expression } from '../contracts/config.ts';
import type { RowProblem } from '../contracts/record.ts';
import { MappingConfigError, ValueError } from './errors.ts';
import type { ExpressionCompiler, Reader, RowView, Tidy } from './expression.ts';
import { isCountry, parsePhone } from './phone.ts';
import { oneLine, preview, toText } from './text.ts';

/** Takes note of a value that can't be used; a warning keeps the row. */
export type Report = (field: string, error: ValueError, kind?: 'problem' | 'warning') => void;

export type Part<T> = (row: RowView, report: Report) => T;

/** A field: its value, or undefined when it is empty or was reported. */
export function field<T>(
  name: string,
  read: Reader,
  convert: (value: unknown) => T,
  kind: 'problem' | 'warning' = 'problem',
): Part<T | undefined> {
  return (row, report) => {
    try {
      return convert(read(row));
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      report(name, error, kind);
      return undefined;
    }
  };
}

/** Compiles an expression to a field that is named by its place. */
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

/** What `convert` yields, which must be something. @throws ValueError `required` */
export function required<T>(convert: (value: unknown) => T | undefined, reason: string) {
  return (value: unknown): T => {
    const found = convert(value);
    if (found === undefined) throw new ValueError('required', reason, undefined);
    return found;
  };
}

/**
 * A phone number as the identity of a person.
 * @throws ValueError `required`, or a code of {@link parsePhone}
 */
export function toNumber(value: unknown, country: CountryCode | undefined): string {
  const text = toText(value);
  if (text === undefined) {
    const reason =
      'a phone number is required: it identifies the contact; fill the column, or name further ones in a list';
    throw new ValueError('required', reason, undefined);
  }
  const phone = parsePhone(text, country);
  if (!phone.ok) throw new ValueError(phone.code, phone.reason, value);
  return phone.number;
}

/** @throws MappingConfigError when no country with phone numbers has this code */
export function requireCountry(code: string | undefined): CountryCode | undefined {
  if (code === undefined || isCountry(code)) return code;
  throw new MappingConfigError(
    ['defaultCountry'],
    `"${code}" is no country with phone numbers; use ISO 3166 letters, for example BR`,
  );
}

/** `finish` over rows, once their JSONata is evaluated: a promise only when there is any. */
export function overRows<T>(
  compiler: ExpressionCompiler,
  finish: (row: RowView) => T,
): (values: RowView['values']) => T | Promise<T> {
  const { columns, evaluations } = compiler;
  // Columns hold the place of one row at a time, so they are bound where nothing can come in between.
  const bound = (row: RowView) => {
    columns.bind(row.values);
    return finish(row);
  };
  return (values) => {
    if (evaluations.length === 0) return bound({ values, results: [] });
    const results = evaluations.map((evaluate) =>
      evaluate(values).catch((error: unknown) => {
        if (error instanceof ValueError) return error;
        throw error;
      }),
    );
    return Promise.all(results).then((done) => bound({ values, results: done }));
  };
}

export function toProblem(field: string, error: ValueError): RowProblem {
  const value = preview(error.value);
  const problem: RowProblem = { field, code: error.code, reason: error.message };
  return value === undefined ? problem : { ...problem, value };
}
