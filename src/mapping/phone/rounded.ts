// Detects floats, which spreadsheets, data frames and JSON make of phone numbers, and whether digits were lost.
import { DECIMAL, type PhoneRefusal, ROUNDED } from './result.ts';

const SCIENTIFIC = /^[+-]?(\d+)(?:[.,](\d+))?e\+?(\d{1,3})$/i;
/** Also with a +: read as digits, `+4930123456.0` would be a stranger's +49 30 1234560. */
const WHOLE = /^(\+?\d{3,})[.,](?:00?|(?<=\d{7}[.,])0+)$/;
const FRACTION = /^\+?\d{7,}[.,]\d{1,2}$/;

/**
 * Returns the digits of a float's text. Null if the text is not a float.
 *
 * `5.511987654321E+12` and `5511987654321.0` still have all their digits. Tools that round keep 6 to 8 of them, so a
 * float that ends in three zeros is rejected. One real number in a thousand ends that way.
 */
export function floatDigits(text: string): string | PhoneRefusal | null {
  const [, whole = '', fraction = '', exponent] = SCIENTIFIC.exec(text) ?? [];
  if (exponent !== undefined) {
    const digits = whole + fraction;
    return fraction.length === Number(exponent) ? (lossOf(digits) ?? digits) : ROUNDED;
  }
  const [, digits] = WHOLE.exec(text) ?? [];
  if (digits !== undefined) return lossOf(digits) ?? digits;
  return FRACTION.test(text) ? DECIMAL : null;
}

/** Six digits followed by zeros: the way a spreadsheet shows a long number. */
const SIX_DIGITS = /^\d{6}0{6,}$/;

/** Reads a JSON number. Sources pass rounded floats as text, so an integer here was most likely written as one. */
export function lossOfNumber(value: number): PhoneRefusal | undefined {
  if (!Number.isInteger(value)) return DECIMAL;
  return Number.isSafeInteger(value) && !SIX_DIGITS.test(String(value)) ? undefined : ROUNDED;
}

function lossOf(digits: string): PhoneRefusal | undefined {
  const single = Number(digits);
  // A 32-bit float represents one in 65,000 numbers of 12 digits, so a match is no coincidence.
  const narrow = digits.length >= 12 && Math.fround(single) === single;
  return narrow || /\d{4}000$/.test(digits) ? ROUNDED : undefined;
}
