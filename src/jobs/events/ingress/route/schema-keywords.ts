// Keywords that ajv reads wrongly when a name in the event is that of a property that every object inherits, such as
// `valueOf` or `constructor`.
import { _, type Ajv, type CodeKeywordDefinition, Name } from 'ajv';
import type { DataValidateFunction } from 'ajv/dist/types/index.js';
import { isObject, type JsonObject } from './json.ts';

/**
 * ajv compares with a function that calls `valueOf` and `toString` of the event, and takes two equal objects with a
 * `constructor` for different ones. It also compares the items of a list pair by pair, which takes minutes for a long
 * list.
 */
export function replaceKeywords(ajv: Ajv): void {
  const constOfAjv = takeOut(ajv, 'const');
  ajv.addKeyword({
    keyword: 'const',
    errors: false,
    ...errorOf(constOfAjv),
    compile: (allowed: unknown) => isOneOf([allowed]),
  });
  const enumOfAjv = takeOut(ajv, 'enum');
  ajv.addKeyword({
    keyword: 'enum',
    schemaType: 'array',
    errors: false,
    ...errorOf(enumOfAjv),
    compile: isOneOf,
  });
  takeOut(ajv, 'uniqueItems');
  ajv.addKeyword({ keyword: 'uniqueItems', type: 'array', schemaType: 'boolean', compile: hasUniqueItems });
  const unevaluated = takeOut(ajv, 'unevaluatedProperties');
  if (unevaluated !== undefined) ajv.addKeyword(withOwnNames(unevaluated));
}

/** Undefined when the draft has no such keyword. */
function takeOut(ajv: Ajv, keyword: string): CodeKeywordDefinition | undefined {
  const definition = ajv.getKeyword(keyword);
  if (typeof definition === 'boolean') return undefined;
  ajv.removeKeyword(keyword);
  return definition as CodeKeywordDefinition;
}

function errorOf(definition: CodeKeywordDefinition | undefined): Pick<CodeKeywordDefinition, 'error'> {
  return definition?.error === undefined ? {} : { error: definition.error };
}

/** ajv looks names up in an object that inherits properties, so the names of all of those pass. */
function withOwnNames(unevaluated: CodeKeywordDefinition): CodeKeywordDefinition {
  return {
    ...unevaluated,
    code(cxt) {
      const { gen, it } = cxt;
      if (it.props instanceof Name) {
        const own = _`${it.props} === true || Object.assign(Object.create(null), ${it.props})`;
        it.props = gen.const('own', own);
      }
      unevaluated.code(cxt);
    },
  };
}

function isOneOf(allowed: readonly unknown[]): (value: unknown) => boolean {
  const texts = new Set(allowed.map(textOf));
  return (value) => texts.has(textOf(value));
}

function hasUniqueItems(isOn: boolean, parentSchema: object): DataValidateFunction {
  const check: DataValidateFunction = (items: readonly unknown[]) => {
    if (!isOn) return true;
    const places = new Map<string, number>();
    for (const [i, item] of items.entries()) {
      const text = textOf(item);
      const j = places.get(text);
      if (j !== undefined) {
        const message = `must NOT have duplicate items (items ## ${j} and ${i} are identical)`;
        check.errors = [{ keyword: 'uniqueItems', params: { i, j }, message, parentSchema }];
        return false;
      }
      places.set(text, i);
    }
    return true;
  };
  return check;
}

/** Two values have the same text when they are equal, whatever the order of the fields in an object. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{${Object.keys(value)
    .toSorted()
    .map((name) => `${JSON.stringify(name)}:${textOf((value as JsonObject)[name])}`)
    .join()}}`;
}
