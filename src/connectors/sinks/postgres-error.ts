// Maps errors of PostgreSQL and its driver to messages that name the cause and the fix. The messages never quote
// `detail`, `where` or an error about a value, because those contain personal data of the event.
import { PemFileError } from '../../core/net/pem-file.ts';
import { SinkError } from './sink.ts';

interface Place {
  /** host:port/database */
  readonly server: string;
  /** Table name as SQL quotes it. */
  readonly table: string;
}

const COLUMNS =
  'the table needs id (primary key or unique), type, source, subject, partitionkey text, time timestamptz, data and event jsonb';
const CERTIFICATE = 'its certificate is not trusted; set NODE_EXTRA_CA_CERTS or sslrootcert to its authority';

/** Messages by SQLSTATE, or by the code of the system or of TLS. */
const MEANINGS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server listens there; check host and port, and whether the server is up',
  ECONNRESET: 'the connection broke',
  EPIPE: 'the connection broke',
  ENOTFOUND: 'the host name does not exist; correct the address',
  EAI_AGAIN: 'the host name cannot be resolved at the moment',
  EHOSTUNREACH: 'the host is unreachable; check network and firewall',
  ENETUNREACH: 'the network is unreachable; check network and firewall',
  TIMEOUT: 'no answer in time',
  DEPTH_ZERO_SELF_SIGNED_CERT: CERTIFICATE,
  SELF_SIGNED_CERT_IN_CHAIN: CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: CERTIFICATE,
  ERR_TLS_CERT_ALTNAME_INVALID: CERTIFICATE,
  CERT_HAS_EXPIRED: CERTIFICATE,
  '28000': 'the server does not admit this user from this address; check user, pg_hba.conf and sslmode',
  '28P01': 'the server rejects the user or the password; correct the secret',
  '3D000': 'the database does not exist; correct the address',
  '3F000': 'the schema does not exist; create it or correct `table`',
  '42501':
    'the user may not write there; grant USAGE on the schema, INSERT and SELECT on the table, and CREATE on the schema if Sluice is to create the table',
  '42P01': 'the table does not exist, and Sluice could not create it',
  '42703': `the table lacks a column: ${COLUMNS}`,
  '42804': `a column of the table has another type: ${COLUMNS}`,
  '42P10': `the table has no unique id: ${COLUMNS}`,
  '42809': 'it is not a table; correct `table`',
  '428C9': `a column of the table generates its values: ${COLUMNS}`,
  '25006': 'the server is read-only, like a standby; use the address of the primary',
  '53100': "the server's disk is full",
  '53300': 'the server has no connection left',
  '55P03': 'a lock is held by someone else',
};

/** Values that do not fit, constraints, exceptions of a trigger, checks of a view, sizes. */
const ROW = /^(?:22|23|27|P0|44|54)/;
/** Connections and resources, conflicts between transactions, operator intervention, system errors. */
const PASSING = /^(?:08|40|53|57P|58)/;

/** SQLSTATE, the system's code, `TIMEOUT`, or `UNREACHABLE`. */
function codeOf(error: unknown): string {
  const root: unknown = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const { code, message = '' } = (root ?? {}) as { code?: unknown; message?: string };
  if (code === '57014' || code === 'ETIMEDOUT') return 'TIMEOUT';
  if (typeof code === 'string') return code;
  // The driver has no codes of its own.
  return /timeout/i.test(message) ? 'TIMEOUT' : 'UNREACHABLE';
}

/** Returns whether the database rejects the content of a row, as opposed to failing. */
export const isAboutRow = (error: unknown): boolean => ROW.test(codeOf(error));
export const isMissingTable = (error: unknown): boolean => codeOf(error) === '42P01';

/** Converts the error that kept a whole batch out of the table. */
export function databaseError(error: unknown, { server, table }: Place): SinkError {
  const code = codeOf(error);
  const why =
    error instanceof PemFileError
      ? error.message
      : (MEANINGS[code] ?? (PASSING.test(code) ? 'the server cannot answer at the moment' : away(code)));
  const message = `Sluice could not write the events to ${table} at ${server}: ${why}`;
  return new SinkError(code, message, { retryable: true, sinkWide: true });
}

function away(code: string): string {
  return code === 'UNREACHABLE' ? 'the connection broke' : 'the server rejects the statement';
}

/** Converts the error for one event that the table rejects while it accepts others. */
export function rowError(error: unknown, { server, table }: Place): SinkError {
  const code = codeOf(error);
  const { constraint } = error as { constraint?: unknown };
  const rule = typeof constraint === 'string' ? `constraint ${constraint}` : ruleOf(code);
  const message = `${table} at ${server} rejected the event: ${rule} does not allow it`;
  return new SinkError(code, message, { retryable: false });
}

function ruleOf(code: string): string {
  if (code.startsWith('22')) return 'the type of a column';
  if (code.startsWith('54')) return 'a limit of the server';
  return 'a rule or trigger of the table';
}
