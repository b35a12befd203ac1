// Entries of the raw file: checks work on these, one by one, so that a mistake elsewhere hides none in here.
import { child } from './json-schema.ts';
import type { YamlFile } from './yaml-file.ts';

/** Entries of the section that `path` leads to; none when it is no section. */
export function entriesOf(file: YamlFile, ...path: readonly string[]): [string, unknown][] {
  const value = path.reduce(child, file.value);
  return isRecord(value) ? Object.entries(value) : [];
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
