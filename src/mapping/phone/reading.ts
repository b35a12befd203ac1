// Finds the readings of one written number, without labels and extension, and the one that is certain. It uses
// libphonenumber's `max` metadata: `mobile` would reject landlines, which can be on the chat network, and the default
// build accepts numbers that no carrier has.
import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  isSupportedCountry,
  Metadata,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import type { NumberFormat } from '../config.ts';
import { type Reading, toReading } from './canonical.ts';
import {
  type Contradiction,
  contradictionOf,
  groupsOf,
  halvesOf,
  hasAreaInParentheses,
  isAmerican,
  isInNationalGroups,
  trunkOf,
} from './grouping.ts';
import { isInvalidPlaceholder, isNationalPlaceholder, isPlaceholder } from './placeholders.ts';
import {
  CUT,
  groupedUnlike,
  LOCAL,
  LONG,
  NO_COUNTRY,
  NOT_INTERNATIONAL,
  notOf,
  type PhoneRefusal,
  PLACEHOLDER,
  SERVICE,
  SHORT,
  TWO,
  twoReadings,
  UNKNOWN,
} from './result.ts';

/** How to read numbers without a country code. */
export interface PhoneRules {
  readonly country?: CountryCode | undefined;
  /** Default: auto. */
  readonly format?: NumberFormat | undefined;
}

export function isCountry(code: string): code is CountryCode {
  return isSupportedCountry(code);
}

/** The readings of some digits: none, one number, or two different ones. */
type Readings = readonly Reading[];

/**
 * @param text digits, spaces, hyphens, dots and parentheses, with or without a leading +
 */
export function readWritten(text: string, rules: PhoneRules): Reading | PhoneRefusal {
  const digits = text.replace(/\D/g, '');
  if (isPlaceholder(digits)) return PLACEHOLDER;
  const readings = text.startsWith('+') ? readPlus(text, digits) : readBare(text, digits, rules);
  if ('ok' in readings) return readings;
  const [reading, other] = readings;
  if (reading === undefined) return whyUnreadable(text, digits, rules);
  if (other !== undefined) return twoReadings(reading, other);
  if (isNationalPlaceholder(reading.callingCode, reading.found.nationalNumber)) return PLACEHOLDER;
  if (reading.service) return SERVICE;
  const contradiction = contradictionOf(text, digits, reading);
  if (contradiction !== undefined) return whyContradicted(contradiction, reading);
  return isTwoNumbers(text, reading) ? TWO : reading;
}

function whyContradicted(contradiction: Contradiction, { country }: Reading): PhoneRefusal {
  if (contradiction === 'lacks') return CUT;
  return contradiction === 'partial' ? LOCAL : groupedUnlike(country);
}

/**
 * `01 51234 01 51235`: in countries with numbers of several lengths, the digits of two numbers may be a third one. The
 * first part is a number by itself, and the second one is too, or begins as the first one does.
 */
function isTwoNumbers(text: string, { country }: Reading): boolean {
  if (country === undefined || !isCountry(country)) return false;
  const read = (part: string): boolean => {
    const digits = part.replace(/\D/g, '');
    return (part.startsWith('+') ? readInternational(digits) : readNational(digits, country)) !== undefined;
  };
  return halvesOf(text, trunkOf(country)).some(
    ([left, right]) => read(left) && (read(right) || groupsOf(left)[0] === groupsOf(right)[0]),
  );
}

/** The zero of `+49 (0)30 …` is not dialed from abroad, that of `+39 (0)6 …` is. The valid form counts. */
function readPlus(text: string, digits: string): Readings {
  const international = digits.startsWith('00') ? digits.slice(2) : digits;
  const readings = [readInternational(international)];
  const zero = text.indexOf('(0)');
  if (zero >= 0)
    readings.push(readInternational((text.slice(0, zero) + text.slice(zero + 3)).replace(/\D/g, '')));
  return distinct(readings);
}

