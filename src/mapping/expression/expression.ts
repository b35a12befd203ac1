// Compiles expressions of a mapping: columns, templates, JSONata, lists, and the long form with `map` and `default`.

import { Columns } from '../columns.ts';
import type { Expression, ExpressionObject } from '../config.ts';
import type { FoundOrder } from '../dates.ts';
import { MappingConfigError, ValueError } from '../errors.ts';
import { foldCase, isEmpty, oneLine, toText } from '../text.ts';
import { ExpressionBudget } from './budget.ts';
import { type CompileJsonata, compileJsonata, type Evaluate } from './jsonata.ts';
import { jsonataPaths } from './jsonata-paths.ts';

/** One row while it is mapped. */
export interface RowView {
  readonly values: Readonly<Record<string, unknown>>;
  /** Results of the JSONata expressions by index. A ValueError if one failed. */
  readonly results: readonly unknown[];
  /** Order of the date column. Absent if no other row is known. */
  readonly dates?: FoundOrder | undefined;
}

/** A compiled expression. */
export interface Reader {
  /** Returns the value, or undefined if it is empty. @throws ValueError */
  (row: RowView): unknown;
  /** Columns and paths that the value came from. Without a value, those that it could have come from. */
  readonly columns: (row: RowView) => readonly string[];
}

const reader = (read: (row: RowView) => unknown, columns: Reader['columns']): Reader =>
  Object.assign(read, { columns });

/** An unusable value counts as a value. */
const hasValue = (read: Reader, row: RowView): boolean => {
  try {
    return !isEmpty(read(row));
  } catch (error) {
    if (error instanceof ValueError) return true;
    throw error;
  }
};

/** Of several columns, those that have a value, or all of them if none has. */
const withValue = (readers: readonly Reader[], row: RowView): readonly string[] => {
  const filled = readers.filter((read) => hasValue(read, row));
  return [...new Set((filled.length > 0 ? filled : readers).flatMap((read) => read.columns(row)))];
};

/**
 * Text between two columns that only separates them: `, ` and ` - `, but neither `-` alone, as in an id, nor a line break.
 * Without a value on one side it is left out.
 */
const JOIN = /^(?=.*[ \t,;])[ \t,;|/·•+–—-]+$/;

/** Texts and placeholders in turn, beginning and ending with a text. What is not closed stays in the last text. */
function splitTemplate(template: string): string[] {
  const parts: string[] = [];
  let from = 0;
  // A regular expression would look for the end once for each `{{`: of 100,000, that takes minutes.
  while (true) {
    const open = template.indexOf('{{', from);
    const close = open === -1 ? -1 : template.indexOf('}}', open + 2);
    if (close === -1) return [...parts, template.slice(from)];
    parts.push(template.slice(from, open), template.slice(open + 2, close));
    from = close + 2;
  }
}

/** Cleans up the text of a template. */
export type Tidy = (text: string) => string;

const FORMS = ['path', 'template', 'jsonata', 'const', 'first'] as const;

export class ExpressionCompiler {
  readonly columns = new Columns();
  readonly evaluations: Evaluate[] = [];
  readonly #compileJsonata: CompileJsonata;
  readonly #budget = new ExpressionBudget();

  /** @param jsonata @default evaluates in this thread, for expressions of the configuration */
  constructor(jsonata: CompileJsonata = compileJsonata) {
    this.#compileJsonata = jsonata;
  }

  compile(expression: Expression, at: readonly string[], tidy: Tidy = oneLine): Reader {
    if (typeof expression === 'string') return this.#text(expression, at, tidy);
    if (Array.isArray(expression)) return this.#first(expression, at, tidy);
    return this.#object(expression, at, tidy);
  }

