// Maps connection errors to messages that name the cause and the fix.
import { SinkError } from './sink.ts';

interface Meaning {
  readonly code: string;
  readonly say: string;
}

const TLS: Meaning = {
  code: 'TLS',
  say: 'the TLS connection failed; the certificate must be valid for the host (for a private authority, set NODE_EXTRA_CA_CERTS)',
};
const NOT_HTTP: Meaning = { code: 'NOT_HTTP', say: 'the server there does not speak valid HTTP' };
const TIMEOUT: Meaning = {
  code: 'TIMEOUT',
  say: 'no answer within `timeout`; the event may still have arrived',
};

const away = (say: string): Meaning => ({ code: 'UNREACHABLE', say });
const MEANINGS: Readonly<Record<string, Meaning>> = {
  ECONNREFUSED: away('no server listens there'),
  ENOTFOUND: away('the host name does not exist; check `url`'),
  EAI_AGAIN: away('the host name cannot be resolved at the moment'),
  EHOSTUNREACH: away('the host is unreachable; check network and firewall'),
  ENETUNREACH: away('the network is unreachable; check network and firewall'),
  UND_ERR_CONNECT_TIMEOUT: TIMEOUT,
  ETIMEDOUT: TIMEOUT,
  UND_ERR_HEADERS_OVERFLOW: NOT_HTTP,
};
const CUT = away('the connection closed before an answer; the event may still have arrived');

/** @param place scheme, host and path of the receiver */
export function connectionError(error: unknown, place: string): SinkError {
  const { name, code } = rootOf(error);
  const { code: kind, say } = meaningOf(name, code);
  const tag = code === '' || kind === 'TIMEOUT' ? '' : ` [${code}]`;
  const message = `${place} did not accept the event: ${say}${tag}`;
  return new SinkError(kind, message, { retryable: true, sinkWide: true, cause: error });
}

function meaningOf(name: string, code: string): Meaning {
  if (name === 'TimeoutError') return TIMEOUT;
  if (name === 'HTTPParserError' || code.startsWith('HPE_')) return NOT_HTTP;
  if (/^(?:ERR_TLS|ERR_SSL|EPROTO$|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH)/.test(code))
    return TLS;
  return MEANINGS[code] ?? CUT;
}

/** A host with several addresses fails with one error per address. */
function rootOf(error: unknown): { name: string; code: string } {
  let root = error;
  for (;;) {
    const next = root instanceof AggregateError ? root.errors[0] : undefined;
    if (next === undefined) break;
    root = next;
  }
  if (!(root instanceof Error)) return { name: '', code: '' };
  const { code } = root as { code?: unknown };
  return { name: root.name, code: typeof code === 'string' ? code : '' };
}
