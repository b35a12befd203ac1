// Errors of PostgreSQL and its driver in words that help. Never their `detail` or `where`, nor a message about a value: those
// quote what the event says of people.
import { SinkError } from './sink.ts';

interface Place {
  /** host:port/database */
  readonly server: string;
  /** As SQL names it. */
  readonly table: string;
}

const COLUMNS =
  'it needs id (primary key or unique), type, source, subject, partitionkey text, time timestamptz, data and event jsonb';
const CERTIFICATE =
  'its certificate is not trusted; name its authority in NODE_EXTRA_CA_CERTS or sslrootcert';

/** By SQLSTATE, or by the code of the system or of TLS. */
const MEANINGS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there; check host and port, and whether the server is up',
  ECONNRESET: 'the connection broke',
  EPIPE: 'the connection broke',
  ENOTFOUND: 'there is no host of that name; correct the address',
  EAI_AGAIN: "the host's name can't be resolved at the moment",
  EHOSTUNREACH: 'there is no way to that host; check network and firewall',
  ENETUNREACH: 'there is no way to that network; check network and firewall',
  TIMEOUT: 'no answer in time',
  DEPTH_ZERO_SELF_SIGNED_CERT: CERTIFICATE,
  SELF_SIGNED_CERT_IN_CHAIN: CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: CERTIFICATE,
  ERR_TLS_CERT_ALTNAME_INVALID: CERTIFICATE,
  CERT_HAS_EXPIRED: CERTIFICATE,
  '28000': 'the server does not let this user in from here; check user, pg_hba.conf and sslmode',
  '28P01': 'the server refuses user or password; correct the secret',
  '3D000': 'there is no such database; correct the address',
  '3F000': 'there is no such schema; make it, or correct `table`',
  '42501':
    'the user may not write there: grant USAGE on the schema and INSERT and SELECT on the table; to make the table, CREATE on the schema',
  '42P01': 'the table does not exist, and could not be made',
  '42703': `the table lacks a column: ${COLUMNS}`,
  '42804': `a column of the table has another type: ${COLUMNS}`,
  '42P10': `the table has no unique id: ${COLUMNS}`,
  '42809': 'that is no table; correct `table`',
  '428C9': `a column of the table makes its own values: ${COLUMNS}`,
  '25006': 'the server only reads, as a standby does; write the address of the primary',
  '53100': 'the disk of the server is full',
  '53300': 'the server has no connection left',
  '55P03': 'a lock is held by someone else',
};

/** Values that do not fit, constraints, what a trigger raises, checks of a view, sizes. */
const ROW = /^(?:22|23|27|P0|44|54)/;
/** Connections and resources, conflicts between transactions, operators at work, trouble of the system. */
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

/** Does the database refuse what the row says, rather than fail? */
export const isAboutRow = (error: unknown): boolean => ROW.test(codeOf(error));
export const isMissingTable = (error: unknown): boolean => codeOf(error) === '42P01';

/** What kept a batch as a whole from the table. */
export function databaseError(error: unknown, { server, table }: Place): SinkError {
  const code = codeOf(error);
  const why =
    MEANINGS[code] ?? (PASSING.test(code) ? 'the server is not able to answer at the moment' : away(code));
  const message = `the events were not written to ${table} at ${server}: ${why}`;
  return new SinkError(code, message, { retryable: true, sinkWide: true });
}

function away(code: string): string {
  return code === 'UNREACHABLE' ? 'the connection broke' : 'the server refuses the statement';
}

/** Why one event is not taken by a table that takes others. */
export function rowError(error: unknown, { server, table }: Place): SinkError {
  const code = codeOf(error);
  const { constraint } = error as { constraint?: unknown };
  const rule = typeof constraint === 'string' ? `its constraint ${constraint}` : ruleOf(code);
  const message = `the event was refused by ${table} at ${server}: ${rule} does not let it in`;
  return new SinkError(code, message, { retryable: false });
}

function ruleOf(code: string): string {
  if (code.startsWith('22')) return 'the type of a column';
  if (code.startsWith('54')) return 'a limit of the server';
  return 'a rule or trigger of it';
}
