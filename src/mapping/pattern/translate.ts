// Writes a regular expression of JavaScript in the syntax of RE2, with the meaning it has in JavaScript. What RE2 cannot
// express is refused, never approximated. Texts are read by code points: `.` takes an emoji as one character.

/** Says what is wrong with a pattern, and the way out. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/** First and last code point. */
type Range = readonly [number, number];

/** A part of the pattern in the syntax of RE2. */
interface Part {
  readonly text: string;
  readonly canBeEmpty: boolean;
  readonly hasGroups: boolean;
  /** Can the part match without setting one of its groups? */
  readonly canSkipGroups: boolean;
  /** Characters and assertions with repetitions written out: RE2 compiles that many, or fewer. */
  readonly size: number;
}

export interface TranslateOptions {
  /** The result is the groups, not only whether the text matches. */
  readonly groups: boolean;
  readonly ignoreCase: boolean;
}

const LAST = 0x10ffff;
/** Of RE2. */
const MAX_REPEATS = 1000;
const MAX_DEPTH = 200;
/** Refused before RE2 compiles it, which takes 3 µs each: several times what is allowed in the end. */
const MAX_WRITTEN_OUT = 16_000;

const DIGITS: readonly Range[] = [[0x30, 0x39]];
const WORD: readonly Range[] = [...DIGITS, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]];
const SPACE: readonly Range[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
const LINE_ENDS: readonly Range[] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];
const CLASSES: Readonly<Record<string, readonly Range[]>> = {
  d: DIGITS,
  D: complement(DIGITS),
  w: WORD,
  W: complement(WORD),
  s: SPACE,
  S: complement(SPACE),
};
const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 };

