// Structured data as fields, and text that a person edits as JSON: where it is wrong, and what differs.
import { findFault, type JsonFault } from '../../../core/json/json-fault.ts';
import type { FieldChange } from '../../parts/diff/field-change.ts';

type JsonText = { readonly fault: JsonFault } | { readonly fault: null; readonly value: unknown };

export function readJson(text: string): JsonText {
  try {
    return { fault: null, value: JSON.parse(text) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { fault: findFault(text) };
  }
}

/**
 * Fields that differ; a text differs from a number. Text that is no JSON is compared as a whole.
 * @param whole name of all of it
 */
export function changesBetween(before: string, after: string, whole: string): FieldChange[] {
  const [from, to] = [readJson(before), readJson(after)];
  if (to.fault !== null) return [];
  if (from.fault !== null) return [{ field: whole, before, after }];
  const [old, current] = [valuesOf(from.value), valuesOf(to.value)];
  return [...new Set([...old.keys(), ...current.keys()])]
    .map((path) => ({
      field: path === '' ? whole : path,
      before: old.get(path) ?? null,
      after: current.get(path) ?? null,
    }))
    .filter((change) => change.before !== change.after);
}

const valuesOf = (value: unknown) => new Map(flatten(value, '', (scalar) => JSON.stringify(scalar)));

/** The values of structured data by their path: `card.value`. */
export function flatten(
  value: unknown,
  path: string,
  show: (scalar: unknown) => string = String,
): [path: string, value: string][] {
  if (typeof value !== 'object' || value === null) return [[path, show(value)]];
  // An event that adds and removes no tag is accepted, and changes nothing.
  if (Object.keys(value).length === 0) return [[path, '–']];
  return Object.entries(value).flatMap(([key, each]) =>
    flatten(each, path === '' ? key : `${path}.${key}`, show),
  );
}
