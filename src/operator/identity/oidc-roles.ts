// What the claims of an OpenID provider say about a user: the role, and names to show.
import { z } from 'zod';
import type { OidcRoles } from '../../config/schema/operator.ts';
import { ROLES, type Role } from '../../core/endpoint.ts';
import { plainName } from '../../core/plain-name.ts';

export type Claims = Readonly<Record<string, unknown>>;

const Values = z.union([z.string().transform((text) => [text]), z.array(z.string())]);
const MAX_NAME = 40;

/** The highest role that the claims give; null: none, so the user may not log in. */
export function roleOf(claims: Claims, roles: OidcRoles): Role | null {
  const values = new Set(Values.safeParse(claimAt(claims, roles.claim)).data ?? []);
  const found = ROLES.toReversed().find((role) => roles[role].some((value) => values.has(value)));
  return found ?? roles.default ?? null;
}

/** Whether the claims say anything about groups; otherwise the provider may say it at its userinfo endpoint. */
export function hasClaim(claims: Claims, path: string): boolean {
  return claimAt(claims, path) !== undefined;
}

/** Names may contain dots, as URLs do, so the whole path is tried first. */
function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Claims)[key];
  }
  return value;
}

/** A user name made from the claims. It identifies nobody: issuer and subject do. */
export function suggestedName(claims: Claims): string {
  const text = textOf(claims.preferred_username) ?? textOf(claims.nickname) ?? textOf(claims.sub) ?? '';
  const plain = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, MAX_NAME);
  return plain === '' ? 'user' : plain;
}

export function shownName(claims: Claims): string | null {
  return textOf(claims.name)?.slice(0, 100) ?? null;
}

function textOf(value: unknown): string | null {
  const text = typeof value === 'string' ? plainName(value) : '';
  return text === '' ? null : text;
}