function readBare(
  text: string,
  digits: string,
  { country, format = 'auto' }: PhoneRules,
): Readings | PhoneRefusal {
  if (digits.startsWith('00')) {
    const abroad = readInternational(digits.slice(2));
    if (country === undefined || abroad?.callingCode === getCountryCallingCode(country))
      return distinct([abroad]);
    // In some countries a carrier code comes between, or national numbers begin with 00.
    return distinct([abroad, readNational(digits, country)]);
  }
  if (country === undefined) {
    if (format !== 'international') return [];
    // A number that begins with an area code in parentheses does not begin with a country code.
    return /^[(0]/.test(text) ? NO_COUNTRY : distinct([readInternational(digits)]);
  }
  const home = readNational(digits, country);
  // No country code begins with 0.
  if (digits.startsWith('0')) return distinct([home]);
  // `318-765-4321` is American, unless the country's own format or the configuration says otherwise.
  if (home !== undefined && format !== 'national' && isAmerican(text) && !isOwnForm(text, digits, home)) {
    const american = readInternational(`1${digits}`);
    if (american !== undefined) return distinct([home, american]);
  }
  // The library found the home country code, so both readings are the same.
  if (home?.number === digits) return [home];
  if (home !== undefined && (format === 'national' || hasAreaInParentheses(text, home))) return [home];
  const abroad = mayBeInternational(digits) ? readInternational(digits) : undefined;
  if (format === 'international') {
    return home !== undefined && isInNationalGroups(text, home, abroad)
      ? distinct([home, abroad])
      : distinct([abroad]);
  }
  // If the digits are not a national number, only the home country code is certain: a typing error would make other
  // numbers foreign.
  if (home === undefined) return abroad?.callingCode === getCountryCallingCode(country) ? [abroad] : [];
  if (abroad === undefined || home.number === abroad.number) return [home];
  return isInNationalGroups(text, home, abroad) ? [home] : [home, abroad];
}

/** Numbers whose groups are contradicted are refused for that reason. */
const isOwnForm = (text: string, digits: string, home: Reading): boolean =>
  home.found.formatNational() === text || contradictionOf(text, digits, home) !== undefined;

function distinct(readings: readonly (Reading | undefined)[]): Readings {
  const [first, ...more] = readings.filter((reading) => reading !== undefined);
  if (first === undefined) return [];
  const other = more.find((reading) => reading.number !== first.number);
  return other === undefined ? [first] : [first, other];
}

function readInternational(digits: string): Reading | undefined {
  return toReading(parsePhoneNumberFromString(`+${digits}`, { extract: false }));
}

// 01 dialed trunk calls, 044 and 045 mobile ones, until 2019.
const OLD_MEXICAN = /^(?:01|04[45]|1)(?=\d{10}$)/;

function readNational(digits: string, country: CountryCode): Reading | undefined {
  const dialed = country === 'MX' ? digits.replace(OLD_MEXICAN, '') : digits;
  return toReading(parsePhoneNumberFromString(dialed, { defaultCountry: country, extract: false }));
}

/** Possible lengths of numbers by country code. */
const LENGTHS = lengthsByCallingCode();

function lengthsByCallingCode(): ReadonlyMap<string, ReadonlySet<number>> {
  const lengths = new Map<string, Set<number>>();
  const metadata = new Metadata();
  for (const country of getCountries()) {
    const code = getCountryCallingCode(country);
    metadata.selectNumberingPlan(country);
    const known = lengths.get(code) ?? new Set();
    for (const length of metadata.numberingPlan?.possibleLengths() ?? []) known.add(length);
    lengths.set(code, known);
  }
  return lengths;
}

/** Saves the library's 5 µs for digits that cannot be international. False only if no number begins with them. */
function mayBeInternational(digits: string): boolean {
  // No area code of North America begins with 0 or 1.
  if (digits.startsWith('1')) return digits.length === 11 && (digits[1] ?? '') >= '2';
  for (const size of [1, 2, 3]) {
    const lengths = LENGTHS.get(digits.slice(0, size));
    if (lengths === undefined) continue;
    // Older Mexican numbers, and those with a zero that is not dialed from abroad, have one more digit.
    return lengths.has(digits.length - size) || lengths.has(digits.length - size - 1);
  }
  // Numbers of no country, such as +800 and +883.
  return /^[89]/.test(digits);
}

function whyUnreadable(text: string, digits: string, { country, format }: PhoneRules): PhoneRefusal {
  if (!text.startsWith('+') && isInvalidPlaceholder(text, digits)) return PLACEHOLDER;
  if (digits.length < 7) return SHORT;
  // A trunk zero with a carrier code, or 00, may come first.
  if (digits.length > (digits.startsWith('0') ? 20 : 15)) return LONG;
  if (/^(?:\+|00)/.test(text)) return UNKNOWN;
  if (format === 'international') return NOT_INTERNATIONAL;
  return country === undefined ? NO_COUNTRY : notOf(country);
}
