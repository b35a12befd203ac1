// Test data for phone numbers: cells that are not a person's whole number, or name another country's. None may become
// a number other than the person's own.
import type { CountryCode } from 'libphonenumber-js/max';
import type { PhoneRules } from '../src/mapping/phone/index.ts';
import { type Example, examples, googleReading, spellingsOf } from './phone-spellings.ts';

/** The countries with the most users of the chat network. */
export const LARGEST: readonly CountryCode[] = ['BR', 'IN', 'US', 'ID', 'MX', 'DE', 'GB', 'AR', 'ES', 'NG'];

export interface Hazard {
  /** Names the row of the table. */
  readonly name: string;
  readonly text: string;
  readonly rules: PhoneRules;
  /** The numbers that may be read. Empty: the cell has no phone number. */
  readonly truth: readonly string[];
}

/** Signs that people and programs write for a digit that they hide. */
export const MASKS = [
  '*',
  '•',
  '…',
  '...',
  '..',
  'x',
  'X',
  '_',
  '#',
  '?',
  '●',
  '■',
  '□',
  '▪',
  '¿',
  '\ufffd',
  '⋯',
  '‥',
  '＊',
  '？',
  'ｘ',
  '❓',
  '✱',
  '·',
  '-',
  '--',
  '–',
  '~',
  '×',
  '∗',
  '.',
  '\u3164',
  '\u{1f648}',
  '\u2e3b',
] as const;

/** The same sign for every digit; a sign of several dots stands once for all. */
export const maskOf = (mask: string, digits: number): string =>
  /[….‥⋯]/.test(mask) && mask !== '.' ? mask : mask.repeat(digits);

/** Positions of the digits of a text. */
const digitsAt = (text: string): number[] => [...text.matchAll(/\d/g)].map(({ index }) => index);

/** Undefined if the text has too few digits after its country code. */
export function hideLast(text: string, count: number, mask: string): string | undefined {
  const at = digitsAt(text);
  const from = at.at(-count);
  if (from === undefined || at.length < count + 5) return undefined;
  return text.slice(0, from) + maskOf(mask, count);
}

/** Hides two digits in the middle, where they stand side by side. */
export function hideMiddle(text: string, mask: string): string | undefined {
  const at = digitsAt(text);
  const middle = at
    .slice(Math.floor(at.length / 2), -1)
    .find((index) => /\d\d/.test(text.slice(index, index + 2)));
  if (middle === undefined) return undefined;
  return text.slice(0, middle) + maskOf(mask, 2) + text.slice(middle + 2);
}

const FORMS = new Set([
  'E.164',
  'international',
  'RFC 3966',
  'national',
  'E.164 digits',
  'without trunk prefix',
  'chat id',
  'wa.me link',
]);

const people = (): Example[] => examples().filter(({ service }) => !service);

const formsOf = (example: Example) => spellingsOf(example).filter(({ name }) => FORMS.has(name));

function masked(): Hazard[] {
  return people().flatMap((example) => {
    const rules = { country: example.region };
    const truth = [example.number];
    return formsOf(example).flatMap(({ text }) =>
      MASKS.flatMap((mask) => {
        const last = [1, 2, 3].map((count) => hideLast(text, count, mask));
        return [
          ...last.map((cell) => ({ name: 'hidden last digits', text: cell ?? '', rules, truth })),
          { name: 'hidden middle digits', text: hideMiddle(text, mask) ?? '', rules, truth },
        ];
      }),
    );
  });
}

/** Spellings of North America, which other countries' people do not use. */
const AMERICAN: readonly ((area: string, office: string, line: string) => string)[] = [
  (a, b, c) => `(${a}) ${b}-${c}`,
  (a, b, c) => `(${a})${b}-${c}`,
  (a, b, c) => `(${a}) ${b} ${c}`,
  (a, b, c) => `(${a}) ${b}.${c}`,
  (a, b, c) => `(${a}) ${b}${c}`,
  (a, b, c) => `${a}-${b}-${c}`,
  (a, b, c) => `${a}.${b}.${c}`,
  (a, b, c) => `${a}/${b}-${c}`,
  (a, b, c) => `1 (${a}) ${b}-${c}`,
  (a, b, c) => `1-${a}-${b}-${c}`,
  (a, b, c) => `1.${a}.${b}.${c}`,
];

/** Valid numbers of all area codes of North America. */
export function americans(): string[] {
  const found: string[] = [];
  for (let area = 200; area < 1000; area++) {
    for (const rest of ['7654321', '8765432', '5550123', '2345678']) {
      if (googleReading(`+1${area}${rest}`) !== null) found.push(`${area}${rest}`);
    }
  }
  return found;
}

