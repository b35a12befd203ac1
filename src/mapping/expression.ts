// Compiles expressions of a mapping: columns, templates, JSONata, lists, and the long form with `map` and `default`.
import type { Expression, ExpressionObject } from '../contracts/config.ts';
import { Columns } from './columns.ts';
import { MappingConfigError, ValueError } from './errors.ts';
import { compileJsonata, type Evaluate } from './jsonata.ts';
import { fold, isEmpty, oneLine, toText } from './text.ts';

/** One row while it is mapped. */
export interface RowView {
  readonly values: Readonly<Record<string, unknown>>;
  /** Results of the JSONata expressions by index; a ValueError where one failed. */
  readonly results: readonly unknown[];
}

/** Yields the value of an expression, undefined when it is empty. @throws ValueError */
export type Reader = (row: RowView) => unknown;

/** Last touch on the text of a template. */
export type Tidy = (text: string) => string;

const FORMS = ['path', 'template', 'jsonata', 'const', 'first'] as const;

export class ExpressionCompiler {
  readonly columns = new Columns();
  readonly evaluations: Evaluate[] = [];

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
    const slot = this.columns.add(path, at);
    return ({ values }) => this.columns.read(slot, values);
  }

  #first(items: readonly string[], at: readonly string[], tidy: Tidy): Reader {
    const readers = items.map((item, index) => this.#text(item, [...at, String(index)], tidy));
    return (row) => {
      for (const read of readers) {
        const value = read(row);
        if (!isEmpty(value)) return value;
      }
      return undefined;
    };
  }

  #template(template: string, at: readonly string[], tidy: Tidy): Reader {
    const parts = template.split(/\{\{(.*?)\}\}/s);
    const texts = parts.filter((_, index) => index % 2 === 0);
    if (texts.some((text) => text.includes('{{') || text.includes('}}'))) {
      throw new MappingConfigError(at, 'a {{placeholder}} is not closed or not opened; write {{column}}');
    }
    const readers = parts.map((part, index) => {
      if (index % 2 === 0) return undefined;
      if (part.trim() === '') throw new MappingConfigError(at, 'a placeholder is empty; write {{column}}');
      return this.#path(part.trim(), at);
    });
    return (row) => {
      let found = false;
      let text = '';
      for (let index = 0; index < parts.length; index += 1) {
        const read = readers[index];
        const piece = read ? toText(read(row)) : parts[index];
        if (read && piece !== undefined) found = true;
        text += piece ?? '';
      }
      return found ? tidy(text) : undefined;
    };
  }

  #jsonata(source: string, at: readonly string[]): Reader {
    const index = this.evaluations.push(compileJsonata(source, at)) - 1;
    return ({ results }) => {
      const result = results[index];
      if (result instanceof ValueError) throw result;
      return result;
    };
  }

  #object(expression: ExpressionObject, at: readonly string[], tidy: Tidy): Reader {
    const given = FORMS.filter((form) => expression[form] !== undefined);
    if (given.length !== 1) {
      const found = given.length === 0 ? 'none' : given.join(' and ');
      throw new MappingConfigError(at, `needs exactly one of ${FORMS.join(', ')}; found ${found}`);
    }
    const read = this.#base(expression, at, tidy);
    const lookUp = expression.map ? tableReader(expression.map, expression.default !== undefined) : undefined;
    return (row) => {
      const found = read(row);
      if (isEmpty(found)) return expression.default;
      if (!lookUp) return found;
      const mapped = Array.isArray(found)
        ? found.map(lookUp).filter((item) => item !== undefined)
        : lookUp(found);
      return isEmpty(mapped) ? expression.default : mapped;
    };
  }

  #base(expression: ExpressionObject, at: readonly string[], tidy: Tidy): Reader {
    if (expression.path !== undefined) return this.#path(expression.path, [...at, 'path']);
    if (expression.template !== undefined)
      return this.#template(expression.template, [...at, 'template'], tidy);
    if (expression.jsonata !== undefined) return this.#jsonata(expression.jsonata, [...at, 'jsonata']);
    if (expression.first !== undefined) return this.#first(expression.first, [...at, 'first'], tidy);
    return () => expression.const;
  }
}

/**
 * Looks values up in `map`. A value that the table does not know is a problem unless there is a `default`: handing it on would
 * send a wrong stage or tag, leaving it out would lose it in silence.
 */
export function tableReader(
  map: Readonly<Record<string, string | number | boolean>>,
  hasDefault: boolean,
): (value: unknown) => unknown {
  const table = new Map(Object.entries(map).map(([from, to]) => [fold(from), to]));
  return (value) => {
    const key = fold(toText(value) ?? '');
    if (table.has(key)) return table.get(key);
    if (hasDefault) return undefined;
    const reason =
      'the table `map` has no entry for this value; add one, or a `default` (an empty one leaves the field out)';
    throw new ValueError('not_in_map', reason, value);
  };
}
