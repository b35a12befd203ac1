// Identifies the caller: the bearer token and its state (API text, "Authentication" and "Token state").
import { hash } from 'node:crypto';
import type { Account } from '../state/account.ts';
import type { Scope, Token } from '../state/model.ts';
import type { Store } from '../state/store.ts';
import { Problem } from './errors.ts';

export type Caller =
  | { readonly state: 'missing' | 'unknown' | 'revoked' | 'expired'; readonly tokenHash: string | null }
  | {
      readonly state: 'valid';
      readonly tokenHash: string;
      readonly account: Account;
      readonly token: Token;
    };

const REFUSALS = {
  missing: 'ERR_TOKEN_MISSING',
  unknown: 'ERR_TOKEN_INVALID',
  revoked: 'ERR_TOKEN_REVOKED',
  expired: 'ERR_TOKEN_EXPIRED',
} as const;

/** A header that is not `Bearer <token>` counts as unknown: the API text calls it malformed. */
export function identify(header: string | undefined, store: Store, at: number): Caller {
  if (header === undefined || header.trim() === '') return { state: 'missing', tokenHash: null };
  const value = /^Bearer +(\S+) *$/i.exec(header)?.[1];
  if (value === undefined) return { state: 'unknown', tokenHash: null };
  const tokenHash = hash('sha256', value);
  const found = store.token(value);
  if (found === undefined) return { state: 'unknown', tokenHash };
  const { account, token } = found;
  if (token.revoked) return { state: 'revoked', tokenHash };
  if (token.expiresAt !== null && token.expiresAt <= at) return { state: 'expired', tokenHash };
  return { state: 'valid', tokenHash, account, token };
}

/** @throws Problem 401 or 403; a write scope includes the matching read scope */
export function authorize(caller: Caller, scope: Scope): Account {
  if (caller.state !== 'valid') throw new Problem(REFUSALS[caller.state]);
  const [resource, action] = scope.split(':') as [string, string];
  const { scopes } = caller.token;
  const granted =
    scopes.includes(scope) || (action === 'read' && scopes.includes(`${resource}:write` as Scope));
  if (!granted) throw new Problem('ERR_SCOPE_MISSING', { extras: { requiredScope: scope } });
  if (caller.account.settings.missingFeatures.includes(resource)) {
    throw new Problem('ERR_FEATURE_NOT_AVAILABLE');
  }
  return caller.account;
}
