// Entries of the raw file. Checks read these one by one, so that a mistake elsewhere does not hide one.

import type { YamlFile } from './yaml-file.ts';

/** Entries of the section at `path`; none when it is not a section. */
export function entriesOf(file: YamlFile, ...path: readonly string[]): [string, unknown][] {
  const value = path.reduce(child, file.value);
  return isRecord(value) ? Object.entries(value) : [];
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of the own property `part`, or undefined. */
export function child(value: unknown, part: PropertyKey): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
  return (value as Record<PropertyKey, unknown>)[part];
}
