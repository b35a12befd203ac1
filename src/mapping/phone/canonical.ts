// One person, one number: the form that a valid number has as the identity of a contact.
import { type NumberType, type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { NamedReading } from './result.ts';

/** A valid number, in its canonical form. */
export interface Reading extends NamedReading {
  /** Nobody's phone: premium rate, shared cost and the like. */
  readonly service: boolean;
  /** Whether the Brazilian ninth digit was added. */
  readonly lengthened: boolean;
  readonly found: PhoneNumber;
}

// Without this, a Brazilian mobile number that lacks its area code and begins with 900 would pass as a premium-rate one.
const NOBODYS = new Set<NumberType>(['PREMIUM_RATE', 'SHARED_COST', 'UAN', 'VOICEMAIL']);

/** The shortest numbers of E.164 in use have 7 digits (Niue, Tokelau). */
const SHORTEST = 7;
const LONGEST = 15;

/** Undefined when no carrier has the number. */
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
    found,
  };
}

/** Until 2019 a mobile number of Mexico had a 1 behind +52; chat networks still write it. */
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
  if (number.startsWith('52')) return `52${number.slice(2).replace(OLD_MEXICAN, '')}`;
  return brazilianVariants(number)[0] ?? number;
}
