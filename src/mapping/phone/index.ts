// Converts phone numbers in the forms of people and spreadsheets to E.164 digits without plus, the identity of a
// contact.
import type { Reading } from './canonical.ts';
import { isWritten } from './grouping.ts';
import { hidesDigits } from './hidden.ts';
import { unquoted, withDigitForSign, withoutLabels } from './labels.ts';
import { withNetworkForms } from './network-forms.ts';
import { belongsToOtherColumn } from './other-columns.ts';
import { plainCharacters } from './plain-text.ts';
import { type PhoneRules, readWritten } from './reading.ts';
import {
  CROWDED,
  HIDDEN,
  LETTERS,
  OTHER_COLUMN,
  type PhoneRefusal,
  type PhoneResult,
  PLACEHOLDER,
  SERVICE,
  SEVERAL,
  SHORT,
  SYMBOLS,
  TWO,
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
const BARE = /^\+?\(?\d+\)?(?:[ -]?\(?\d+\)?)?(?:[ -]\d+){0,4}$/;

/**
 * Reads the number of a cell: the only one that is readable, or the first of several. docs/reference/sources.md lists
 * the accepted spellings. A number with two valid readings is rejected, and the error names both.
 *
 * The result is canonical: a Brazilian mobile number always has its ninth digit (see `brazilianVariants`), so both
 * forms are one person. The number field of the API is the identity key of the upsert and cannot change later (API
 * text, POST /v1/contacts), so it must not depend on the spelling in an export.
 *
 * Measured: 130,000 numbers per second in a usual spelling, 100,000 in all spellings mixed.
 */
export function parsePhone(value: string, rules: PhoneRules): PhoneResult {
  // Before anything else: a sender or a file decides the length.
  if (value.length > LONGEST_CELL) return CROWDED;
  const found = BARE.test(value) ? readNumber(value, rules) : readCell(value, rules);
  return 'ok' in found ? found : { ok: true, number: found.number };
}

/** The same for a JSON number, which may be a float that lost digits. */
export function parsePhoneNumber(value: number, rules: PhoneRules): PhoneResult {
  return lossOfNumber(value) ?? parsePhone(String(value), rules);
}

function readCell(value: string, rules: PhoneRules): Reading | PhoneRefusal {
  const plain = plainCharacters(value);
  if (plain === null) return SYMBOLS;
  const text = unquoted(plain);
  // Before the search for separators, because a float's decimal comma is not one.
  if (floatDigits(text) !== null) return readFloat(text, rules);
  // Between numbers they divide them. At an edge they may stand for a digit.
  if (/^[|&]|[|&]$/.test(text)) return SYMBOLS;
  const written = withNetworkForms(text);
  if (typeof written !== 'string') return written;
  return resolve(written, 0, rules) ?? (/\p{L}/u.test(written) ? LETTERS : SHORT);
}

/** Strong separators first: a comma or a slash may also be part of one number, as in `030/23456789`. */
const SEPARATORS = [
  /\s*(?::::|[;|&])\s*|\s(?:ou|or|oder|and|und|e|y|o|et)\s|(?<=\d[^\d+]*)\s+(?=\(?\+)/i,
  // A gap after a country code with + or a parenthesis is a slip. Anywhere else it divides two cells.
  /\s*[\n\r\t]\s*|(?<=\d)(?<!\+\d{1,3}) {2,}(?=[(\d])/,
  /,/,
  /\s\/|\/\s/,
  /\//,
];
/** Up to this one a separator never belongs to a number. */
const GAP = 1;

/** Undefined if there are no digits. */
function resolve(text: string, level: number, rules: PhoneRules): Reading | PhoneRefusal | undefined {
  const separator = SEPARATORS[level];
  if (separator === undefined) return readPiece(text, rules);
  if (level === GAP + 1 && isOther(text, rules)) return OTHER_COLUMN;
  const pieces = separator.test(text)
    ? text.split(separator).filter((piece) => saysSomething(piece, level))
    : [];
  // A separate word may be about any of the numbers: `Fax; +55 …`.
  if (!pieces.every(hasDigits)) return pieces.some(hidesDigits) || hidesDigits(text) ? HIDDEN : LETTERS;
  if (pieces.length < 2) return resolve(pieces[0] ?? text, level + 1, rules);
  const results = pieces.map((piece) => resolve(piece, level + 1, rules));
  const [first] = results;
  const isUnread = first !== undefined && 'ok' in first;
  if (level === GAP && isUnread && !pieces.slice(1).some((piece) => piece.includes('+'))) return first;
  if (level <= GAP && results.slice(1).some(mayContinue)) return TWO;
  const whole = level <= GAP ? undefined : readPiece(text.replace(/\s*[,/]\s*/g, ' '), rules);
  if (whole !== undefined && !('ok' in whole)) {
    return first !== undefined && !('ok' in first) && first.number !== whole.number ? SEVERAL : whole;
  }
  const found = firstOf(pieces, results);
  return found === SHORT ? (whole ?? found) : found;
}

const NOTHING = /^\s*(?:n\/?[adi]\.?|s\/n|null|none|nil|nan|undefined)\s*$/i;

/** A dash or nothing is an empty cell between strong separators; in one number a dash may stand for digits. */
function saysSomething(text: string, level: number): boolean {
  if (hasDigits(text)) return true;
  if (NOTHING.test(text)) return false;
  return (level <= GAP ? /[^\s.,:()'"-]/ : /\S/).test(withoutLabels(text, undefined));
}

/** A piece that is no number by itself may belong to the number before it, and what divides them may stand for a digit. */
const mayContinue = (result: Reading | PhoneRefusal | undefined): boolean =>
  result !== undefined &&
  'ok' in result &&
  result !== LETTERS &&
  result !== SERVICE &&
  result !== PLACEHOLDER;

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
  const bare = withoutLabels(piece, rules.country);
  if (!hasDigits(bare)) return /\p{L}/u.test(bare) ? LETTERS : undefined;
  if (isWritten(bare) || floatDigits(bare) !== null) {
    return mayHideDigit(piece, rules) ? HIDDEN : readFloat(bare, rules);
  }
  if (hidesDigits(piece)) return HIDDEN;
  return /\p{L}/u.test(bare) ? LETTERS : SYMBOLS;
}

function mayHideDigit(piece: string, rules: PhoneRules): boolean {
  return (
    withDigitForSign(piece)
      .map((text) => withoutLabels(text, rules.country))
      // Without a +, the cell may be the number of another country.
      .flatMap((text) => (/^[1-9]/.test(text) ? [text, `+${text}`] : [text]))
      .some((text) => {
        const result = readWritten(text, rules);
        return !('ok' in result) || result.code === 'ambiguous_phone';
      })
  );
}

/** A cell with nothing but a number. */
function readNumber(text: string, rules: PhoneRules): Reading | PhoneRefusal {
  if (isOther(text, rules)) return OTHER_COLUMN;
  return isWritten(text) ? readWritten(text, rules) : readCell(text, rules);
}

const isOther = (text: string, { country }: PhoneRules): boolean =>
  belongsToOtherColumn(withoutLabels(text, country), country);
