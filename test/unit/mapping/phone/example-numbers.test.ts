// Example numbers of every region and type, in every spelling, read beside Google's own port of libphonenumber.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Case,
  examples,
  googleReading,
  inDigits,
  isReadable,
  measure,
  SETTINGS,
  spellingsOf,
  tallyBy,
} from '../../../../scripts/phone-spellings.ts';
import { type PhoneRules, parsePhone } from '../../../../src/mapping/phone/index.ts';
import { propertyRuns } from '../../../support/runner/property-runs.ts';

const cases = measure(parsePhone);
const due = cases.filter(({ spelling, setting }) => isReadable(spelling, setting));
const written = ({ spelling, number }: Case) => `${spelling.text} → ${number}`;

/** Regions whose newest numbers libphonenumber-js does not know yet. */
const UNKNOWN_YET = new Set(['BJ', 'ZW']);

describe('example numbers of all regions', () => {
  it('are many: the table is not empty', () => {
    expect(new Set(cases.map(({ example }) => example.region)).size).toBeGreaterThan(240);
    expect(due.length).toBeGreaterThan(25_000);
  });

  it('never become another number when they carry their country, or it is the default', () => {
    expect(due.filter(({ outcome }) => outcome === 'wrong').map(written)).toEqual([]);
  });

  it('with + are read, all of them, whatever the default country is', () => {
    const plus = due.filter(({ spelling }) => spelling.kind === 'carries' && !spelling.name.startsWith('00'));
    const missed = plus.filter(
      ({ outcome, example }) => outcome !== 'read' && !UNKNOWN_YET.has(example.region),
    );
    expect(missed.map(written)).toEqual([]);
  });

  it('are read in 99 of 100 cells that have one reading, in every spelling', () => {
    const certain = due.filter(({ outcome }) => outcome !== 'ambiguous' && outcome !== 'placeholder');
    const shares = [...tallyBy(certain, ({ spelling }) => spelling.name)].map(
      ([name, { read, refused }]) => [name, read / (read + refused)] as const,
    );
    expect(shares.filter(([, share]) => share < 0.99)).toEqual([]);
  });

  it('are ambiguous in 1 of 400 cells, and only as digits without +, or behind 00 and a carrier', () => {
    const ambiguous = due.filter(({ outcome }) => outcome === 'ambiguous');
    expect(ambiguous.length / due.length).toBeLessThan(1 / 400);
    const names = new Set(ambiguous.map(({ spelling }) => spelling.name));
    expect([...names].filter((name) => !/digits|trunk|^national$/.test(name))).toEqual([]);
  });

  it('without + and without a country are refused, all of them', () => {
    const silent = cases.filter(({ spelling, setting }) => setting === 'none' && spelling.kind !== 'carries');
    expect(silent.filter(({ outcome }) => outcome === 'read' || outcome === 'wrong').map(written)).toEqual(
      [],
    );
  });

  it('whatever is read, Google reads the same, or has no reading', () => {
    const settings = SETTINGS.map((setting) => cases.filter((one) => one.setting === setting));
    for (const list of settings) {
      const differing = list.filter(({ example, spelling, setting, number }) => {
        if (number === null || setting !== 'own' || spelling.kind === 'carries') return false;
        const reading = googleReading(spelling.text.replace(/\.0$/, ''), example.region);
        return reading !== null && reading !== number;
      });
      expect(differing.map(written)).toEqual([]);
    }
  });
});

describe('any valid number', () => {
  const people = examples().filter(({ service }) => !service);
  const dressed: ((text: string) => string)[] = [
    (text) => text,
    (text) => ` ${text}\t`,
    (text) => `"${text}"`,
    (text) => `'${text}`,
    (text) => `Tel.: ${text}`,
    (text) => `${text} (WhatsApp)`,
    (text) => `${text} ramal 12`,
    (text) => `n/a; ${text}`,
    (text) => `${text} ::: ${text}`,
    (text) => text.replace(/-/g, '\u2212'),
    (text) => text.replace(/ /g, '\u00a0'),
    (text) => text.replace(/ /g, '/'),
    (text) => text.replace(/ /g, '.'),
    (text) => `\u202a${text}\u202c`,
    (text) => inDigits(text, 0x6f0),
    (text) => inDigits(text, 0x966),
    (text) => inDigits(text, 0xff10),
  ];
  const rules = (region: PhoneRules['country']) =>
    fc.constantFrom<PhoneRules>({}, { country: region }, { country: region, format: 'national' });

  it('is itself or refused, never another, however it is dressed', () => {
    const cell = fc
      .record({
        example: fc.constantFrom(...people),
        tail: fc.stringMatching(/^\d{4}$/),
        dress: fc.constantFrom(...dressed),
        spelling: fc.nat(),
      })
      .chain((one) => fc.record({ one: fc.constant(one), rules: rules(one.example.region) }));
    fc.assert(
      fc.property(cell, ({ one: { example, tail, dress, spelling }, rules: given }) => {
        const number = example.number.slice(0, -4) + tail;
        if (googleReading(`+${number}`) !== number) return;
        const varied = { ...example, number, nsn: example.nsn.slice(0, -4) + tail };
        const all = spellingsOf(example).filter(({ kind }) => kind === 'carries' || given.country);
        const { text, kind } = all[spelling % all.length] as (typeof all)[number];
        // The last four digits of the text are those of the number.
        const swapped = varied.number === example.number ? text : swapTail(text, example.number, tail);
        if (swapped === null || (kind === 'digits' && given.format === 'national')) return;
        const result = parsePhone(dress(swapped), given);
        if (result.ok) expect(result.number).toBe(canonical(number));
      }),
      { numRuns: propertyRuns(8000) },
    );
  });
});

/** Null where the digits do not stand in one piece from left to right at the end. */
function swapTail(text: string, number: string, tail: string): string | null {
  if (/[^\x20-\x7e]/.test(text)) return null;
  const at = [...text.matchAll(/\d/g)].map(({ index }) => index);
  const end = text.endsWith('.0') ? at.length - 1 : at.length;
  const last = at.slice(end - 4, end);
  if (last.map((index) => text[index]).join('') !== number.slice(-4)) return null;
  return last.reduce((result, index, n) => result.slice(0, index) + tail[n] + result.slice(index + 1), text);
}

/** The ninth digit is another test's. */
function canonical(number: string): string {
  return /^55\d{2}[6-9]\d{7}$/.test(number) ? `${number.slice(0, 4)}9${number.slice(4)}` : number;
}
