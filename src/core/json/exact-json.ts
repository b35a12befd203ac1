// JSON whose integers keep their digits. JSON.parse rounds an integer above 2^53, and a rounded id is another record.

/** Sixteen digits are the fewest that can exceed 2^53 - 1 (9007199254740991). */
const LONG = /\d{16}/;
/** A whole string, or a whole number: in a valid text nothing else holds digits. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const INTEGER = /^-?\d+$/;

/**
 * Parses JSON. Integers beyond ±(2^53 - 1) come as text, digit for digit, so that whatever is read can be written as
 * JSON again; all other values come as JSON.parse reads them. A text without 16 digits in a row costs one more scan.
 *
 * @example parseExactJson('{"id": 700000000000000001}') // { id: '700000000000000001' }
 * @throws SyntaxError as JSON.parse does
 */
export function parseExactJson(text: string): unknown {
  const plain: unknown = JSON.parse(text);
  if (!LONG.test(text)) return plain;
  const asText = text.replace(TOKEN, (token) => (isLongInteger(token) ? `"${token}"` : token));
  return asText === text ? plain : JSON.parse(asText);
}

/** A float of ten digits and more before its point: `5.51199E+12`, `5511990000000.0`. */
const LONG_FLOAT = /\d[eE]\+?\d|\d{10}\.0/;
const FLOAT = /^(\d+)(?:\.(\d+))?(?:[eE]\+?(\d+))?$/;

/**
 * The same for rows of sources. Floats beyond 10^9 that end in three zeros come as text too, because rounding may have
 * made them: a phone number is none of them.
 *
 * @example parseRowJson('{"id": 700000000000000001}') // { id: '700000000000000001' }
 * @throws SyntaxError as JSON.parse does
 */
export function parseRowJson(text: string): unknown {
  const plain: unknown = JSON.parse(text);
  if (!LONG.test(text) && !LONG_FLOAT.test(text)) return plain;
  const asText = text.replace(TOKEN, (token) =>
    isLongInteger(token) || isRoundedFloat(token) ? `"${token}"` : token,
  );
  return asText === text ? plain : JSON.parse(asText);
}

const isLongInteger = (token: string): boolean => INTEGER.test(token) && !Number.isSafeInteger(Number(token));

function isRoundedFloat(token: string): boolean {
  const [, whole = '', fraction = '', exponent] = FLOAT.exec(token) ?? [];
  if (whole === '' || (fraction === '' && exponent === undefined)) return false;
  const value = Number(token);
  return value >= 1e9 && Number.isSafeInteger(value) && value % 1000 === 0;
}
