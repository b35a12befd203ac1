// Reduces a valid number to its canonical form, which is the identity of a contact.
import { type NumberType, type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { NamedReading } from './result.ts';

/** A valid number, in its canonical form. */
export interface Reading extends NamedReading {
  /** A number that no person has: premium rate, shared cost and similar. */
  readonly service: boolean;
  /** Whether the Brazilian ninth digit was added. */
  readonly lengthened: boolean;
  /** The national number, without what the canonical form adds or drops. */
  readonly written: string;
  readonly found: PhoneNumber;
}

// Otherwise a Brazilian mobile number without area code that begins with 900 would pass as a premium-rate number.
const NOBODYS = new Set<NumberType>(['PREMIUM_RATE', 'SHARED_COST', 'UAN', 'VOICEMAIL']);

/** The shortest E.164 numbers in use have 7 digits (Niue, Tokelau). */
const SHORTEST = 7;
const LONGEST = 15;

/** Undefined if no carrier has the number. */
export function toReading(parsed: PhoneNumber | undefined): Reading | undefined {
  if (parsed === undefined) return undefined;
  const { countryCallingCode: callingCode } = parsed;
  const national = canonicalNational(callingCode, parsed.nationalNumber);
  const same = national === parsed.nationalNumber;
  const number = callingCode + national;
  const found = same ? parsed : parsePhoneNumberFromString(`+${number}`, { extract: false });
  const type = found?.getType();
  if (found === undefined || type === undefined) return undefined;
  if (number.length < SHORTEST || number.length > LONGEST) return undefined;
  const { country } = found;
  return {
    number,
    callingCode,
    country,
    service: NOBODYS.has(type),
    lengthened: national.length > parsed.nationalNumber.length,
    written: parsed.nationalNumber,
    found,
  };
}

/** Until 2019 Mexican mobile numbers had a 1 after +52. Chat networks still write it. */
const OLD_MEXICAN = /^1(?=\d{10}$)/;

function canonicalNational(callingCode: string, national: string): string {
  if (callingCode === '55') return addNinthDigit(national);
  return callingCode === '52' ? national.replace(OLD_MEXICAN, '') : national;
}

/** Area code and eight digits that begin with 6–9: a mobile number from before the ninth digit. */
function addNinthDigit(national: string): string {
  return /^\d{2}[6-9]\d{7}$/.test(national) ? `${national.slice(0, 2)}9${national.slice(2)}` : national;
}

/**
 * Returns all forms under which a service may store this number, canonical form first: a Brazilian mobile number with
 * and without its ninth digit, any other number alone.
 *
 * Between 2012 and 2016 Brazil put a 9 before its eight-digit mobile numbers (which began with 6–9); landlines (2–5)
 * did not change. Older address books and chat accounts keep the short form, so one person is known under two numbers.
 * The filter `number` of GET /v1/contacts covers both (API text, Contacts). The upsert does not say so, hence this
 * list. A mobile number whose digit after the 9 is 0–5 is newer than the change. It never had a short form, and that
 * form may be a stranger's landline.
 *
 * @param number E.164 digits without plus
 */
export function brazilianVariants(number: string): string[] {
  const [, area, subscriber] = /^55(\d{2})(?:9?)([6-9]\d{7})$/.exec(number) ?? [];
  if (area === undefined || subscriber === undefined) return [number];
  return [`55${area}9${subscriber}`, `55${area}${subscriber}`];
}

/**
 * Returns the key of the person with this number: the value of `record.key`, whichever form the service stores.
 * @param number E.164 digits without plus
 */
export function canonicalKey(number: string): string {
  if (number.startsWith('52')) return `52${number.slice(2).replace(OLD_MEXICAN, '')}`;
  return brazilianVariants(number)[0] ?? number;
}
