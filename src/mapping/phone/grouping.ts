// How digits are grouped is evidence: `(318) 765-4321` is no number of Brazil, whose area codes have two digits. Nothing
// is added to digits or dropped from them where their groups contradict it.
import { getCountries, Metadata } from 'libphonenumber-js/max';
import type { Reading } from './canonical.ts';

/**
 * Digits, spaces, hyphens, dots and parentheses in an order that has a meaning: one separator between two groups, no
 * parenthesis without its other half, and a digit at the end. Checked with one 0 for each group.
 */
const WRITTEN =
  /^\+? ?(?:0|\( ?0(?:[ -]0){0,2} ?\))(?:(?: [-.] |[-.]| |(?<=\)) ?[-.] ?)?(?:0|\( ?0(?:[ -]0)? ?\)))*$/;

export const isWritten = (text: string): boolean =>
  /\d$/.test(text) && WRITTEN.test(text.replace(/\d+/g, '0'));

export const groupsOf = (text: string): string[] => text.match(/\d+/g) ?? [];

/** `(51) 98765-4321`: nobody writes another country's code in parentheses without +. Somebody might write the home one. */
export function hasAreaInParentheses(text: string, home: Reading): boolean {
  if (!text.startsWith('(')) return false;
  const [, area = ''] = /^\(\s?(\d{1,6})\s?\)/.exec(text) ?? [];
  return area !== '' && area !== home.callingCode;
}

/** Whether the digits are grouped as in the national format, and not as in the other reading. */
export function isInNationalGroups(text: string, home: Reading, abroad: Reading | undefined): boolean {
  const groups = groupsOf(text);
  if (groups.length < 2) return false;
  const written = groups.join(' ');
  if (written !== groupsOf(home.found.formatNational()).join(' ')) return false;
  return abroad === undefined || written !== groupsOf(abroad.found.formatInternational()).join(' ');
}

const AMERICAN = /^(?:\( ?\d{3} ?\) ?[-.]? ?\d{3} ?[-.]? ?\d{4}|\d{3}( ?[-.] ?| )\d{3}( ?[-.] ?| )\d{4})$/;

/** `(318) 765-4321`, `318-765-4321`: the way of North America, and hardly any other's. */
export const isAmerican = (text: string): boolean => AMERICAN.test(text);

/** Where groups end, in digits from the end of the text, descending; and where parentheses open and close. */
interface Boundaries {
  readonly ends: readonly number[];
  readonly opened: readonly number[];
  readonly closed: readonly number[];
}

function boundariesOf(text: string, length: number): Boundaries {
  const ends: number[] = [];
  const opened: number[] = [];
  const closed: number[] = [];
  let seen = 0;
  for (const [index, char] of [...text].entries()) {
    if (char >= '0' && char <= '9') seen += 1;
    else if (char === '(') opened.push(length - seen);
    else if (char === ')') closed.push(length - seen);
    if (seen > 0 && seen < length && !/\d/.test(char) && /\d/.test(text[index - 1] ?? ''))
      ends.push(length - seen);
  }
  return { ends, opened, closed };
}

/** Why the groups of a text contradict a reading: digits were lost, are missing, or belong to another country. */
export type Contradiction = 'lacks' | 'foreign' | 'partial';

/** Undefined if the groups of the text allow the reading. */
export function contradictionOf(text: string, digits: string, reading: Reading): Contradiction | undefined {
  const { callingCode, written } = reading;
  const national = callingCode === '52' ? reading.number.slice(callingCode.length) : written;
  const at = boundariesOf(text, digits.length);
  if (!digits.endsWith(national)) return isArgentine15(digits, at, reading) ? undefined : 'partial';
  const size = national.length;
  const dropped = digits.slice(0, digits.length - size);
  const area = areaLength(reading);
  const first = at.ends.find((end) => end < size);
  if (!isPlainPrefix(dropped, reading) && !at.ends.includes(size)) {
    const known = callingCode === '55' || callingCode === '52';
    if (!known || !(first === undefined || first === size - (area ?? 0) || first <= 4)) return 'foreign';
  }
  if (area === undefined || (callingCode === '1' && text.startsWith('+'))) return undefined;
  if (reading.lengthened && !isOldBrazilian(at.ends.filter((end) => end < size)))
    return isAmerican(text) ? 'foreign' : 'lacks';
  return areaFits(at, size, area, first) ? undefined : 'foreign';
}

