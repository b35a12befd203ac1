// Events on their way into a jsonb column.

/** jsonb takes neither NUL nor half of a surrogate pair: NUL goes, a lone half becomes U+FFFD, as in the ledger. */
export function jsonbOf(value: unknown): string {
  // JSON.stringify writes exactly these two as escapes of their own; whole pairs stand as they are.
  return JSON.stringify(value).replace(/\\(?:u[0-9a-f]{4}|.)/g, (escape) => {
    if (escape === '\\u0000') return '';
    return /^\\ud[89a-f]/.test(escape) ? '\ufffd' : escape;
  });
}
