// Converts phone numbers in the forms of people and spreadsheets to E.164 digits without plus, the identity of a
// contact.
import type { Reading } from './canonical.ts';
import { unquoted, withoutLabels } from './labels.ts';
import { withNetworkForms } from './network-forms.ts';
import { plainCharacters } from './plain-text.ts';
import { type PhoneRules, readWritten } from './reading.ts';
import {
  CROWDED,
  LETTERS,
  type PhoneRefusal,
  type PhoneResult,
  PLACEHOLDER,
  SERVICE,
  SEVERAL,
  SHORT,
  SYMBOLS,
} from './result.ts';
import { floatDigits, lossOfNumber } from './rounded.ts';

export { brazilianVariants, canonicalKey } from './canonical.ts';
export { isCountry, type PhoneRules } from './reading.ts';
export type { PhoneCode, PhoneResult } from './result.ts';

/**
 * Maximum length of a cell. Several numbers, or a link with a text, fit. The work grows with the square of the length.
 */
const LONGEST_CELL = 1000;
/** A number and nothing else. With a dot it may be a float. */
const BARE = /^\+?[\d() -]+$/;
const WRITTEN = /^\+?[\d\s().-]+$/;

/**
 * Reads the number of a cell: the only one that is readable, or the first of several. docs/reference/sources.md lists
 * the accepted spellings. A number with two valid readings is rejected, and the error names both.
 *
 * The result is canonical: a Brazilian mobile number always has its ninth digit (see `brazilianVariants`), so both
 * forms are one person. The number field of the API is the identity key of the upsert and cannot change later (API
 * text, POST /v1/contacts), so it must not depend on the spelling in an export.
 *
 * Measured: 200,000 numbers per second.
 */
export function parsePhone(value: string, rules: PhoneRules): PhoneResult {
  const found = BARE.test(value) ? readWritten(value.trim(), rules) : readCell(value, rules);
  return 'ok' in found ? found : { ok: true, number: found.number };
}

/** The same for a JSON number, which may be a float that lost digits. */
export function parsePhoneNumber(value: number, rules: PhoneRules): PhoneResult {
  return lossOfNumber(value) ?? parsePhone(String(value), rules);
}

function readCell(value: string, rules: PhoneRules): Reading | PhoneRefusal {
  if (value.length > LONGEST_CELL) return CROWDED;
  const plain = plainCharacters(value);
  if (plain === null) return SYMBOLS;
  const text = unquoted(plain);
  // Before the search for separators, because a float's decimal comma is not one.
  if (floatDigits(text) !== null) return readFloat(text, rules);
  const written = withNetworkForms(text);
  if (typeof written !== 'string') return written;
  return resolve(written, 0, rules) ?? (/\p{L}/u.test(written) ? LETTERS : SHORT);
}

/** Strong separators first: a comma or a slash may also be part of one number, as in `030/23456789`. */
const SEPARATORS = [
  /\s*(?::::|[;|&\n\r])\s*|\s(?:ou|or|oder|and|und|e|y|o|et)\s|(?<=\d[^\d+]*)\s+(?=\(?\+)/i,
  /,/,
  /\s\/|\/\s/,
  /\//,
];
const STRONG = 0;

/** Undefined if there are no digits. */
function resolve(text: string, level: number, rules: PhoneRules): Reading | PhoneRefusal | undefined {
  const separator = SEPARATORS[level];
  if (separator === undefined) return readPiece(text, rules);
  const pieces = separator.test(text) ? text.split(separator).filter(saysSomething) : [];
  // A separate word may be about any of the numbers: `Fax; +55 …`.
  if (!pieces.every(hasDigits)) return LETTERS;
  if (pieces.length < 2) return resolve(pieces[0] ?? text, level + 1, rules);
  const results = pieces.map((piece) => resolve(piece, level + 1, rules));
  const [first] = results;
  const whole = level === STRONG ? undefined : readPiece(text.replace(/[,/]/g, ' '), rules);
  if (whole !== undefined && !('ok' in whole)) {
    return first !== undefined && !('ok' in first) && first.number !== whole.number ? SEVERAL : whole;
  }
  const found = firstOf(pieces, results);
  return found === SHORT ? (whole ?? found) : found;
}

const NOTHING = /^\s*(?:n\/?[adi]\.?|s\/n|null|none|nil|nan|undefined)\s*$/i;

const saysSomething = (text: string): boolean =>
  hasDigits(text) || (!NOTHING.test(text) && /\p{L}/u.test(withoutLabels(text)));

const hasDigits = (text: string): boolean => /\d/.test(text);

/**
 * Returns the first number that is readable by itself. A piece that is not a number may be the beginning of the next
 * one, so nothing after it counts, unless it has its country code. Whole numbers that belong to no person are skipped.
 */
function firstOf(
  pieces: readonly string[],
  results: readonly (Reading | PhoneRefusal | undefined)[],
): Reading | PhoneRefusal | undefined {
  let broken = false;
  for (const [index, result] of results.entries()) {
    if (result === undefined || result === SERVICE || result === PLACEHOLDER) continue;
    if (!('ok' in result) && (!broken || pieces[index]?.includes('+'))) return result;
    broken = true;
  }
  return results.find((result) => result !== undefined && 'ok' in result);
}

/** Reads a number that may be written as a float. */
function readFloat(text: string, rules: PhoneRules): Reading | PhoneRefusal {
  const digits = floatDigits(text);
  return typeof digits === 'object' && digits !== null ? digits : readWritten(digits ?? text, rules);
}

function readPiece(piece: string, rules: PhoneRules): Reading | PhoneRefusal | undefined {
  const bare = withoutLabels(piece);
  if (!hasDigits(bare)) return /\p{L}/u.test(bare) ? LETTERS : undefined;
  if (WRITTEN.test(bare)) return readFloat(bare, rules);
  return /\p{L}/u.test(bare) ? LETTERS : SYMBOLS;
}
