// Phone numbers as people and spreadsheets write them → E.164 digits without plus, the identity of a contact.
// Metadata: libphonenumber's `max`. `mobile` would refuse landlines, which can be on the chat network; the default build takes
// numbers that no carrier has. It loads in 3 ms and parses 100,000 numbers a second.
import {
  type CountryCode,
  isSupportedCountry,
  type NumberType,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';

export type PhoneResult =
  | { readonly ok: true; readonly number: string }
  | { readonly ok: false; readonly code: 'invalid_phone' | 'excel_number'; readonly reason: string };

export function isCountry(code: string): code is CountryCode {
  return isSupportedCountry(code);
}

/**
 * The first valid number in a cell. Accepts any punctuation, full-width digits, trunk zeros and Brazilian carrier codes
 * (`0 15 11 …`), `00` for `+`, extensions (dropped), labels (`Tel: …`, `… (WhatsApp)`), and several numbers in one cell.
 *
 * The result is canonical: a Brazilian mobile number always has its ninth digit (see {@link brazilianVariants}), so both forms
 * are one person. The number field of the API is the identity key of the upsert and can't be changed later
 * (API text, POST /v1/contacts), so it must not depend on how an export happens to write it.
 *
 * @param country of numbers written without a country code; without it, those must begin with one
 */
export function parsePhone(value: string, country?: CountryCode): PhoneResult {
  const text = tidy(value);
  if (/^\d+([.,]\d+)?e\+?\d{1,2}$/i.test(text)) {
    const digits = exactDigits(text);
    if (digits === undefined) return EXCEL;
    return fromDigits(digits, country) ?? INVALID;
  }
  let service: PhoneResult | undefined;
  for (const part of [...text.split(SEPARATORS), text]) {
    const number = fromText(part, country);
    if (number?.ok) return number;
    service ??= number;
  }
  if (service) return service;
  if (/\p{L}/u.test(text.replace(EXTENSION, ''))) return LETTERS;
  const digits = text.replace(/\D/g, '').length;
  if (digits < 8) return SHORT;
  return digits > 15 ? LONG : country ? INVALID : NO_COUNTRY;
}

const fail = (reason: string, code: 'invalid_phone' | 'excel_number' = 'invalid_phone'): PhoneResult => ({
  ok: false,
  code,
  reason,
});
const EXCEL = fail(
  'a spreadsheet rounded the number (scientific notation) and its last digits are lost; format the column as text and export again',
  'excel_number',
);
const LETTERS = fail('the number holds letters; keep one phone number in the cell');
const SHORT = fail('the number is too short; write it with its area code');
const LONG = fail('the number is longer than 15 digits; keep one phone number in the cell');
const INVALID = fail(
  'no carrier has such a number; check area code and length, and write foreign numbers with + and country code',
);
const SERVICE = fail(
  'this is a service number (in Brazil 0900, 4004), or a number without its area code; write the number of a person with area code',
);
// Without this, a Brazilian mobile number that lacks its area code and begins with 900 would pass as a premium-rate one.
const NOBODYS = new Set<NumberType>(['PREMIUM_RATE', 'SHARED_COST', 'UAN', 'VOICEMAIL']);
const NO_COUNTRY = fail(
  'the number has no valid country code; set `defaultCountry` in the mapping, or write it with + and country code',
);

const SEPARATORS = /[;,|\n/&]|\s(?:ou|or|e|and|y)\s/i;
const EXTENSION =
  /[\s,;-]*(?:\b(?:ramal|ram|extens[aã]o|extension|ext|extn|r)\b\.?|x|#)\s*[.:]?\s*\d{1,6}\s*$/i;
const LABEL = /^(?:tel(?:efone)?|fone|phone|cel(?:ular)?|mobile|whats(?:app)?|wpp|zap|[pmt])\s*[.:]+\s*/i;
const CUT_SHORT = /9\d{4}[\s.\-\u2010-\u2015]\d{3}$/;
// Invisible direction marks come with numbers copied from phones' address books.
const INVISIBLE = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u00ad]/g;

function tidy(value: string): string {
  return value
    .normalize('NFKC')
    .replace(INVISIBLE, '')
    .trim()
    .replace(/^'|^="?|"$/g, '')
    .replace(/^(?:tel|whatsapp):/i, '')
    .replace(/@(?:c\.us|s\.whatsapp\.net)$/i, '')
    .replace(/^(\d{8,15})\.0$/, '$1')
    .trim();
}

/** `5.511987654321E+12` still has all its digits; `5.51199E+12` has not. */
function exactDigits(text: string): string | undefined {
  const [mantissa = '', exponent = ''] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split(/[.,]/);
  return fraction.length > 0 && fraction.length === Number(exponent) ? whole + fraction : undefined;
}

function fromText(part: string, country: CountryCode | undefined): PhoneResult | undefined {
  const bare = part
    .trim()
    .replace(EXTENSION, '')
    .replace(LABEL, '')
    .replace(/\([^\d()]*\)/g, '')
    // `0xx11`: the Brazilian way to print "dial zero, any carrier, then 11"; `(0)` marks a trunk zero not dialled from abroad.
    .replace(/^(\(?)0xx/i, '$10')
    .replace(/\(0\)/, '')
    .trim();
  if (bare === '' || !/^\+?[\d\s().\-\u2010-\u2015]+$/.test(bare)) return undefined;
  const digits = bare.replace(/\D/g, '');
  const found = bare.startsWith('+') ? fromInternational(digits) : fromDigits(digits, country);
  // `98765-432` lost a digit; taken for an eight-digit number it would be a stranger's.
  const cut =
    found?.ok &&
    CUT_SHORT.test(bare) &&
    found.number.startsWith('55') &&
    !digits.endsWith(found.number.slice(4));
  return cut ? undefined : found;
}

function fromDigits(digits: string, country: CountryCode | undefined): PhoneResult | undefined {
  if (digits.length < 8) return undefined;
  if (digits.startsWith('00')) {
    const abroad = fromInternational(digits.slice(2));
    if (abroad) return abroad;
  }
  if (!country) return fromInternational(digits);
  const found = parsePhoneNumberFromString(digits, { defaultCountry: country, extract: false });
  return found && canonical(found);
}

function fromInternational(digits: string): PhoneResult | undefined {
  const found = parsePhoneNumberFromString(`+${digits}`, { extract: false });
  return found && canonical(found);
}

function canonical(found: PhoneNumber): PhoneResult | undefined {
  const national =
    found.countryCallingCode === '55' ? addNinthDigit(found.nationalNumber) : found.nationalNumber;
  const number = found.countryCallingCode + national;
  const checked =
    national === found.nationalNumber ? found : parsePhoneNumberFromString(`+${number}`, { extract: false });
  const type = checked?.getType();
  if (type === undefined || number.length < 8 || number.length > 15) return undefined;
  return NOBODYS.has(type) ? SERVICE : { ok: true, number };
}

/** Area code and eight digits that begin with 6–9: a mobile number from before the ninth digit. */
function addNinthDigit(national: string): string {
  return /^\d{2}[6-9]\d{7}$/.test(national) ? `${national.slice(0, 2)}9${national.slice(2)}` : national;
}

/**
 * All forms under which a service may hold this number, canonical form first: a Brazilian mobile number with and without its
 * ninth digit, any other number alone.
 *
 * Between 2012 and 2016 Brazil put a 9 in front of its eight-digit mobile numbers (which began with 6–9); landlines (2–5) stayed.
 * Address books and chat accounts made before that keep the short form, so one person is known under two numbers. The filter
 * `number` of GET /v1/contacts covers both (API text, Contacts); the upsert does not say so, hence this list. A mobile number
 * whose digit behind the 9 is 0–5 is newer than the change: it never had a short form, and that form may be a stranger's landline.
 *
 * @param number E.164 digits without plus
 */
export function brazilianVariants(number: string): string[] {
  const [, area, subscriber] = /^55(\d{2})(?:9?)([6-9]\d{7})$/.exec(number) ?? [];
  if (area === undefined || subscriber === undefined) return [number];
  return [`55${area}9${subscriber}`, `55${area}${subscriber}`];
}

/**
 * The key of the person who has this number: what `record.key` holds, whichever form the service holds.
 * @param number E.164 digits without plus
 */
export function canonicalKey(number: string): string {
  return brazilianVariants(number)[0] ?? number;
}