/** @throws PatternError; SyntaxError for what is no regular expression of JavaScript */
export function translatePattern(source: string, { groups, ignoreCase }: TranslateOptions): string {
  const isUnicode = /\\[pPu]\{/.test(source);
  void new RegExp(source, isUnicode ? 'u' : '');
  const signs = Array.from(source);
  let at = 0;
  let depth = 0;

  const next = (text: string) => {
    const matches = signs.slice(at, at + text.length).join('') === text;
    if (matches) at += text.length;
    return matches;
  };
  /** Reads what matches, from here on. It is ASCII, so its characters are signs. */
  const take = (shape: RegExp): RegExpExecArray | null => {
    const match = shape.exec(signs.slice(at, at + 60).join(''));
    if (match !== null) at += match[0].length;
    return match;
  };
  const oneOf = (ranges: readonly Range[]) => classOf(ignoreCase ? inAnyCase(ranges) : ranges);

  function readAlternatives(): Part {
    depth += 1;
    if (depth > MAX_DEPTH) throw new PatternError(`nests deeper than ${MAX_DEPTH}; write it flatter`);
    const branches = [readSequence()];
    while (next('|')) branches.push(readSequence());
    depth -= 1;
    const hasGroups = branches.some((branch) => branch.hasGroups);
    return {
      text: branches.map(({ text }) => text).join('|'),
      canBeEmpty: branches.some((branch) => branch.canBeEmpty),
      hasGroups,
      canSkipGroups: hasGroups && (branches.length > 1 || branches.some((branch) => branch.canSkipGroups)),
      size: total(branches),
    };
  }

  function readSequence(): Part {
    const parts: Part[] = [];
    while (at < signs.length && signs[at] !== '|' && signs[at] !== ')') parts.push(repeated(readAtom()));
    return {
      text: parts.map(({ text }) => text).join(''),
      canBeEmpty: parts.every((part) => part.canBeEmpty),
      hasGroups: parts.some((part) => part.hasGroups),
      canSkipGroups: parts.some((part) => part.canSkipGroups),
      size: total(parts),
    };
  }

  function repeated(part: Part): Part {
    const match = take(/^(?:([*+?])|\{(\d+)(,?)(\d*)\})(\??)/);
    if (match === null) return part;
    const [, sign, from = '', comma, to = '', lazy = ''] = match;
    const least = sign === undefined ? Number(from) : sign === '+' ? 1 : 0;
    const most =
      sign === undefined
        ? comma === ''
          ? least
          : to === ''
            ? Number.POSITIVE_INFINITY
            : Number(to)
        : sign === '?'
          ? 1
          : Number.POSITIVE_INFINITY;
    if (least > MAX_REPEATS || (Number.isFinite(most) && most > MAX_REPEATS))
      throw new PatternError(
        `repeats more than ${MAX_REPEATS} times; in a schema, use minLength and maxLength`,
      );
    // The engines take different parts, and leave different groups behind.
    if (groups && part.canBeEmpty && (least !== 1 || most !== 1))
      throw new PatternError(
        'repeats a part that can be empty, as in (a*)* or (a?)?; let the part match at least one character',
      );
    if (groups && most > 1 && part.canSkipGroups)
      throw new PatternError(
        'repeats a group that can stay unset, as in ((a)|b)*; write (?:…) for groups that you do not read',
      );
    const count = sign ?? `{${least}${comma}${to}}`;
    return {
      text: `${part.text}${count}${lazy}`,
      canBeEmpty: least === 0 || part.canBeEmpty,
      hasGroups: part.hasGroups,
      canSkipGroups: part.canSkipGroups || (least === 0 && part.hasGroups),
      size: part.size * (Number.isFinite(most) ? most : Math.max(1, least)),
    };
  }

  function readAtom(): Part {
    if (next('(')) return readGroup();
    if (next('[')) return character(readClass());
    if (next('.')) return character(classOf(complement(LINE_ENDS)));
    if (next('^')) return assertion('\\A');
    if (next('$')) return assertion('\\z');
    if (next('\\b')) return assertion('\\b');
    if (next('\\B')) return assertion('\\B');
    if (next('\\')) return character(oneOf(readEscape(false)));
    const sign = signs[at++] as string;
    return character(oneOf(single(sign)));
  }

  function readGroup(): Part {
    if (take(/^\?<?[=!]/) !== null)
      throw new PatternError(
        'looks ahead or behind, as in (?=…), (?!…), (?<=…) and (?<!…); describe the text itself, or combine two patterns with allOf or not',
      );
    let opening = '(?:';
    if (!next('?:')) {
      if (signs[at] === '?' && take(/^\?</) === null)
        throw new PatternError('has a modifier, as in (?i:…); write both cases, as in [Aa]');
      // A named group: its name is read up to ">".
      if (signs[at - 1] === '<') at = signs.indexOf('>', at) + 1;
      if (groups) opening = '(';
    }
    const inner = readAlternatives();
    next(')');
    const isGroup = opening === '(';
    return { ...inner, text: `${opening}${inner.text})`, hasGroups: inner.hasGroups || isGroup };
  }

  function readClass(): string {
    const isNegated = next('^');
    const ranges: Range[] = [];
    while (!next(']')) {
      const first = readMember();
      const isRange = signs[at] === '-' && signs[at + 1] !== ']' && first.length === 1;
      const from = first[0]?.[0] ?? 0;
      if (!isRange || first[0]?.[1] !== from) {
        ranges.push(...first);
        continue;
      }
      at += 1;
      const last = readMember();
      const to = last[0]?.[0] ?? 0;
      // `[a-\d]` has three members: a, - and \d.
      if (last.length === 1 && last[0]?.[1] === to) ranges.push([from, to]);
      else ranges.push(...first, ...single('-'), ...last);
    }
    const members = ignoreCase ? inAnyCase(ranges) : ranges;
    return classOf(isNegated ? complement(members) : members);
  }

  const readMember = () => (next('\\') ? readEscape(true) : single(signs[at++] as string));

  /** What follows a backslash. */
  function readEscape(inClass: boolean): readonly Range[] {
    const property = isUnicode ? take(/^([pP])\{([^}]*)\}/) : null;
    if (property !== null) return propertyOf(property[0]);
    const pair = take(/^u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})/i);
    if (pair !== null)
      return single(
        String.fromCharCode(Number.parseInt(pair[1] ?? '', 16), Number.parseInt(pair[2] ?? '', 16)),
      );
    const code =
      take(/^(?:u([0-9a-f]{4})|x([0-9a-f]{2}))/i) ?? (isUnicode ? take(/^u\{([0-9a-f]+)\}/i) : null);
    if (code !== null) return point(Number.parseInt(code[1] ?? code[2] ?? '', 16));
    const control = take(/^c([a-z])/i);
    if (control !== null) return point((control[1] as string).charCodeAt(0) % 32);
    if (take(/^0(?!\d)/) !== null) return point(0);
    if (take(/^(?:\d|k<)/) !== null)
      throw new PatternError('refers back to a group, as in \\1; write the part again');
    if (take(/^c/) !== null) throw new PatternError('has a \\c without a letter; write \\\\c');
    const sign = signs[at++] as string;
    if (inClass && sign === 'b') return point(8);
    return CLASSES[sign] ?? (Object.hasOwn(CONTROLS, sign) ? point(CONTROLS[sign] as number) : single(sign));
  }

  const { text, size } = readAlternatives();
  if (size > MAX_WRITTEN_OUT)
    throw new PatternError('is too large, for example by numbers in {…}; make it simpler');
  return text;
}

