// Phone numbers in the form of the API text: E.164 without the plus sign, digits only.
import type { Choices } from '../choices.ts';
import { Problem } from '../http/errors.ts';

/**
 * Returns the digits of a number in any form.
 * @throws Problem ERR_NUMBER_INVALID if no valid digits remain (API text, "Errors")
 */
export function normalizeNumber(raw: string, choices: Choices): string {
  const digits = raw.replace(/\D/g, '');
  if (digits.length < choices.numberDigits.min || digits.length > choices.numberDigits.max) {
    throw new Problem('ERR_NUMBER_INVALID');
  }
  return digits;
}

/** Returns the text to search for: the digits of a number in any form, else the text itself. */
export const searchedDigits = (search: string) =>
  /^[\d\s()+.-]*\d[\d\s()+.-]*$/.test(search) ? search.replace(/\D/g, '') : search;

/** Returns the number and, for a Brazilian one, its other form with or without the ninth digit. */
export function ninthDigitVariants(digits: string): string[] {
  const long = /^(55\d{2})9(\d{8})$/.exec(digits);
  if (long !== null) return [digits, `${long[1]}${long[2]}`];
  const short = /^(55\d{2})(\d{8})$/.exec(digits);
  return short === null ? [digits] : [digits, `${short[1]}9${short[2]}`];
}
