// Checks that the base URL answers and is the API. The calls have no token, so that none reaches a wrong address.
import type { FindingSentence } from '../../operator/contract/doctor-sentences.ts';
import { ApiError, TransportError } from '../../service/api-client/index.ts';
import type { Findings } from './findings.ts';
import { createProbe, type ProbeError } from './probe.ts';
import { type Said, say } from './say.ts';
import type { Wire } from './wire.ts';

const CHECK = 'baseUrl';

/** Makes one call, and a second one when the address looks wrong. Returns whether further checks make sense. */
export async function checkReach(wire: Wire, baseUrl: string, findings: Findings): Promise<boolean> {
  const probe = createProbe(wire);
  const { error, seen } = await probe(() => wire.client(null).pipelines.list());
  if (error === null) {
    findings.warning(CHECK, say('CHECK_URL_OPEN', { url: baseUrl }));
    return true;
  }
  if (error instanceof ApiError && error.code !== null) {
    const said =
      seen === null
        ? say('CHECK_URL', { url: baseUrl })
        : say('CHECK_URL_TIMED', { url: baseUrl, ms: seen.answeredAt - seen.sentAt });
    findings.ok(CHECK, said);
    return true;
  }
  const better = seemsWrong(error) ? await findBetter(wire, baseUrl) : null;
  findings.problem(CHECK, explain(error, baseUrl, seen?.location ?? null), {
    hint: better === null ? undefined : say('FIX_URL_BETTER', { to: better }),
    cause: 'unreachable',
  });
  return false;
}

/** Something answers there that is not the API. */
function seemsWrong(error: ProbeError): boolean {
  if (error instanceof ApiError) return error.kind === 'unrecognised' || error.kind === 'forbidden';
  return !(error instanceof TransportError) || error.reason === 'invalid_body' || error.reason === 'redirect';
}

/** The address with /wapi at its end; null when the API is not there either. */
async function findBetter(wire: Wire, baseUrl: string): Promise<string | null> {
  const bare = baseUrl.replace(/\/+$/, '');
  if (bare.endsWith('/wapi')) return null;
  const guess = `${bare.replace(/\/v1$/, '')}/wapi`;
  const probe = createProbe(wire);
  const { error } = await probe(() => wire.client(null, guess).pipelines.list());
  return error instanceof ApiError && error.code !== null ? guess : null;
}

function explain(error: ProbeError, url: string, location: string | null): Said {
  if (error instanceof ApiError) {
    const code = error.kind === 'internal' ? 'CHECK_URL_FAILS' : 'CHECK_URL_NOT_API';
    return say(code, { url, status: String(error.status) });
  }
  if (!(error instanceof TransportError)) return say('CHECK_URL_OTHER_JSON', { url });
  const status = String(error.status);
  switch (error.reason) {
    case 'redirect': {
      const to = location === null ? null : targetOf(location, url);
      return to === null
        ? say('CHECK_URL_REDIRECTS', { url, status })
        : say('CHECK_URL_REDIRECTS_TO', { url, to, status });
    }
    case 'invalid_body':
      return say(error.status === null ? 'CHECK_URL_NO_HTTP' : 'CHECK_URL_NO_JSON', { url, status });
    case 'connect': {
      const cause = error.causeCode ?? 'unknown';
      return say(CONNECT[cause] ?? 'CHECK_CONNECT', { url, error: cause });
    }
    case 'timeout':
      return say('CHECK_URL_TIMEOUT', { url });
    default:
      return say('CHECK_URL_BREAKS', { url, error: error.reason });
  }
}

/** The target of the redirect, as a base URL. */
function targetOf(location: string, baseUrl: string): string | null {
  const from = `${baseUrl.replace(/\/+$/, '')}/v1/pipelines`;
  if (!URL.canParse(location, from)) return null;
  const to = new URL(location, from);
  return `${to.origin}${to.pathname.replace(/\/v1\/pipelines\/?$/, '')}`;
}

const CONNECT: Readonly<Record<string, FindingSentence>> = {
  ENOTFOUND: 'CHECK_CONNECT_HOST',
  EAI_AGAIN: 'CHECK_CONNECT_DNS',
  ECONNREFUSED: 'CHECK_CONNECT_REFUSED',
  UND_ERR_CONNECT_TIMEOUT: 'CHECK_CONNECT_TIMEOUT',
  ETIMEDOUT: 'CHECK_CONNECT_TIMEOUT',
  EHOSTUNREACH: 'CHECK_CONNECT_NETWORK',
  ENETUNREACH: 'CHECK_CONNECT_NETWORK',
  CERT_HAS_EXPIRED: 'CHECK_CERT_EXPIRED',
  CERT_NOT_YET_VALID: 'CHECK_CERT_EARLY',
  ERR_TLS_CERT_ALTNAME_INVALID: 'CHECK_CERT_NAME',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'CHECK_CERT_SELF',
  SELF_SIGNED_CERT_IN_CHAIN: 'CHECK_CERT_PRIVATE',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'CHECK_CERT_UNKNOWN',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'CHECK_CERT_UNKNOWN',
  ERR_SSL_WRONG_VERSION_NUMBER: 'CHECK_TLS_NONE',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'CHECK_TLS_NONE',
  EPROTO: 'CHECK_TLS',
};