const total = (parts: readonly Part[]) => parts.reduce((sum, { size }) => sum + size, 0);

const character = (text: string): Part => ({
  text,
  canBeEmpty: false,
  hasGroups: false,
  canSkipGroups: false,
  size: 1,
});
const assertion = (text: string): Part => ({
  text,
  canBeEmpty: true,
  hasGroups: false,
  canSkipGroups: false,
  size: 1,
});
const point = (code: number): readonly Range[] => [[code, code]];
const single = (sign: string): readonly Range[] => point(sign.codePointAt(0) as number);

/** A class of RE2, which matches nothing if there are no ranges. */
function classOf(ranges: readonly Range[]): string {
  const [first] = ranges;
  if (first === undefined) return `[^${escaped(0)}-${escaped(LAST)}]`;
  if (ranges.length === 1 && first[0] === first[1]) return escaped(first[0]);
  return `[${ranges.map(([from, to]) => (from === to ? escaped(from) : `${escaped(from)}-${escaped(to)}`)).join('')}]`;
}

const escaped = (code: number) => {
  const sign = String.fromCodePoint(code);
  return /[a-z0-9]/i.test(sign) ? sign : `\\x{${code.toString(16)}}`;
};

function complement(ranges: readonly Range[]): Range[] {
  const sorted = ranges.toSorted(([a], [b]) => a - b);
  const rest: Range[] = [];
  let from = 0;
  for (const [first, last] of sorted) {
    if (first > from) rest.push([from, first - 1]);
    from = Math.max(from, last + 1);
  }
  if (from <= LAST) rest.push([from, LAST]);
  return rest;
}

/** By property: to try every code point takes 60 ms. */
const properties = new Map<string, readonly Range[]>();

/** As this version of Node knows the property, so that a pattern means the same in every place. */
function propertyOf(property: string): readonly Range[] {
  const known = properties.get(property);
  if (known !== undefined) return known;
  const isIn = new RegExp(`^\\${property}$`, 'u');
  const ranges: Range[] = [];
  let from = -1;
  for (let code = 0; code <= LAST + 1; code += 1) {
    const fits = code <= LAST && isIn.test(String.fromCodePoint(code));
    if (fits && from === -1) from = code;
    else if (!fits && from !== -1) {
      ranges.push([from, code - 1]);
      from = -1;
    }
  }
  properties.set(property, ranges);
  return ranges;
}

/** JavaScript compares without case by upper case, and keeps ASCII apart from the rest. */
function upperOf(code: number): number {
  const upper = String.fromCharCode(code).toUpperCase();
  if (upper.length !== 1) return code;
  const other = upper.charCodeAt(0);
  return code >= 128 && other < 128 ? code : other;
}

let families: ReadonlyMap<number, readonly number[]> | undefined;

/** Code units that have the same upper case, by that. */
function caseFamilies(): ReadonlyMap<number, readonly number[]> {
  if (families !== undefined) return families;
  const found = new Map<number, number[]>();
  for (let code = 0; code <= 0xffff; code += 1) {
    const upper = upperOf(code);
    const family = found.get(upper);
    if (family === undefined) found.set(upper, [code]);
    else family.push(code);
  }
  families = new Map([...found].filter(([, family]) => family.length > 1));
  return families;
}

function inAnyCase(ranges: readonly Range[]): Range[] {
  const all: Range[] = [...ranges];
  const has = (code: number) => ranges.some(([from, to]) => code >= from && code <= to);
  for (const family of caseFamilies().values())
    if (family.some(has)) for (const code of family) if (!has(code)) all.push([code, code]);
  return all;
}
