// The result of reading a phone number, and every reason for a rejection. No reason contains the number itself.

/**
 * - `invalid_phone`: no number of a person can be read
 * - `ambiguous_phone`: two numbers can be read
 * - `placeholder_phone`: somebody filled the field because it was required
 * - `excel_number`: a spreadsheet or a float may have rounded digits away
 */
export type PhoneCode = 'invalid_phone' | 'ambiguous_phone' | 'placeholder_phone' | 'excel_number';

export interface PhoneRefusal {
  readonly ok: false;
  readonly code: PhoneCode;
  readonly reason: string;
}

export type PhoneResult = { readonly ok: true; readonly number: string } | PhoneRefusal;

const refusal = (reason: string, code: PhoneCode = 'invalid_phone'): PhoneRefusal => ({
  ok: false,
  code,
  reason,
});

export const ROUNDED = refusal(
  'a spreadsheet or a float may have rounded the number, and its last digits are lost; format the column as text and export again',
  'excel_number',
);
export const DECIMAL = refusal(
  'this is a number with decimals, not a phone number; format the column as text and export again',
  'excel_number',
);
export const PLACEHOLDER = refusal(
  'this is a placeholder (one repeated digit, or digits that count up), not a phone number; enter the real number, or leave the field empty',
  'placeholder_phone',
);
export const LETTERS = refusal('the number contains letters; keep one phone number in the cell');
export const SYMBOLS = refusal(
  'the number contains characters that no phone number has; keep digits, spaces, hyphens, parentheses and one leading +',
);
export const HIDDEN = refusal(
  'the cell hides or cuts off digits, or has a sign in place of one; write all digits of the number',
);
export const OTHER_COLUMN = refusal(
  'this has the form of a document, a date, an amount, an address or a card, not of a phone number; map the column with the phone number',
);
export const LOCAL = refusal(
  'this is a local number without its area code; write it with its area code, or with + and country code',
);
export const CONTEXT = refusal(
  'this link has a local number whose `phone-context` is no country code, or contradicts the number; write the number with + and country code',
);
export const SHORT = refusal('the number is too short; write it with its area code');
export const LONG = refusal('the number is longer than 15 digits; keep one phone number in the cell');
export const CROWDED = refusal('the cell has more than 1,000 characters; keep one phone number in the cell');
export const NO_COUNTRY = refusal(
  'the number does not name its country; set `defaultCountry`, write the number with + and country code, or set `numberFormat: international` if every number begins with its country code',
);
export const NOT_INTERNATIONAL = refusal(
  'no carrier has such a number; it must begin with its country code because of `numberFormat: international`',
);
export const UNKNOWN = refusal('no carrier has such a number; check country code, area code and length');
export const SERVICE = refusal(
  'this is a service number (in Brazil 0900, 4004), or a number without its area code; write the number of a person with area code',
);
export const CUT = refusal('the number lacks a digit; write all of its digits');
export const SEVERAL = refusal(
  'the separators in the cell can end one number or belong to it; keep one phone number in the cell',
  'ambiguous_phone',
);
export const TWO = refusal(
  'the cell can be two numbers, one after the other; put a semicolon between them, or keep one phone number in the cell',
  'ambiguous_phone',
);
export const GROUP_ID = refusal(
  'this is the id of a group or channel of the chat network, not the number of a person',
);
export const INNER_ID = refusal(
  'this is an internal id of the chat network (lid), not a phone number; export the phone number of the contact',
);
export const LINK = refusal(
  'this link does not contain a phone number; write the number, or https://wa.me/ and the number',
);

/**
 * The number is not valid in the default country. Sluice does not check whether it is foreign, because that would be a
 * guess.
 */
export const notOf = (country: string): PhoneRefusal =>
  refusal(
    `no carrier in ${country} has such a number; check area code and length, and write foreign numbers with + and country code`,
  );

/** The digits are valid, but nobody groups a number of this country in this way. */
export const groupedUnlike = (country: string | undefined): PhoneRefusal =>
  refusal(
    `the digits are not grouped as in a number of ${country ?? 'this country'}; group them as its numbers are, and write foreign numbers with + and country code`,
  );

/** `+55 51•••••••••`: enough to distinguish two readings of the same digits. */
const maskReading = ({ number, callingCode, country }: NamedReading): string => {
  const national = number.slice(callingCode.length);
  const shown = `+${callingCode} ${national.slice(0, 2)}${'•'.repeat(Math.max(0, national.length - 2))}`;
  return country === undefined ? shown : `${shown} (${country})`;
};

export interface NamedReading {
  /** E.164 digits without plus. */
  readonly number: string;
  readonly callingCode: string;
  /** Undefined: a number of no single country. */
  readonly country: string | undefined;
}

export const twoReadings = (one: NamedReading, other: NamedReading): PhoneRefusal =>
  refusal(
    `the digits are two valid numbers: ${maskReading(one)} and ${maskReading(other)}; set \`numberFormat\` to national or international, or write the number with + and country code`,
    'ambiguous_phone',
  );
