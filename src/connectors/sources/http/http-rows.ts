// The rows in an answer of an HTTP source.

import { SourceError } from '../../../core/source.ts';
import { isShallow, MAX_DEPTH } from '../nesting.ts';
import { type ParsedRow, problemRow } from '../pages.ts';
import type { HttpSource } from './config.ts';
import { at } from './json-path.ts';

/** @throws SourceError `bad_answer` when there is no list */
export function itemsOf(body: unknown, { items: path, url: place }: HttpSource): readonly unknown[] {
  // Some APIs send an empty answer or a null list when there are no rows.
  const found = body === null ? null : at(body, path);
  if (found === null) return [];
  if (Array.isArray(found)) return found;
  const keys = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.keys(body) : [];
  const names = keys.filter((key) => /^[A-Za-z_][\w-]{0,30}$/.test(key)).slice(0, 10);
  const where =
    path === undefined ? 'the answer is not a list' : `the answer has no list at ${JSON.stringify(path)}`;
  const there = names.length === 0 ? '' : ` (it has ${names.join(', ')})`;
  throw new SourceError(
    'bad_answer',
    `source ${place}: ${where}${there}; set \`items\` to the path of the rows`,
  );
}

/** Converts an entry to a row. An entry that is not an object becomes a problem row. */
export function rowOf(value: unknown, path: string | undefined): ParsedRow {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const where = path === undefined ? 'the entry is' : `what the entry has at ${JSON.stringify(path)} is`;
    return problemRow('malformed_row', `${where} not an object with columns`, JSON.stringify(value));
  }
  if (!isShallow(value, MAX_DEPTH)) {
    return problemRow('malformed_row', `the object is nested deeper than ${MAX_DEPTH} levels; flatten it`);
  }
  return { values: value as Readonly<Record<string, unknown>> };
}
