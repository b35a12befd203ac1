// Reads the country of a row: an ISO 3166 code, or a name in English, Portuguese or Spanish.
import { type CountryCode, getCountries, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { plainName } from './column-names.ts';
import { isCountry } from './phone/index.ts';

const LANGUAGES = ['en', 'pt', 'es'];
/** What people write, and what the names of the Unicode CLDR are not. */
const ALIASES: Readonly<Record<string, CountryCode>> = {
  usa: 'US',
  'u s a': 'US',
  'u s': 'US',
  'united states of america': 'US',
  eua: 'US',
  'ee uu': 'US',
  eeuu: 'US',
  uk: 'GB',
  'u k': 'GB',
  england: 'GB',
  scotland: 'GB',
  wales: 'GB',
  inglaterra: 'GB',
  'great britain': 'GB',
  holland: 'NL',
  holanda: 'NL',
  'czech republic': 'CZ',
  'republica tcheca': 'CZ',
};

/** Made at the first name: it takes 30 ms, and most mappings have no countries. */
let names: ReadonlyMap<string, CountryCode> | undefined;

/** @returns null for text that is no country with phone numbers */
export function readCountry(text: string): CountryCode | null {
  const plain = plainName(text);
  const code = plain.toUpperCase();
  if (isCountry(code)) return code;
  names ??= readNames();
  return names.get(plain) ?? null;
}

function readNames(): ReadonlyMap<string, CountryCode> {
  const found = new Map(Object.entries(ALIASES));
  for (const language of LANGUAGES) {
    const words = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' });
    for (const country of getCountries()) {
      const name = words.of(country);
      if (name !== undefined && !found.has(plainName(name))) found.set(plainName(name), country);
    }
  }
  return found;
}

/** @param number digits with country code; null for a number of no country, such as a toll-free one of several */
export function countryOfNumber(number: string): string | null {
  return parsePhoneNumberFromString(`+${number}`)?.country ?? null;
}