  #text(text: string, at: readonly string[], tidy: Tidy): Reader {
    if (text.startsWith('=')) return this.#jsonata(text.slice(1), at);
    if (text.includes('{{')) return this.#template(text, at, tidy);
    return this.#path(text, at);
  }

  #path(path: string, at: readonly string[]): Reader {
    this.#budget.addPart(at);
    this.#budget.addText(path, at);
    const slot = this.columns.add(path, at);
    return reader(
      ({ values }) => this.columns.read(slot, values),
      () => [this.columns.nameOf(slot)],
    );
  }

  #first(items: readonly string[], at: readonly string[], tidy: Tidy): Reader {
    const readers = items.map((item, index) => this.#text(item, [...at, String(index)], tidy));
    const first = (row: RowView) => {
      for (const read of readers) {
        const value = read(row);
        if (!isEmpty(value)) return value;
      }
      return undefined;
    };
    return reader(first, (row) => {
      const used = readers.find((read) => hasValue(read, row));
      return used === undefined ? withValue(readers, row) : used.columns(row);
    });
  }

  #template(template: string, at: readonly string[], tidy: Tidy): Reader {
    this.#budget.addText(template, at);
    const parts = splitTemplate(template);
    const texts = parts.filter((_, index) => index % 2 === 0);
    if (texts.some((text) => text.includes('{{') || text.includes('}}'))) {
      throw new MappingConfigError(at, 'a {{placeholder}} is not closed or not opened; write {{column}}');
    }
    const readers = parts.map((part, index) => {
      if (index % 2 === 0) return undefined;
      if (part.trim() === '') throw new MappingConfigError(at, 'a placeholder is empty; write {{column}}');
      return this.#path(part.trim(), at);
    });
    const last = parts.length - 1;
    const isJoin = parts.map((part, index) => index > 0 && index < last && JOIN.test(part));
    const fill = (row: RowView) => {
      let found = false;
      let text = '';
      /** Whether a value stands before, with nothing but joins between. */
      let joins = false;
      let join = '';
      for (let index = 0; index < parts.length; index += 1) {
        const read = readers[index];
        const piece = read ? toText(read(row)) : parts[index];
        if (piece === undefined || piece === '') continue;
        if (isJoin[index]) {
          join = piece;
          continue;
        }
        text += read && joins ? join + piece : piece;
        join = '';
        joins = read !== undefined;
        if (read) found = true;
      }
      return found ? tidy(text) : undefined;
    };
    const placeholders = readers.filter((read) => read !== undefined);
    return reader(fill, (row) => withValue(placeholders, row));
  }

  #jsonata(source: string, at: readonly string[]): Reader {
    this.#budget.addPart(at);
    const index = this.evaluations.push(this.#compileJsonata(source, at, this.#budget)) - 1;
    const evaluated = ({ results }: RowView) => {
      const result = results[index];
      if (result instanceof ValueError) throw result;
      return result;
    };
    const paths = jsonataPaths(source);
    return reader(evaluated, ({ values }) =>
      paths.filter(([column = '']) => !isEmpty(values[column])).map((path) => path.join('.')),
    );
  }

  #object(expression: ExpressionObject, at: readonly string[], tidy: Tidy): Reader {
    const given = FORMS.filter((form) => expression[form] !== undefined);
    if (given.length !== 1) {
      const found = given.length === 0 ? 'none' : given.join(' and ');
      throw new MappingConfigError(at, `needs exactly one of ${FORMS.join(', ')}; found ${found}`);
    }
    const read = this.#base(expression, at, tidy);
    const lookUp = expression.map ? tableReader(expression.map, expression.default !== undefined) : undefined;
    const check = (row: RowView) => {
      const found = read(row);
      if (isEmpty(found)) return expression.default;
      if (!lookUp) return found;
      const mapped = Array.isArray(found)
        ? found.map(lookUp).filter((item) => item !== undefined)
        : lookUp(found);
      return isEmpty(mapped) ? expression.default : mapped;
    };
    return reader(check, read.columns);
  }

  #base(expression: ExpressionObject, at: readonly string[], tidy: Tidy): Reader {
    if (expression.path !== undefined) return this.#path(expression.path, [...at, 'path']);
    if (expression.template !== undefined)
      return this.#template(expression.template, [...at, 'template'], tidy);
    if (expression.jsonata !== undefined) return this.#jsonata(expression.jsonata, [...at, 'jsonata']);
    if (expression.first !== undefined) return this.#first(expression.first, [...at, 'first'], tidy);
    this.#budget.addPart(at);
    return reader(
      () => expression.const,
      () => [],
    );
  }
}

/**
 * Looks values up in `map`. An unknown value is an error unless there is a `default`: passing it on would send a wrong
 * stage or tag, and dropping it would lose it silently.
 */
export function tableReader(
  map: Readonly<Record<string, string | number | boolean>>,
  hasDefault: boolean,
): (value: unknown) => unknown {
  const table = new Map(Object.entries(map).map(([from, to]) => [foldCase(from), to]));
  // Most values are spelled as in the table. Normalizing each of them takes longer than everything else.
  const lowerCase = new Map(Object.keys(map).map((from) => [from, foldCase(from)]));
  return (value) => {
    const text = toText(value) ?? '';
    const key = lowerCase.get(text) ?? foldCase(text);
    if (table.has(key)) return table.get(key);
    if (hasDefault) return undefined;
    const reason =
      'the table `map` has no entry for this value; add one, or a `default` (an empty default omits the field)';
    throw new ValueError('not_in_map', reason, value);
  };
}
