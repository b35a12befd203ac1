// Normalizes text that leaves the mapping: one Unicode form, no control characters, no surrounding spaces.
import { ValueError } from './errors.ts';

const PLAIN = /^[\x20-\x7e]*$/;
// NUL and lone surrogates can be stored neither in PostgreSQL text nor in UTF-8.
const UNPRINTABLE = /(?![\t\n\r])[\p{Surrogate}\p{Control}\ufeff]/gu;

/** Removes what cannot be stored or sent. Spaces and line breaks stay. */
export function printable(text: string): string {
  return PLAIN.test(text) ? text : text.replace(UNPRINTABLE, '').normalize('NFC');
}

/** NFC, so that the same name typed on two systems has the same hash. */
export function clean(text: string): string {
  return printable(text).trim();
}

/** {@link clean}, with each run of white space as one space. */
export function oneLine(text: string): string {
  return clean(text).replace(/\s+/g, ' ');
}

/**
 * Normalizes names of columns and entries of `map` for comparison: case, width, composition and spaces do not count.
 */
export function foldCase(text: string): string {
  return clean(text).normalize('NFKC').replace(/\s+/g, ' ').trim().toLowerCase();
}

export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === 'string') return value.trim() === '';
  return Array.isArray(value) && value.length === 0;
}

/**
 * Returns a scalar as text, or undefined if it is empty.
 * @throws ValueError `invalid_type` for a list or an object
 */
export function toText(value: unknown): string | undefined {
  if (typeof value === 'string') return clean(value) || undefined;
  if (isEmpty(value)) return undefined;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value);
  const what = Array.isArray(value)
    ? 'a list; name one item (path.0), or join it with JSONata'
    : 'an object; name one property of it (path.property)';
  throw new ValueError('invalid_type', `the value must be one text, found ${what}`, value);
}

/** A value as the operator sees it beside a problem. Personal data, at most 200 characters. */
export function preview(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.replace(UNPRINTABLE, '').slice(0, 200);
}

/** Order by code unit: the same on every machine, whatever its locale. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
