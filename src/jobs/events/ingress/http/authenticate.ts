// Builds the authenticator from a route's `auth`, and the claim from a request.
import type { IncomingMessage } from 'node:http';
import { durationMs } from '../../../../core/config/base.ts';
import { headersCount, isSignature, type RouteAuth, type RouteHttp } from '../../config.ts';
import type { Signature } from '../intake.ts';
import type { Authenticator, Claim, Purpose } from './auth/claim.ts';
import { hmac } from './auth/hmac.ts';
import { loopbackOnly } from './auth/loopback.ts';
import { standardWebhooks } from './auth/standard-webhooks.ts';
import { token } from './auth/token.ts';

/** @throws SecretError */
export function authenticatorOf(
  auth: RouteAuth,
  secrets: readonly string[],
  now: () => number,
  purpose: Purpose,
): Authenticator {
  switch (auth.type) {
    case 'standard-webhooks':
      return standardWebhooks({ purpose, secrets, toleranceMs: durationMs(auth.tolerance), now });
    case 'hmac':
      return hmac({ purpose, style: auth.style, secrets, overrides: auth, now });
    case 'token':
      return token({ header: auth.header, secrets });
    case 'none':
      return loopbackOnly();
  }
}

/**
 * Returns what a signature covers in an authenticated request; undefined without a signature. A token or the loopback
 * address authenticates the whole request, so its headers count as much as its body.
 */
export function signatureOf(http: RouteHttp, req: IncomingMessage): Signature | undefined {
  const trustHeaders = headersCount(http);
  if (trustHeaders && !isSignature(http.auth)) return undefined;
  const id = http.auth.type === 'standard-webhooks' ? claimOf(req, undefined).header('webhook-id') : null;
  return { id, trustHeaders };
}

/** @param publicUrl URL at which senders reach this server, if it differs from the listening address */
export function claimOf(req: IncomingMessage, publicUrl: string | undefined): Claim {
  const values = new Map<string, string[]>();
  for (const [name, value] of headerPairs(req)) {
    const same = values.get(name);
    if (same === undefined) values.set(name, [value]);
    else same.push(value);
  }
  const header = (name: string): string | null => {
    const [only, ...more] = values.get(name.toLowerCase()) ?? [];
    return only === undefined || more.length > 0 ? null : only;
  };
  const base = publicUrl?.replace(/\/+$/, '') ?? `http://${header('host') ?? ''}`;
  return {
    method: req.method ?? '',
    uri: base + originForm(req.url ?? '/'),
    peer: req.socket.remoteAddress,
    header,
    has: (name) => values.has(name),
  };
}

/** Credentials stay here. No later step needs them, and none may store them. */
const CREDENTIALS = ['authorization', 'proxy-authorization', 'cookie'];

/** Lower-case names of headers that are not handed on. */
export function credentialHeaders(auth: RouteAuth): ReadonlySet<string> {
  return new Set(auth.type === 'token' ? [...CREDENTIALS, auth.header.toLowerCase()] : CREDENTIALS);
}

/** Headers by lower-case name. For a repeated header, the last value. */
export function headersOf(
  req: IncomingMessage,
  without: ReadonlySet<string>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(headerPairs(req).filter(([name]) => !without.has(name)));
}

function headerPairs({ rawHeaders }: IncomingMessage): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    pairs.push([(rawHeaders[at] as string).toLowerCase(), rawHeaders[at + 1] as string]);
  }
  return pairs;
}

// A request may name its target with scheme and host. All code here uses path and query.
function originForm(target: string): string {
  return target.replace(/^https?:\/\/[^/?#]*/i, '');
}
