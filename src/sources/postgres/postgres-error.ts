// Errors of PostgreSQL and its driver in words that help. Never their `detail`, `where` or a cause: those quote rows.
import { SourceError, type SourceErrorCode } from '../../contracts/wire/source.ts';

interface Meaning {
  readonly code: SourceErrorCode;
  readonly say: string;
  readonly retryable?: boolean;
}

const away = (say: string): Meaning => ({ code: 'unreachable', say, retryable: true });
const final = (code: SourceErrorCode, say: string): Meaning => ({ code, say });

const CERTIFICATE = final(
  'denied',
  'the certificate of the server is not trusted; name its authority in NODE_EXTRA_CA_CERTS, and write the host as the certificate does',
);

/** By SQLSTATE, or by the code of the system or of TLS. */
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
  ENOENT: final('not_found', 'there is no such socket; correct the address'),
  DEPTH_ZERO_SELF_SIGNED_CERT: CERTIFICATE,
  SELF_SIGNED_CERT_IN_CHAIN: CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: CERTIFICATE,
  CERT_HAS_EXPIRED: CERTIFICATE,
  ERR_TLS_CERT_ALTNAME_INVALID: CERTIFICATE,
  '28000': final(
    'denied',
    'the server does not let this user in from here; check user and pg_hba.conf (it may ask for `tls: true`)',
  ),
  '28P01': final('denied', 'the server rejects the user or the password; correct the secret'),
  '3D000': final('not_found', 'there is no such database on the server; correct the address'),
  '42501': final('denied', 'the user may not read this; grant it USAGE on the schema and SELECT'),
  '42P01': final(
    'not_found',
    'there is no such table or view, or it is in another schema; correct `table` or `query`',
  ),
  '3F000': final('not_found', 'there is no such schema; correct `table`'),
  '25006': final('bad_config', 'the query wants to write; Sluice only reads'),
  '57014': {
    code: 'unreachable',
    say: 'a statement took longer than `timeout`; an index on the columns it is ordered by helps, or a longer timeout',
    retryable: true,
  },
  '55P03': away('a lock is held by someone else'),
  XX000: final('unreadable', 'the server reports an internal error'),
};

/** Connections and resources, conflicts between transactions, operators at work, trouble of the system. */
const PASSING = /^(?:08|40|53|57P|58)/;

/** Any error of a session as a SourceError; those that are one already pass. */
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
  // What the parser says of a statement quotes the statement, which the configuration holds; it has no rows yet.
  if (code.startsWith('42')) return final('bad_config', `the server refuses the query: ${message}`);
  // Class 22 quotes the value.
  if (code.startsWith('22')) {
    return final(
      'unreadable',
      'a value can not be computed by the query; cast with care, or leave such rows out',
    );
  }
  if (/does not support SSL/i.test(message)) {
    return final('bad_config', 'the server does not offer TLS; set `tls: false`, or turn it on there');
  }
  if (/password must be a (?:non-empty )?string/i.test(message)) {
    return final('denied', 'the server asks for a password and the address has none');
  }
  // The driver has no codes of its own: timeouts, a server that hangs up.
  if (code === '' && /timeout|terminated|connection|ended/i.test(message)) {
    return away('no answer in time, or the connection broke');
  }
  return final('unreadable', 'the query failed');
}

/** Of a host with several addresses the driver reports one error each. */
function firstOf(error: unknown): unknown {
  return error instanceof AggregateError ? error.errors[0] : error;
}
