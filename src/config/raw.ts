// Entries of the raw file. Checks read these one by one, so that a mistake elsewhere does not hide one.
import { child } from './json-schema.ts';
import type { YamlFile } from './yaml-file.ts';

/** Entries of the section at `path`; none when it is not a section. */
export function entriesOf(file: YamlFile, ...path: readonly string[]): [string, unknown][] {
  const value = path.reduce(child, file.value);
  return isRecord(value) ? Object.entries(value) : [];
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
