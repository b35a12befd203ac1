// Normalizes characters: ASCII digits for digits of every script, one kind of dash, plus, slash and space, and no
// invisible ones. A character without a known meaning stays, so that the cell is refused: it may stand for a digit.

const ASCII = /^[\x20-\x7e]*$/;
const DIGIT = /\p{Nd}/u;
/**
 * Zero-width characters, soft hyphens and directions, which programs put around and into numbers. The override to the
 * left (U+202E) is not among them, because it shows the digits in reverse.
 */
const INVISIBLE = /[\u00ad\u061c\u200b-\u200f\u202a-\u202d\u2060\u2066-\u2069\ufeff]/g;
/** Telephones, which are labels. */
const TELEPHONE = /[\u{1f4de}\u{1f4f1}\u{1f4f2}\u260e\u260f\u2706][\ufe0e\ufe0f]?/gu;
const KEYCAP = /(\d)\ufe0f?\u20e3/g;

/**
 * Returns a cell in plain characters. Null if it contains digits that do not belong to a number, such as ² and ①,
 * because their meaning is uncertain.
 */
export function plainCharacters(value: string): string | null {
  if (ASCII.test(value)) return value.trim();
  if (/[\p{No}\p{Nl}]/u.test(value)) return null;
  return value
    .replace(/[\u2028\u2029]/g, '\n')
    .normalize('NFKC')
    .replace(KEYCAP, '$1')
    .replace(TELEPHONE, 'tel ')
    .replace(INVISIBLE, '')
    .replace(/\p{Nd}/gu, asciiDigit)
    .replace(/[\u2010-\u2015\u2212\u30fc\u02d7]/g, '-')
    .replace(/[\u2044\u2215]/g, '/')
    .replace(/\u2795/g, '+')
    .replace(/[\u2018\u2019\u201a\u201b\u00b4\u2032\u02bc]/g, "'")
    .replace(/[\u201c-\u201f\u00ab\u00bb\u2033]/g, '"')
    .replace(/[^\S\n\r\t]/g, ' ')
    .trim();
}

/** Unicode keeps the ten digits of a script together, zero first, and the character before them is not a digit. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  if (code < 0x80) return digit;
  let zero = code;
  while (DIGIT.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String((code - zero) % 10);
}
