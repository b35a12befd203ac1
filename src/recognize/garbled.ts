// Values that were read in a wrong encoding, or damaged before they were exported.

/**
 * The replacement character; control characters that no encoding of text uses; and what UTF-8 looks like in
 * Windows-1252: `Ã£` for `ã`. Ã and Â before a letter or a space are words.
 */
const GARBLED =
  /[\uFFFD\u0080-\u009F]|[ÃÂ][\u00A1-\u00BF\u0152\u0153\u0160\u0161\u0178\u017D\u017E\u0192\u02C6\u02DC\u2013-\u203A\u20AC\u2122]/u;

export function isGarbled(value: unknown): boolean {
  return typeof value === 'string' && GARBLED.test(value);
}
