// Recognizes what belongs into another column: documents, dates, addresses, amounts, postal codes, cards. Such digits
// may be a valid number of somebody.
import { trunkOf } from './grouping.ts';

/** A day of this or the last century, with or without a time behind it. */
const MONTH = '(?:0?[1-9]|1[0-2])';
const DAY = '(?:0?[1-9]|[12]\\d|3[01])';
const YEAR = '(?:19|20)\\d\\d';
const DATES = [
  `${YEAR}([-./])${MONTH}\\1${DAY}(?:[ T].*)?`,
  `${DAY}([-./])${MONTH}\\1(?:${YEAR}|\\d\\d)(?: .*)?`,
  `${MONTH}([-./])${DAY}\\1(?:${YEAR}|\\d\\d)(?: .*)?`,
];

const FORMS: readonly RegExp[] = [
  ...DATES.map((date) => new RegExp(`^${date}$`)),
  // CPF, RG, RUT, NIT: groups of three and check digits.
  /^\d{1,3}([. ])\d{3}\1\d{3}-\d{1,2}$/,
  /^\d{9}-\d{2}$/,
  // CNPJ, PIS, CUIT.
  /^\d{2}[. ]?\d{3}[. ]?\d{3}\/\d{4}-\d{2}$/,
  /^\d{3}\.\d{5}\.\d{2}-\d$/,
  /^\d{2}-\d{8}-\d$/,
  // A social security number of the United States.
  /^\d{3}-\d{2}-\d{4}$/,
  // Cards.
  /^\d{4}([ -])\d{4}\1\d{4}\1\d{4}(?:\1\d{1,3})?$/,
  /^\d{4}([ -])\d{6}\1\d{5}$/,
  // Amounts. With 11 digits and more it is a number that a spreadsheet has grouped.
  /^\d{1,3}(?:\.\d{3})*,\d{1,2}$/,
  /^\d{1,3}(?:,\d{3})*\.\d{1,2}$/,
  /^\d{1,2}([.,])\d{3}\1\d{3}$/,
  /^\d([.,])\d{3}\1\d{3}\1\d{3}$/,
  /^\d{4,6}[.,]\d{1,2}$/,
];

/**
 * A postal code of Brazil or the United States. German area codes may have five digits with their zero, and a Brazilian
 * mobile number without area code is written like this too.
 */
const POSTAL = /^\d{5}-\d{3,4}$/;

const ADDRESS = /^\d{1,3}(?:\.\d{1,3}){3}$/;
/** Danish numbers are written in four pairs, those of New Caledonia in three, as dates are. */
const PAIRS = /^\d\d(?:\.\d\d){3}$/;
const THREE_PAIRS = /^\d\d(?:\.\d\d){2}$/;

/**
 * @param text one cell without labels, in plain characters
 * @param country the default country
 */
export function belongsToOtherColumn(text: string, country: string | undefined): boolean {
  if (!/^\d+[-., /]/.test(text)) return false;
  if (country === 'NC' && THREE_PAIRS.test(text)) return false;
  if (POSTAL.test(text)) {
    const local =
      text.length === 10 &&
      (country === 'BR' || (trunkOf(country) !== '' && text.startsWith(trunkOf(country))));
    return !local;
  }
  if (ADDRESS.test(text) && !PAIRS.test(text)) return text.split('.').every((part) => Number(part) < 256);
  return FORMS.some((form) => form.test(text));
}
