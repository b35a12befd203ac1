// Time zones in which the owner of a phone number may live. With several zones, a window must be open in all of them,
// because the number does not show which one applies.
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { Temporal } from 'temporal-polyfill';

/**
 * Finds all zones that a number (E.164 digits without plus) may be in, sorted. In Brazil they depend on the area
 * code, elsewhere on the country. A number without a country (invalid, or a satellite number) is assigned to
 * `fallback`, the account's zone. ICU is queried once per country, which takes 10 µs per number instead of 200.
 */
export function zoneFinder(fallback: string): (number: string) => readonly string[] {
  const countries = new Map<string, readonly string[]>();
  return (number) => {
    const found = parsePhoneNumberFromString(`+${number}`, { extract: false });
    const country = found?.country;
    if (found === undefined || country === undefined) return [fallback];
    const area = country === 'BR' ? BRAZIL.get(found.nationalNumber.slice(0, 2)) : undefined;
    if (area !== undefined) return area;
    const known = countries.get(country);
    if (known !== undefined) return known;
    const zones = zonesOfCountry(country);
    countries.set(country, zones.length > 0 ? zones : [fallback]);
    return countries.get(country) ?? [fallback];
  };
}

/** Encodes zones as the row of a member stores them. */
export const zonesText = (zones: readonly string[]): string => zones.join(',');

/** Decodes what {@link zonesText} encoded; an empty text means `fallback`, the account's zone. */
export function zonesOfText(text: string, fallback: string): string[] {
  return text === '' ? [fallback] : text.split(',');
}

/**
 * True for the name of an IANA time zone. Offsets (`-03:00`) are not accepted, because they have no daylight saving
 * time.
 */
export function isZone(text: string): boolean {
  if (!/^[A-Za-z]/.test(text)) return false;
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(text);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** `getTimeZones()` is the standard form; older versions of JavaScript have `timeZones` instead. */
interface ZonedLocale {
  readonly timeZones?: readonly string[];
  getTimeZones?(): readonly string[] | undefined;
}

/** Countries that libphonenumber knows but that have no zone in ICU's list. */
const BESIDE: Readonly<Record<string, string>> = {
  AC: 'Atlantic/St_Helena',
  TA: 'Atlantic/St_Helena',
  XK: 'Europe/Belgrade',
};

/** Reads ICU's list, which takes 0.2 ms. */
function zonesOfCountry(country: string): readonly string[] {
  const locale: Intl.Locale & ZonedLocale = new Intl.Locale('und', { region: country });
  const zones = locale.getTimeZones?.() ?? locale.timeZones ?? [];
  const beside = BESIDE[country];
  return zones.length === 0 && beside !== undefined ? [beside] : [...new Set(zones)].sort();
}

/**
 * Zones of Brazil by area code, following Anatel's numbering plan and the IANA list. An area that extends into two
 * zones has both. Area 81 includes Fernando de Noronha, one hour ahead of Recife.
 */
const BRAZIL: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    Araguaina: '63',
    Bahia: '71 73 74 75 77',
    Belem: '91 93 94 96',
    Boa_Vista: '95',
    Campo_Grande: '67',
    Cuiaba: '65 66',
    Eirunepe: '97',
    Fortaleza: '83 84 85 86 88 89 98 99',
    Maceio: '79 82',
    Manaus: '92 97',
    Noronha: '81',
    Porto_Velho: '69',
    Recife: '81 87',
    Rio_Branco: '68',
    Santarem: '93 94',
    Sao_Paulo:
      '11 12 13 14 15 16 17 18 19 21 22 24 27 28 31 32 33 34 35 37 38 41 42 43 44 45 46 47 48 49 51 53 54 55 61 62 64',
  }).reduce((areas, [zone, codes]) => {
    for (const code of codes.split(' ')) areas.set(code, [...(areas.get(code) ?? []), `America/${zone}`]);
    return areas;
  }, new Map<string, string[]>()),
);