/** The area code stands alone, or with what follows it in one group. */
function areaFits(
  { opened, closed }: Boundaries,
  size: number,
  area: number,
  first: number | undefined,
): boolean {
  const alone = first === undefined || first === size - area || first <= 4 || (area === 2 && first === 8);
  return (
    alone &&
    opened.every((open) => open >= size) &&
    closed.every((close) => close === size - area || close >= size)
  );
}

/** Digits of the area code where all of a country have the same number: in Brazil, Mexico and North America. */
function areaLength({ callingCode, found }: Reading): number | undefined {
  if (callingCode !== '55' && callingCode !== '1' && callingCode !== '52') return undefined;
  const type = found.getType() ?? '';
  if (!/^(?:FIXED_LINE|MOBILE|FIXED_LINE_OR_MOBILE)$/.test(type)) return undefined;
  if (callingCode === '55') return 2;
  if (callingCode === '1') return 3;
  return /^(?:55|56|33|81)/.test(found.nationalNumber) ? 2 : 3;
}

/** `31 8765-4321`, `31 87654321`, `31 87 65 43 21`: eight digits, of which none is missing. */
const isOldBrazilian = (ends: readonly number[]): boolean =>
  ends.every((end) => end === 8 || end === 4) || (ends.every((end) => end % 2 === 0) && ends.length === 4);

/** Country code, trunk prefix, what is dialed to leave a country, or several of them. */
function isPlainPrefix(dropped: string, { callingCode, country }: Reading): boolean {
  if (dropped === '' || dropped === '0' || dropped === callingCode) return true;
  const trunk = trunkOf(country);
  const [, after] = new RegExp(`^(?:0\\d{0,5})?${callingCode}(.*)$`).exec(dropped) ?? [];
  return ['', '0', trunk, `${trunk}0`].includes(after ?? dropped);
}

/** `011 15-2345-6789` is 9 11 2345-6789: 15 ends the area code and begins a group, where there are groups. */
function isArgentine15(digits: string, { ends }: Boundaries, { callingCode, written }: Reading): boolean {
  if (callingCode !== '54' || !written.startsWith('9')) return false;
  for (const area of [2, 3, 4]) {
    const [code, subscriber] = [written.slice(1, 1 + area), written.slice(1 + area)];
    if (!digits.endsWith(`${code}15${subscriber}`)) continue;
    const rest = digits.slice(0, -(code.length + 2 + subscriber.length));
    if (!/^(?:(?:00)?54)?9?0?$/.test(rest)) continue;
    const size = subscriber.length;
    const inside = ends.filter(
      (end) => (end > size && end < size + 2) || (end > size + 2 && end < size + 2 + area),
    );
    if (inside.length === 0) return true;
  }
  return false;
}

const TRUNKS: ReadonlyMap<string, string> = new Map(
  getCountries().map((country) => {
    const metadata = new Metadata();
    metadata.selectNumberingPlan(country);
    // The types of the library lack this one.
    const plan = metadata.numberingPlan as { nationalPrefix?: () => string | undefined } | undefined;
    return [country, plan?.nationalPrefix?.() ?? ''];
  }),
);

/** What precedes national numbers of a country, 0 in most. Empty if nothing does, or no country is set. */
export const trunkOf = (country: string | undefined): string => TRUNKS.get(country ?? '') ?? '';

/** Digits of a number without area code, at least; and of one with it. */
const SHORTEST_HALF = 5;

/**
 * Where a text may be two numbers written one after the other: pairs of texts, each of which may be whole.
 * @param prefix what precedes national numbers
 */
export function halvesOf(text: string, prefix: string): [string, string][] {
  const halves: [string, string][] = [];
  for (const { index } of text.matchAll(/(?<=\d)[ .-]+(?=[(\d])/g)) {
    const [left, right] = [text.slice(0, index), text.slice(index).replace(/^[ .-]+/, '')];
    const [head, tail] = [groupsOf(left), groupsOf(right)];
    if (head.join('').length < SHORTEST_HALF || tail.join('').length < SHORTEST_HALF) continue;
    const national = !text.startsWith('+') && (prefix === '' || !head[0]?.startsWith(prefix));
    const begins = prefix !== '' && tail[0]?.startsWith(prefix);
    if (national || begins || head.slice(0, 2).includes(tail[0] ?? '')) halves.push([left, right]);
  }
  return halves;
}
