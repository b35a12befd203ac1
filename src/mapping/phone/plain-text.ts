// Normalizes characters: ASCII digits for digits of every script, one kind of dash, plus, slash and space, and no
// invisible ones.

const ASCII = /^[\x20-\x7e]*$/;
const DIGIT = /\p{Nd}/u;

/**
 * Returns a cell in plain characters. Null if it contains digits that do not belong to a number, such as ² and ①,
 * because their meaning is uncertain.
 */
export function plainCharacters(value: string): string | null {
  if (ASCII.test(value)) return value.trim();
  if (/[\p{No}\p{Nl}]/u.test(value)) return null;
  return value
    .normalize('NFKC')
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Extended_Pictographic}\u20e3]/gu, '')
    .replace(/\p{Nd}/gu, asciiDigit)
    .replace(/[\p{Pd}\u2212\u30fc\u02d7\u2043\u00b7\u2022\u30fb]/gu, '-')
    .replace(/[\u2044\u2215]/g, '/')
    .replace(/\u2795/g, '+')
    .replace(/[\u2018\u2019\u201a\u201b\u00b4\u2032\u02bc]/g, "'")
    .replace(/[\u201c-\u201f\u00ab\u00bb\u2033]/g, '"')
    .replace(/[^\S\n\r]+/g, ' ')
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
