// What was said about one case, beside its code.

/** The reason without the code that stands beside it. */
export function ownReason(code: string | null, reason: string | null): string | null {
  if (reason === null) return null;
  if (code === null) return reason;
  const own = reason
    .replaceAll(`[${code}]`, '')
    .replace(/\s*\(HTTP \d{3}\)/, '')
    .trim();
  const rest = own.startsWith(code) ? own.slice(code.length).replace(/^[\s:]+/, '') : own;
  return rest === '' ? null : rest;
}
