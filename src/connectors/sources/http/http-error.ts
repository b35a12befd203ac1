// Maps failed requests of an HTTP source to errors and marks those that are retryable. It never quotes a body.
import { SourceError, type SourceErrorCode } from '../../../core/source.ts';

// Maximum wait before Sluice asks again. A wrong clock at the server must not stop a run for days.
const MAX_WAIT_MS = 3_600_000;

type HeadersRead = Pick<Headers, 'get'>;

export function statusError(status: number, headers: HeadersRead, place: string, now: number): SourceError {
  const retryAfterMs = readRetryAfter(headers, now);
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  const make = (code: SourceErrorCode, say: string, retryable = false) =>
    new SourceError(code, `source ${place}: ${say} [${status}]`, { retryable, ...(retryable && wait) });
  if (status >= 300 && status < 400) {
    const target = plainTarget(headers.get('location'), place);
    return make(
      'bad_config',
      `it redirects to ${target}, which Sluice does not follow because that would pass on the secret; set \`url\` to the final address`,
    );
  }
  if (status === 401) return make('denied', 'it rejects the credentials; check `auth` and its secret');
  if (status === 403)
    return make('denied', 'it accepts the credentials but denies access; check their rights');
  if (status === 407) return make('denied', 'a proxy requires authentication');
  if (status === 404 || status === 410)
    return make('not_found', 'there is nothing at this address; check `url`');
  if (status === 429) return make('busy', 'it received too many requests; set `rate`', true);
  if (status === 408 || status === 425)
    return make('unreachable', 'it timed out waiting for the request', true);
  if (status >= 500) return make('unreachable', 'it reports an error of its own', true);
  return make('bad_config', 'it refuses the request; check `query`, `body`, `pagination` and `incremental`');
}

const CERTIFICATE =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_|ERR_TLS_CERT_ALTNAME_INVALID)/;

/** @param deadlineMs the deadline, if it ended the request */
export function transportError(error: unknown, deadlineMs: number | null, place: string): SourceError {
  const make = (code: SourceErrorCode, say: string, retryable: boolean) =>
    new SourceError(code, `source ${place}: ${say}`, { retryable });
  if (deadlineMs !== null) {
    return make('unreachable', `no whole answer within ${deadlineMs / 1000} s; see \`timeout\``, true);
  }
  const cause = rootOf(error) as { code?: unknown; name?: unknown; message?: unknown };
  const code = typeof cause.code === 'string' ? cause.code : '';
  const tag = code === '' ? '' : ` [${code}]`;
  if (code === 'ADDRESS_REFUSED') {
    const say = `its name leads to an address that Sluice does not connect to: a metadata service, a reserved address, or a private one after a public one; correct \`url\`${tag}`;
    return make('bad_config', say, false);
  }
  if (code === 'ENOTFOUND')
    return make('not_found', `there is no host of that name; correct \`url\`${tag}`, false);
  if (CERTIFICATE.test(code)) {
    const say = `its certificate is not trusted; name its authority in NODE_EXTRA_CA_CERTS, and write the host as the certificate does${tag}`;
    return make('denied', say, false);
  }
  if (cause.message === 'bad port') return make('bad_config', 'this port is blocked for HTTP', false);
  if (code.startsWith('HPE_') || code.startsWith('ERR_SSL') || cause.name === 'HTTPParserError') {
    return make(
      'bad_answer',
      `the server there does not speak this protocol; check http or https, and the port${tag}`,
      false,
    );
  }
  if (/^Z_|^ERR__ERROR_FORMAT|BROTLI/.test(code)) {
    return make('bad_answer', `the answer's compression is broken${tag}`, false);
  }
  return make('unreachable', `no answer, or the connection broke${tag}`, true);
}

function rootOf(error: unknown): object {
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  if (root instanceof AggregateError && root.errors[0] instanceof Error) root = root.errors[0];
  return typeof root === 'object' && root !== null ? root : {};
}

// Date.parse alone would read "apples 5" as a date.
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Epoch milliseconds of a date in a header, or undefined. */
export function headerDate(text: string | null): number | undefined {
  if (text === null || !HTTP_DATE.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

/** Milliseconds that Retry-After asks for, at most one hour. A date is compared with the answer's own clock. */
function readRetryAfter(headers: HeadersRead, now: number): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? null;
  if (text !== null && /^\d{1,9}$/.test(text)) return Math.min(Number(text) * 1000, MAX_WAIT_MS);
  const date = headerDate(text);
  if (date === undefined) return undefined;
  return Math.min(Math.max(0, date - (headerDate(headers.get('date')) ?? now)), MAX_WAIT_MS);
}

/** Origin and path of the redirect target. */
function plainTarget(location: string | null, place: string): string {
  if (location === null || !URL.canParse(location, place)) return 'somewhere';
  const { origin, pathname } = new URL(location, place);
  return `${origin}${pathname}`;
}
