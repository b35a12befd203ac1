// Checks that the base URL answers and is the API. The calls have no token, so that none reaches a wrong address.
import { ApiError, TransportError } from '../../service/api-client/index.ts';
import type { Findings } from './findings.ts';
import { createProbe, type ProbeError } from './probe.ts';
import type { Wire } from './wire.ts';

const CHECK = 'baseUrl';

/** Makes one call, and a second one when the address looks wrong. Returns whether further checks make sense. */
export async function checkReach(wire: Wire, baseUrl: string, findings: Findings): Promise<boolean> {
  const probe = createProbe(wire);
  const { error, seen } = await probe(() => wire.client(null).pipelines.list());
  if (error === null) {
    findings.warning(CHECK, `${baseUrl} answers even without a token`, 'is a proxy in front that adds one?');
    return true;
  }
  if (error instanceof ApiError && error.code !== null) {
    const ms = seen === null ? '' : ` (${seen.answeredAt - seen.sentAt} ms)`;
    findings.ok(CHECK, `${baseUrl} is the API${ms}`);
    return true;
  }
  const { text, hint } = explain(error, baseUrl, seen?.location ?? null);
  const better = seemsWrong(error) ? await findBetter(wire, baseUrl) : null;
  findings.problem(CHECK, `${baseUrl} ${text}`, {
    hint: better === null ? hint : `the API answers at ${better}: set baseUrl to that`,
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

function explain(
  error: ProbeError,
  baseUrl: string,
  location: string | null,
): { text: string; hint?: string | undefined } {
  if (error instanceof ApiError) {
    if (error.kind === 'internal') {
      return {
        text: `answers ${error.status}: the service, or a proxy before it, fails`,
        hint: 'try again later',
      };
    }
    return { text: `answers ${error.status}, but not as the API does`, hint: 'check that it ends in /wapi' };
  }
  if (!(error instanceof TransportError)) {
    return { text: 'answers JSON, but not as the API does', hint: 'check that it ends in /wapi' };
  }
  switch (error.reason) {
    case 'redirect': {
      const to = location === null ? null : targetOf(location, baseUrl);
      const where = to === null ? '' : ` to ${to}`;
      return {
        text: `redirects${where} (${error.status}), which is never followed`,
        hint: to === null ? undefined : `set baseUrl to ${to}`,
      };
    }
    case 'invalid_body':
      return {
        text:
          error.status === null
            ? 'does not speak HTTP there'
            : `answers ${error.status} with something else than JSON: a web page?`,
        hint:
          error.status === null ? 'check the port, and http against https' : 'check that it ends in /wapi',
      };
    case 'connect':
      return explainConnect(error.causeCode);
    case 'timeout':
      return {
        text: 'takes the call and does not answer in time',
        hint: 'check the address and the network, or try again later',
      };
    default:
      return {
        text: `breaks off (${error.reason})`,
        hint: 'check the port, http against https, and proxies in between',
      };
  }
}

/** The target of the redirect, as a base URL. */
function targetOf(location: string, baseUrl: string): string | null {
  const from = `${baseUrl.replace(/\/+$/, '')}/v1/pipelines`;
  if (!URL.canParse(location, from)) return null;
  const to = new URL(location, from);
  return `${to.origin}${to.pathname.replace(/\/v1\/pipelines\/?$/, '')}`;
}

const TRUST = 'name the authority that signed it in NODE_EXTRA_CA_CERTS';
const CONNECT: Readonly<Record<string, readonly [text: string, hint: string]>> = {
  ENOTFOUND: ['has a host name that nobody knows', 'check its spelling'],
  EAI_AGAIN: ['has a host name that can not be looked up now', 'check the DNS of this machine'],
  ECONNREFUSED: ['refuses the connection: no server listens there', 'check host and port'],
  UND_ERR_CONNECT_TIMEOUT: ['can not be connected to in time', 'check host, port and firewall'],
  ETIMEDOUT: ['can not be connected to in time', 'check host, port and firewall'],
  EHOSTUNREACH: ['is in a network that this machine can not reach', 'check network and firewall'],
  ENETUNREACH: ['is in a network that this machine can not reach', 'check network and firewall'],
  CERT_HAS_EXPIRED: [
    'has a certificate that has expired',
    'renew it on the instance, and check the clock of this machine',
  ],
  CERT_NOT_YET_VALID: ['has a certificate that is not yet valid', 'check the clock of this machine'],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'has a certificate for another host name',
    'use the name that the certificate is for',
  ],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['has a certificate that it signed itself', TRUST],
  SELF_SIGNED_CERT_IN_CHAIN: ['has a certificate of a private authority', TRUST],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['has a certificate whose authority is unknown here', TRUST],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['has a certificate whose authority is unknown here', TRUST],
  ERR_SSL_WRONG_VERSION_NUMBER: ['does not speak TLS', 'write http:// if that is intended'],
  ERR_SSL_PACKET_LENGTH_TOO_LONG: ['does not speak TLS', 'write http:// if that is intended'],
  EPROTO: ['can not agree on TLS', 'check that the port is the one of https'],
};

function explainConnect(code: string | null): { text: string; hint: string } {
  const [text, hint] = CONNECT[code ?? ''] ?? [
    'can not be connected to',
    'check the address and the network',
  ];
  return { text: code === null ? text : `${text} [${code}]`, hint };
}
