// Errors of a connection to a receiver, in words that help.
import { SinkError } from './sink.ts';

interface Meaning {
  readonly code: string;
  readonly say: string;
}

const TLS: Meaning = {
  code: 'TLS',
  say: 'the connection could not be secured: its certificate must be valid for the host; NODE_EXTRA_CA_CERTS names a private authority',
};
const NOT_HTTP: Meaning = { code: 'NOT_HTTP', say: 'what answers there does not speak HTTP as it should' };
const TIMEOUT: Meaning = {
  code: 'TIMEOUT',
  say: 'no answer within `timeout`; the event may have arrived all the same',
};

const away = (say: string): Meaning => ({ code: 'UNREACHABLE', say });
const MEANINGS: Readonly<Record<string, Meaning>> = {
  ECONNREFUSED: away('nothing listens there'),
  ENOTFOUND: away('there is no host of that name: check `url`'),
  EAI_AGAIN: away("the host's name can't be resolved at the moment"),
  EHOSTUNREACH: away('there is no way to that host; check network and firewall'),
  ENETUNREACH: away('there is no way to that network; check network and firewall'),
  UND_ERR_CONNECT_TIMEOUT: TIMEOUT,
  ETIMEDOUT: TIMEOUT,
  UND_ERR_HEADERS_OVERFLOW: NOT_HTTP,
};
const CUT = away('the connection broke before an answer; the event may have arrived all the same');

/** @param place scheme, host and path of the receiver */
export function connectionError(error: unknown, place: string): SinkError {
  const { name, code } = rootOf(error);
  const { code: kind, say } = meaningOf(name, code);
  const tag = code === '' || kind === 'TIMEOUT' ? '' : ` [${code}]`;
  const message = `the event was not taken by ${place}: ${say}${tag}`;
  return new SinkError(kind, message, { retryable: true, sinkWide: true, cause: error });
}

function meaningOf(name: string, code: string): Meaning {
  if (name === 'TimeoutError') return TIMEOUT;
  if (name === 'HTTPParserError' || code.startsWith('HPE_')) return NOT_HTTP;
  if (/^(?:ERR_TLS|ERR_SSL|EPROTO$|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH)/.test(code))
    return TLS;
  return MEANINGS[code] ?? CUT;
}

/** A host with several addresses fails with one error each. */
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
