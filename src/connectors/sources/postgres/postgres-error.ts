// Maps errors of PostgreSQL and its driver to messages that name the cause and the fix. The messages never quote
// `detail`, `where` or a cause, because those quote rows.
import { SourceError, type SourceErrorCode } from '../../../core/source.ts';

interface Meaning {
  readonly code: SourceErrorCode;
  readonly say: string;
  readonly retryable?: boolean;
}

const away = (say: string): Meaning => ({ code: 'unreachable', say, retryable: true });
const final = (code: SourceErrorCode, say: string): Meaning => ({ code, say });

const CERTIFICATE = final(
  'denied',
  "the server's certificate is not trusted; set NODE_EXTRA_CA_CERTS to its authority and use the host name of the certificate",
);

/** Messages by SQLSTATE, or by the code of the system or of TLS. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  ECONNREFUSED: away(
    'no server listens there; check host and port of the address, and whether the server is up',
  ),
  ECONNRESET: away('the connection broke'),
  EPIPE: away('the connection broke'),
  ETIMEDOUT: away('no answer in time'),
  EHOSTUNREACH: away('the host is unreachable; check network and firewall'),
  ENETUNREACH: away('the network is unreachable; check network and firewall'),
  EAI_AGAIN: away('the host name cannot be resolved at the moment'),
  ENOTFOUND: final('not_found', 'the host name does not exist; correct the address'),
  ENOENT: final('not_found', 'the socket does not exist; correct the address'),
  DEPTH_ZERO_SELF_SIGNED_CERT: CERTIFICATE,
  SELF_SIGNED_CERT_IN_CHAIN: CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: CERTIFICATE,
  CERT_HAS_EXPIRED: CERTIFICATE,
  ERR_TLS_CERT_ALTNAME_INVALID: CERTIFICATE,
  '28000': final(
    'denied',
    'the server does not admit this user from this address; check user and pg_hba.conf (it may require `tls: true`)',
  ),
  '28P01': final('denied', 'the server rejects the user or the password; correct the secret'),
  '3D000': final('not_found', 'the database does not exist on the server; correct the address'),
  '42501': final('denied', 'the user may not read this; grant USAGE on the schema and SELECT on the table'),
  '42P01': final(
    'not_found',
    'the table or view does not exist, or it is in another schema; correct `table` or `query`',
  ),
  '3F000': final('not_found', 'the schema does not exist; correct `table`'),
  '25006': final('bad_config', 'the query wants to write; Sluice only reads'),
  '57014': {
    code: 'unreachable',
    say: 'a statement took longer than `timeout`; add an index on the columns of its order, or raise the timeout',
    retryable: true,
  },
  '55P03': away('a lock is held by someone else'),
  XX000: final('unreadable', 'the server reports an internal error'),
};

/** Connections and resources, conflicts between transactions, operators at work, trouble of the system. */
const PASSING = /^(?:08|40|53|57P|58)/;

/** Converts any error of a session to a SourceError. A SourceError passes through unchanged. */
export function connectionError(error: unknown, place: string): SourceError {
  if (error instanceof SourceError) return error;
  const { code, message = '' } = (firstOf(error) ?? {}) as { code?: unknown; message?: string };
  const known = typeof code === 'string' ? code : '';
  const tag = known === '' ? '' : ` [${known}]`;
  const { code: kind, say, retryable = false } = MEANINGS[known] ?? byClass(known, message);
  return new SourceError(kind, `source ${place}: ${say}${tag}`, { retryable });
}

function byClass(code: string, message: string): Meaning {
  if (PASSING.test(code)) return away('the server cannot answer at the moment');
  // A parser error quotes the statement, which comes from the configuration and contains no rows.
  if (code.startsWith('42')) return final('bad_config', `the server rejects the query: ${message}`);
  // Class 22 quotes the value.
  if (code.startsWith('22')) {
    return final('unreadable', 'the query cannot compute a value; cast with care, or exclude such rows');
  }
  if (/does not support SSL/i.test(message)) {
    return final('bad_config', 'the server does not offer TLS; set `tls: false`, or turn it on there');
  }
  if (/password must be a (?:non-empty )?string/i.test(message)) {
    return final('denied', 'the server asks for a password and the address has none');
  }
  // The driver has no codes of its own for timeouts and closed connections.
  if (code === '' && /timeout|terminated|connection|ended/i.test(message)) {
    return away('no answer in time, or the connection broke');
  }
  return final('unreadable', 'the query failed');
}

/** For a host with several addresses the driver reports one error per address. */
function firstOf(error: unknown): unknown {
  return error instanceof AggregateError ? error.errors[0] : error;
}
