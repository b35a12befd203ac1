// Values on their way into jsonb columns.

/**
 * A value as JSON that PostgreSQL can store: jsonb takes neither NUL nor half of a surrogate pair, and one
 * such text would make a whole page of a source fail for ever. NUL goes, a lone half becomes U+FFFD.
 */
export function toJson(value: unknown): string {
  return storable(JSON.stringify(value));
}

/** The same for text that is JSON already. */
export function storable(text: string): string {
  // JSON.stringify writes exactly these two as escapes of their own; whole pairs stand as they are.
  if (!/\\u(?:0000|d[89a-f])/.test(text)) return text;
  return text.replace(/\\(?:u[0-9a-f]{4}|.)/g, (escape) =>
    escape === '\\u0000' ? '' : /^\\ud[89a-f]/.test(escape) ? '\ufffd' : escape,
  );
}
