// A draft as YAML text. The form changes single values in it, so comments and what the form does not know stay.
import { type Document, isMap, isSeq, parseDocument } from 'yaml';

export type Path = readonly (string | number)[];

export interface Parsed {
  /** The campaign as data; null while the text is no mapping. */
  readonly value: Readonly<Record<string, unknown>> | null;
  /** Why it can't be read. */
  readonly problem: string | null;
}

export function parseDraft(text: string): Parsed {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) return { value: null, problem: error.message };
  if (!isMap(document.contents)) return { value: null, problem: null };
  return { value: document.toJS({ maxAliasCount: 100 }) as Record<string, unknown>, problem: null };
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

function remove(document: Document, path: Path): void {
  document.deleteIn(path);
  for (let n = path.length - 1; n > 0; n--) {
    const above = document.getIn(path.slice(0, n), true);
    // Parts of the audience are removed only by their own button.
    if (!isMap(above) || above.items.length > 0 || typeof path[n - 1] === 'number') return;
    document.deleteIn(path.slice(0, n));
  }
}

/** `['audience', 0, 'tags']` → `audience[0].tags`, as problems name it. */
export function pathText(path: Path): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : text === '' ? key : `${text}.${key}`),
    '',
  );
}
