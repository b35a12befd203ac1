// A draft as YAML text. The form changes single values in it, so comments and what the form does not know stay.
import { type Document, isMap, isSeq, parseDocument, visit } from 'yaml';

export type Path = readonly (string | number)[];

export interface Parsed {
  /** The entry as data; null while the text is no mapping. */
  readonly value: Readonly<Record<string, unknown>> | null;
  /** Why it can't be read. */
  readonly problem: string | null;
}

const TO_JS = { maxAliasCount: 100 };

export function parseDraft(text: string): Parsed {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) return { value: null, problem: error.message };
  if (!isMap(document.contents)) return { value: null, problem: null };
  const endless = findEndless(document);
  if (endless !== null) return { value: null, problem: `Alias *${endless} contains itself` };
  try {
    return { value: document.toJS(TO_JS) as Record<string, unknown>, problem: null };
  } catch (thrown) {
    // An alias without its anchor, or too many of them.
    if (!(thrown instanceof ReferenceError || thrown instanceof RangeError)) throw thrown;
    return { value: null, problem: thrown.message };
  }
}

/** The value at a path; undefined if there is none. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[key] : undefined),
    value,
  );
}

/** @param value undefined: removes the entry, and the mappings that are empty without it */
export function withValue(text: string, path: Path, value: unknown): string {
  const document = parseDocument(text);
  writeOutAliases(document);
  if (value === undefined) remove(document, path);
  else {
    for (let n = 1; n < path.length; n++) {
      const above = document.getIn(path.slice(0, n), true);
      // A number or text stands where a mapping is needed.
      if (above !== undefined && !isMap(above) && !isSeq(above))
        document.setIn(path.slice(0, n), document.createNode({}));
    }
    const isList = Array.isArray(value);
    document.setIn(path, isList ? document.createNode(value, { flow: path.length > 1 }) : value);
  }
  return document.toString({ lineWidth: 0 });
}

/** An alias inside the value that it stands for. */
function findEndless(document: Document): string | null {
  let found: string | null = null;
  visit(document, {
    Alias(_, alias, above) {
      if (above.some((node) => node === alias.resolve(document))) found = alias.source;
    },
  });
  return found;
}

/** One change concerns one place: what shares its value there by an alias keeps it. */
function writeOutAliases(document: Document): void {
  const options = { aliasDuplicateObjects: false };
  visit(document, {
    Alias: (_, alias) => document.createNode(alias.resolve(document)?.toJS(document, TO_JS), options),
  });
  visit(document, {
    Value(_, node) {
      delete node.anchor;
    },
  });
}

function remove(document: Document, path: Path): void {
  document.deleteIn(path);
  for (let n = path.length - 1; n > 0; n--) {
    const above = document.getIn(path.slice(0, n), true);
    // Parts of the audience are removed only by their own button.
    if (!isMap(above) || above.items.length > 0 || typeof path[n - 1] === 'number') return;
    document.deleteIn(path.slice(0, n));
  }
}

/** Whether what stands at the place is the same in both values. @param text of a path, as `pathText` writes it */
export function isSameAt(one: unknown, other: unknown, text: string): boolean {
  const path = text
    .split(/[.[\]]+/)
    .flatMap((key) => (key === '' ? [] : [/^\d+$/.test(key) ? Number(key) : key]));
  return JSON.stringify(valueAt(one, path)) === JSON.stringify(valueAt(other, path));
}

/** `['audience', 0, 'tags']` → `audience[0].tags`, as problems name it. */
export function pathText(path: Path): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : text === '' ? key : `${text}.${key}`),
    '',
  );
}
