// Refusals that end only when the account gets another token: the token itself is refused, or lacks a scope.

/**
 * @param code of the refusal
 * @param reason as the API client words it: with another code of a 401, the status says it (API text, Authentication)
 */
export function needsToken(code: string | null, reason: string | null): boolean {
  if (code === null) return false;
  return code.startsWith('ERR_TOKEN_') || code === 'ERR_SCOPE_MISSING' || / answered 401 /.test(reason ?? '');
}
