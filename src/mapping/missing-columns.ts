// Finds columns that a mapping reads and a source lacks. Without a column for the number, no row can become a record.

import { isLikeData } from '../core/source.ts';
import { nearest } from '../core/suggest.ts';
import type { MappingConfig } from './config.ts';
import { foldCase } from './text.ts';

const SHOWN = 40;

/**
 * @param wanted columns and paths for the number
 * @param columns of the source
 * @returns null if one of them exists, or if nothing is certain
 */
export function describeMissingNumber(wanted: readonly string[], columns: readonly string[]): string | null {
  const isThere = finder(columns);
  if (wanted.length === 0 || columns.length === 0 || wanted.some(isThere)) return null;
  const names = (list: readonly string[]) => list.map((name) => JSON.stringify(name)).join(', ');
  const missing = `the source has no column for contact.number (${names(wanted)})`;
  if (columns.some(isLikeData))
    return `${missing}; its first line looks like a row, not a header; add a line with the column names above it`;
  const near = wanted.map((column) => nearest(column, columns)).find((name) => name !== undefined);
  const hint = near === undefined ? '' : `; did you mean ${JSON.stringify(near)}?`;
  const more = columns.length > SHOWN ? `, and ${columns.length - SHOWN} more` : '';
  return `${missing}${hint}; columns found: ${names(columns.slice(0, SHOWN))}${more}. Correct contact.number in the mapping, or add the column to the export`;
}

/** Entries of `reads` that are not among `columns`. A list uses the first one found, so one of them is enough. */
export function missingColumns(
  { contact, extraInfo, card, tags }: MappingConfig,
  reads: readonly string[],
  columns: readonly string[],
): readonly string[] {
  const isThere = finder(columns);
  const spare = new Set<string>();
  // In the list of tags, each text is an entry of its own.
  spareOf([{ contact, extraInfo, card }, ...tags.filter((tag) => typeof tag !== 'string')], isThere, spare);
  return reads.filter((column) => !isThere(column) && !spare.has(column));
}

function finder(columns: readonly string[]): (path: string) => boolean {
  const found = new Set(columns.map(foldCase));
  return (path) => found.has(foldCase(path)) || found.has(foldCase(path.split('.')[0] ?? ''));
}

function spareOf(value: unknown, isThere: (path: string) => boolean, spare: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  const texts = Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
  const columnsOf = (text: string) =>
    text.includes('{{')
      ? [...text.matchAll(/\{\{(.*?)\}\}/gs)].map((match) => match[1]?.trim() ?? '')
      : [text];
  if (texts.length > 1 && texts.some((text) => columnsOf(text).some(isThere)))
    for (const text of texts.flatMap(columnsOf)) spare.add(text);
  for (const inner of Object.values(value)) spareOf(inner, isThere, spare);
}
