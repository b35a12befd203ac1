// Test data for phone numbers: every example number of Google's libphonenumber, in every spelling that people and programs
// use. Google's own port reads them independently; Sluice reads with libphonenumber-js.
import { createRequire } from 'node:module';
import type { CountryCode } from 'libphonenumber-js/max';
import type { PhoneRules } from '../src/mapping/phone/index.ts';

interface GoogleNumber {
  getCountryCodeOrDefault(): number;
}

/** The part of google-libphonenumber that is used here; the package has no types of its own. */
interface GoogleUtil {
  getSupportedRegions(): CountryCode[];
  getExampleNumberForType(region: string, type: number): GoogleNumber | null;
  getNationalSignificantNumber(number: GoogleNumber): string;
  isValidNumber(number: GoogleNumber): boolean;
  getNumberType(number: GoogleNumber): number;
  format(number: GoogleNumber, format: number): string;
  formatNationalNumberWithCarrierCode(number: GoogleNumber, carrier: string): string;
  getNddPrefixForRegion(region: string, strip: boolean): string | null;
  parse(text: string, region?: string): GoogleNumber;
}

interface Google {
  readonly PhoneNumberUtil: { getInstance(): GoogleUtil };
  readonly PhoneNumberFormat: Readonly<Record<'E164' | 'INTERNATIONAL' | 'NATIONAL' | 'RFC3966', number>>;
}

const { PhoneNumberUtil, PhoneNumberFormat } = createRequire(import.meta.url)(
  'google-libphonenumber',
) as Google;
const google = PhoneNumberUtil.getInstance();

/** Fixed line, mobile, either, toll-free, premium rate, shared cost, VoIP, personal, pager, UAN, voicemail. */
const TYPES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const NOBODYS: ReadonlySet<number> = new Set([4, 5, 9, 10]);

export interface Example {
  readonly region: CountryCode;
  /** E.164 digits without plus, as Sluice has them: the identity that every spelling must lead to. */
  readonly number: string;
  /** Premium rate, shared cost, UAN and voicemail are nobody's phone, so Sluice refuses them. */
  readonly service: boolean;
  readonly nsn: string;
  readonly google: GoogleNumber;
}

/** Valid ones of all regions and types, each number once in its region. */
export function examples(): Example[] {
  const found = new Map<string, Example>();
  for (const region of google.getSupportedRegions()) {
    for (const type of TYPES) {
      const number = google.getExampleNumberForType(region, type);
      if (number === null || !google.isValidNumber(number)) continue;
      const e164 = google.format(number, PhoneNumberFormat.E164).slice(1);
      const nsn = google.getNationalSignificantNumber(number);
      const service = NOBODYS.has(google.getNumberType(number));
      found.set(`${region} ${e164}`, { region, number: e164, service, nsn, google: number });
    }
  }
  return [...found.values()];
}

export interface Spelling {
  /** Names the format in the table. */
  readonly name: string;
  /** `carries`: with +, 00 or in a form of the chat network; `digits`: country code without +; `national`: without. */
  readonly kind: 'carries' | 'digits' | 'national';
  readonly text: string;
}

