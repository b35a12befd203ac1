// From the part `auth` of a route to what checks its requests; and from a request to what is checked.
import type { IncomingMessage } from 'node:http';
import { headersCount, isSignature, type RouteAuth, type RouteHttp } from '../../contracts/config/config.ts';
import { durationMs } from '../../contracts/config/config-base.ts';
import type { Signature } from '../intake.ts';
import type { Authenticator, Claim } from './auth/claim.ts';
import { hmac } from './auth/hmac.ts';
import { loopbackOnly } from './auth/loopback.ts';
import { standardWebhooks } from './auth/standard-webhooks.ts';
import { token } from './auth/token.ts';

/** @throws SecretError */
export function authenticatorOf(
  auth: RouteAuth,
  secrets: readonly string[],
  now: () => number,
): Authenticator {
  switch (auth.type) {
    case 'standard-webhooks':
      return standardWebhooks({ secrets, toleranceMs: durationMs(auth.tolerance), now });
    case 'hmac':
      return hmac({ style: auth.style, secrets, overrides: auth, now });
    case 'token':
      return token({ header: auth.header, secrets });
    case 'none':
      return loopbackOnly();
  }
}

/**
 * What a proven request says of itself by its signature; undefined where there is none. A token proves the sender of the whole
 * request, and so does the loopback address: their headers count as much as their body.
 */
export function signatureOf(http: RouteHttp, req: IncomingMessage): Signature | undefined {
  const trustHeaders = headersCount(http);
  if (trustHeaders && !isSignature(http.auth)) return undefined;
  const id = http.auth.type === 'standard-webhooks' ? claimOf(req, undefined).header('webhook-id') : null;
  return { id, trustHeaders };
}

/** @param publicUrl where senders reach this server, when that is not where it listens */
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

/** What proves a sender stays here: nobody behind needs it, and nothing behind may write it down. */
const CREDENTIALS = ['authorization', 'proxy-authorization', 'cookie'];

/** Names of headers, in lower case, that are not handed on. */
export function credentialHeaders(auth: RouteAuth): ReadonlySet<string> {
  return new Set(auth.type === 'token' ? [...CREDENTIALS, auth.header.toLowerCase()] : CREDENTIALS);
}

/** Names in lower case; of a header that came several times the last. */
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

// A request may name its target with scheme and host; everything here goes by path and query.
function originForm(target: string): string {
  return target.replace(/^https?:\/\/[^/?#]*/i, '');
}