function american(): Hazard[] {
  return americans().flatMap((digits) => {
    const [area, office, line] = [digits.slice(0, 3), digits.slice(3, 6), digits.slice(6)];
    return LARGEST.flatMap((country) =>
      AMERICAN.map((spell) => ({
        name: `American, default ${country}`,
        text: spell(area, office, line),
        rules: { country },
        truth: [`1${digits}`],
      })),
    );
  });
}

const GAPS = ['  ', '   ', '\t', '\n', '\r\n', ' \u00a0', ' ', '/', ' / ', ', ', '-', ' - ', '.'] as const;

/** The number and its neighbor, whole or without what they share. */
function two(): Hazard[] {
  return people().flatMap((example) => {
    const rules = { country: example.region };
    const neighbor = example.number.slice(0, -1) + ((Number(example.number.at(-1)) + 1) % 10);
    return formsOf(example)
      .filter(({ name }) => /national|trunk|E.164$/.test(name))
      .flatMap(({ text }) => {
        const second = text.slice(0, -1) + neighbor.at(-1);
        const groups = second.split(/[ -]/);
        return GAPS.flatMap((gap) =>
          (/^(?: {2,}|[\t\r\n]+| \u00a0)$/.test(gap)
            ? [second, groups.at(-1) ?? '', groups.slice(1).join(' ')]
            : [second]
          )
            .filter((tail) => tail !== '')
            .map((tail) => ({
              name: /^( {2,}|[\t\r\n]+| \u00a0)$/.test(gap) ? 'two in a cell, gap' : 'two in a cell, sign',
              text: text + gap + tail,
              rules,
              truth: [example.number, neighbor],
            })),
        );
      });
  });
}

function contexts(): Hazard[] {
  return people().flatMap((example) => {
    const { number, nsn, region } = example;
    const code = number.slice(0, number.length - nsn.length);
    return [2, 3, 4].flatMap((size) =>
      [undefined, region, ...LARGEST].flatMap((country) =>
        [
          [nsn, `+${code}`],
          [nsn.slice(size), `+${code}-${nsn.slice(0, size)}`],
          [`${nsn.slice(size, -1)}.${nsn.slice(-1)}`, `+${code}${nsn.slice(0, size)}`],
          [nsn.slice(size), 'example.com'],
          [nsn.slice(size), `+${code}.example`],
        ]
          .filter(([local]) => /^\d/.test(local ?? ''))
          .map(([local, context]) => ({
            name: 'tel: with phone-context',
            text: `tel:${local};phone-context=${context}`,
            rules: country === undefined ? {} : { country },
            truth: [number],
          })),
      ),
    );
  });
}

/** Forms of documents, dates, addresses, amounts, postal codes and cards: 0 stands for any digit. */
export const OTHERS: readonly string[] = [
  '000.000.000-00',
  '000000000-00',
  '00.000.000/0000-00',
  '00.000.000-0',
  '000.00000.00-0',
  '00-00000000-0',
  '000.000.000-0',
  '{year}-{month}-{day}',
  '{day}/{month}/{year}',
  '{day}.{month}.{year}',
  '{month}-{day}-{year}',
  '{year}/{month}/{day}',
  '{year}-{month}-{day} 10:00:00',
  '{year}-{month}-{day}T10:00:00Z',
  '{day}.{month}.00',
  '{month}/{day}/00',
  '{octet}.{octet}.{octet}.{octet}',
  '192.168.{octet}.{octet}',
  '10.0.{octet}.{octet}',
  '0.000.000,00',
  '000.000,00',
  '0,000,000.00',
  '0.000.000',
  '00,000,000',
  '000000,00',
  'R$ 0.000,00',
  '00000-000',
  '0000 0000 0000 0000',
  '0000-0000-0000-0000',
  '0000 000000 00000',
  '000-00-0000',
  '-00.0000000',
];

/** The same digits at every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

function others(): Hazard[] {
  const next = random(1);
  const below = (limit: number) => String(Math.floor(next() * limit));
  return OTHERS.flatMap((form) =>
    Array.from({ length: 100 }, () => {
      const two = (value: string) => value.padStart(2, '0');
      const text = form.replace(/0|\{\w+\}/g, (sign) => {
        if (sign === '{year}') return `20${two(below(30))}`;
        if (sign === '{month}') return two(String(1 + Number(below(12))));
        if (sign === '{day}') return two(String(1 + Number(below(28))));
        return sign === '{octet}' ? String(100 + Number(below(156))) : below(10);
      });
      return LARGEST.map((country) => ({ name: 'other columns', text, rules: { country }, truth: [] }));
    }).flat(),
  );
}

/** Every cell that is to be refused, or read as the person's own number. */
export function hazards(): Hazard[] {
  return [masked(), american(), two(), contexts(), others()].flat().filter(({ text }) => text !== '');
}