/** All spellings of one number. */
export function spellingsOf({ google: number, number: e164, nsn, region }: Example): Spelling[] {
  const { INTERNATIONAL, NATIONAL, RFC3966 } = PhoneNumberFormat;
  const international = google.format(number, INTERNATIONAL);
  const national = google.format(number, NATIONAL);
  const trunk = google.getNddPrefixForRegion(region, true) ?? '';
  const code = String(number.getCountryCodeOrDefault());
  const spellings: (Spelling | null)[] = [
    { name: 'E.164', kind: 'carries', text: `+${e164}` },
    { name: 'international', kind: 'carries', text: international },
    { name: '(+code) national', kind: 'carries', text: `(+${code})${international.slice(code.length + 1)}` },
    { name: 'RFC 3966', kind: 'carries', text: google.format(number, RFC3966) },
    { name: '00 and digits', kind: 'carries', text: `00${e164}` },
    { name: 'chat id', kind: 'carries', text: `${e164}@c.us` },
    { name: 'wa.me link', kind: 'carries', text: `https://wa.me/${e164}` },
    { name: 'labelled, quoted', kind: 'carries', text: `"Cel: ${international} (WhatsApp)"` },
    { name: 'Arabic-Indic digits', kind: 'carries', text: inDigits(international, 0x660) },
    { name: 'E.164 digits', kind: 'digits', text: e164 },
    { name: 'E.164 digits, float', kind: 'digits', text: `${e164}.0` },
    { name: 'national', kind: 'national', text: national },
    { name: 'national digits', kind: 'national', text: national.replace(/\D/g, '') },
    { name: 'without trunk prefix', kind: 'national', text: nsn },
    trunk === '' || national.replace(/\D/g, '').startsWith(trunk)
      ? null
      : { name: 'trunk prefix', kind: 'national', text: `${trunk} ${national}` },
    region === 'BR'
      ? {
          name: 'carrier code',
          kind: 'national',
          text: google.formatNationalNumberWithCarrierCode(number, '15'),
        }
      : null,
  ];
  return spellings.filter((spelling) => spelling !== null);
}

export function inDigits(text: string, zero: number): string {
  return text.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
}

/** What Google reads; null where it reads nothing valid. */
export function googleReading(text: string, region?: CountryCode): string | null {
  try {
    const number = google.parse(text, region);
    return google.isValidNumber(number) ? google.format(number, PhoneNumberFormat.E164).slice(1) : null;
  } catch {
    // google-libphonenumber throws a plain Error for what is no number.
    return null;
  }
}

/** Which default country the mapping has: none, the number's own, or another one. */
export type Setting = 'none' | 'own' | 'other';
export const SETTINGS: readonly Setting[] = ['none', 'own', 'other'];

export const rulesOf = (setting: Setting, region: CountryCode): PhoneRules =>
  setting === 'none' ? {} : { country: setting === 'own' ? region : region === 'BR' ? 'DE' : 'BR' };

/** Whether Sluice is to read it: it carries its country, or its country is the default. */
export const isReadable = ({ kind }: Spelling, setting: Setting): boolean =>
  kind === 'carries' || setting === 'own';

export interface Tally {
  read: number;
  wrong: number;
  /** Refused because the digits are two valid numbers. */
  ambiguous: number;
  placeholder: number;
  refused: number;
}

type Parse = (text: string, rules: PhoneRules) => { ok: true; number: string } | { ok: false; code: string };

export interface Case {
  readonly example: Example;
  readonly spelling: Spelling;
  readonly setting: Setting;
  readonly outcome: keyof Tally;
  readonly number: string | null;
}

/** Reads every spelling of every person's number under every setting. */
export function measure(parse: Parse, list: readonly Example[] = examples()): Case[] {
  return list
    .filter(({ service }) => !service)
    .flatMap((example) =>
      spellingsOf(example).flatMap((spelling) =>
        SETTINGS.map((setting) => {
          const result = parse(spelling.text, rulesOf(setting, example.region));
          return { example, spelling, setting, ...outcomeOf(result, example.number) };
        }),
      ),
    );
}

function outcomeOf(result: ReturnType<Parse>, number: string): Pick<Case, 'outcome' | 'number'> {
  if (result.ok) return { outcome: result.number === number ? 'read' : 'wrong', number: result.number };
  const outcome =
    result.code === 'ambiguous_phone'
      ? 'ambiguous'
      : result.code === 'placeholder_phone'
        ? 'placeholder'
        : 'refused';
  return { outcome, number: null };
}

export function tallyBy(cases: readonly Case[], nameOf: (one: Case) => string): Map<string, Tally> {
  const tallies = new Map<string, Tally>();
  for (const one of cases) {
    const name = nameOf(one);
    const tally = tallies.get(name) ?? { read: 0, wrong: 0, ambiguous: 0, placeholder: 0, refused: 0 };
    tally[one.outcome]++;
    tallies.set(name, tally);
  }
  return tallies;
}
