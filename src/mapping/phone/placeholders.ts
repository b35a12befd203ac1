// Recognizes numbers that people type because a form requires one: 99999999999, 0000-0000, 12345678.

// One valid number in a hundred million ends in nine equal digits; one with eight is +1 415 555 5555. Zeros do not
// count, because companies have such numbers.
const REPEATED = /^(\d)\1{3,}$|([1-9])\2{8}$/;
/** After the country code: one repeated digit, or in Brazil one repeated digit after the area code. */
const REPEATED_NATIONAL = /^(\d)\1+$/;
const REPEATED_BRAZILIAN = /^..(?:9(\d)\1{7}|([1-9])\2{7})$/;
/** For digits that are not a valid number: such a pattern is not a typing error. */
const INVALID = /(\d)\1{6}$|(?:^|\D)12345678$/;
const COUNTING = '01234567890123456789';

/**
 * For valid and invalid numbers alike.
 * @param digits as written
 */
export function isPlaceholder(digits: string): boolean {
  return REPEATED.test(digits) || (digits.length >= 6 && countsUp(digits));
}

export function isNationalPlaceholder(callingCode: string, national: string): boolean {
  return REPEATED_NATIONAL.test(national) || (callingCode === '55' && REPEATED_BRAZILIAN.test(national));
}

export const isInvalidPlaceholder = (text: string, digits: string): boolean =>
  INVALID.test(text) || INVALID.test(digits);

/** Only sequences from 0 or 1 on: 9 1234-5678 is a real number. */
function countsUp(digits: string): boolean {
  return COUNTING.startsWith(digits) || COUNTING.startsWith(digits, 1);
}
