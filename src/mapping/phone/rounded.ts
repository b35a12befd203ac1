// Floats: what spreadsheets, data frames and JSON make of a column of phone numbers, and whether digits were lost on the way.
import { DECIMAL, type PhoneRefusal, ROUNDED } from './result.ts';

const SCIENTIFIC = /^[+-]?(\d+)(?:[.,](\d+))?e\+?(\d{1,3})$/i;
/** With a + as well: read as digits, `+4930123456.0` is a stranger's +49 30 1234560. */
const WHOLE = /^(\+?\d{3,})[.,](?:00?|(?<=\d{7}[.,])0+)$/;
const FRACTION = /^\+?\d{7,}[.,]\d{1,2}$/;

/**
 * The digits behind the text of a float; null when the text is none.
 *
 * `5.511987654321E+12` and `5511987654321.0` still have all their digits. Tools that round keep 6 to 8 of them, so a float
 * that ends in three zeros is refused; one real number in a thousand does.
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

/** Six digits and zeros behind them: what a spreadsheet shows of a long number. */
const SIX_DIGITS = /^\d{6}0{6,}$/;

/** A number of JSON. Sources hand over rounded floats as text, so that an integer here mostly was written as one. */
export function lossOfNumber(value: number): PhoneRefusal | undefined {
  if (!Number.isInteger(value)) return DECIMAL;
  return Number.isSafeInteger(value) && !SIX_DIGITS.test(String(value)) ? undefined : ROUNDED;
}

function lossOf(digits: string): PhoneRefusal | undefined {
  const single = Number(digits);
  // A float of 32 bits holds one in 65,000 numbers of 12 digits; that it is one of them is no accident.
  const narrow = digits.length >= 12 && Math.fround(single) === single;
  return narrow || /\d{4}000$/.test(digits) ? ROUNDED : undefined;
}
