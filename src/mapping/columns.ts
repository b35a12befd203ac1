// Finds the values that paths name. It resolves a path to a column once per header, not once per row.
import { MappingConfigError } from './errors.ts';
import { foldCase } from './text.ts';

const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

/** @throws MappingConfigError for a name that could reach inherited properties */
export function requireSafeName(name: string, at: readonly string[]): void {
  if (!FORBIDDEN.has(name.trim())) return;
  throw new MappingConfigError(
    at,
    `"${name}" is not allowed as a name in a path; rename the column in the export`,
  );
}

type Values = Readonly<Record<string, unknown>>;

/**
 * The paths of one mapping. A path is first read as the exact name of a column, then trimmed and without regard to case
 * and Unicode form (of several matching columns the leftmost wins). Only then is it a dot-path into objects, and into
 * lists by index.
 */
export class Columns {
  readonly #paths: { name: string; lowerCase: string; segments: string[] }[] = [];
  #keys: string[] = [];
  #resolved: (string | undefined)[] = [];

  /** Adds a path and returns its slot. */
  add(path: string, at: readonly string[]): number {
    const segments = path.split('.').map((segment) => segment.trim());
    for (const segment of [path, ...segments]) requireSafeName(segment, at);
    this.#paths.push({ name: path, lowerCase: foldCase(path), segments });
    this.#keys = [];
    this.#resolved = [];
    return this.#paths.length - 1;
  }

  /** Column names and paths in the order in which they were added. */
  get names(): string[] {
    return [...new Set(this.#paths.map((path) => path.name))];
  }

  /** Call it before `read` for each row. Rows of one CSV file share their keys, so it only compares names. */
  bind(values: Values): void {
    const keys = Object.keys(values);
    if (this.#resolved.length > 0 && sameKeys(keys, this.#keys)) return;
    const byFoldedCase = new Map<string, string>();
    for (const key of keys) {
      const lowerCase = foldCase(key);
      if (!byFoldedCase.has(lowerCase)) byFoldedCase.set(lowerCase, key);
    }
    this.#keys = keys;
    this.#resolved = this.#paths.map(({ name, lowerCase }) =>
      Object.hasOwn(values, name) ? name : byFoldedCase.get(lowerCase),
    );
  }

  /** The source's name for what a slot reads: the column as in the header, else the path. */
  nameOf(slot: number): string {
    return this.#resolved[slot] ?? this.#paths[slot]?.name ?? '';
  }

  read(slot: number, values: Values): unknown {
    const key = this.#resolved[slot];
    if (key !== undefined) return values[key];
    const path = this.#paths[slot];
    return path && path.segments.length > 1 ? descend(values, path.segments) : undefined;
  }
}

function descend(values: Values, segments: readonly string[]): unknown {
  let at: unknown = values;
  for (const segment of segments) {
    if (typeof at !== 'object' || at === null) return undefined;
    const key = ownKey(at, segment);
    if (key === undefined) return undefined;
    at = (at as Values)[key];
  }
  return at;
}

function ownKey(object: object, segment: string): string | undefined {
  // Only the items of a list count, never its length.
  if (Array.isArray(object))
    return /^\d+$/.test(segment) && Object.hasOwn(object, segment) ? segment : undefined;
  if (Object.hasOwn(object, segment)) return segment;
  const lowerCase = foldCase(segment);
  return Object.keys(object).find((key) => foldCase(key) === lowerCase);
}

function sameKeys(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index]) return false;
  return true;
}
