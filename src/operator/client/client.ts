// The typed client of the operator API. The console bundles it, so it needs neither Node nor zod.
import type { ErrorBody } from '../../core/endpoint.ts';
import type { Input, Output, Route } from '../contract/index.ts';
import { OperatorError } from '../error.ts';

export interface OperatorClient {
  /**
   * Calls an endpoint: `call('GET /syncs/{sync}/runs', { sync: 'contacts' })`.
   * @throws OperatorError as the server answered; `unavailable` when no answer came
   */
  call<R extends Route>(route: R, input: Input<R>, options?: CallOptions): Promise<Output<R>>;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** Header with the other fields of a request whose body is bytes: percent-encoded JSON. Addresses end up in logs. */
export const FIELDS_HEADER = 'sluice-fields';

/** A request, ready to send. `body`: JSON text or bytes. */
export interface WireRequest {
  readonly method: string;
  /** With `/api/v1` and the query string. */
  readonly path: string;
  readonly body: string | Uint8Array | null;
  readonly contentType: string | null;
  /** Value of the header for fields beside bytes. */
  readonly fields: string | null;
}

export interface WireAnswer {
  readonly status: number;
  readonly text: string;
}

/** Sends a request. Throws OperatorError (unavailable) when no answer comes. */
export type Transport = (request: WireRequest, options: CallOptions) => Promise<WireAnswer>;

export function createClient(transport: Transport): OperatorClient {
  return {
    async call(route, input, options = {}) {
      const { status, text } = await transport(encodeCall(route, input), options);
      if (status >= 200 && status < 300) return (text === '' ? undefined : JSON.parse(text)) as never;
      throw errorOf(status, text);
    },
  };
}

/**
 * Path parameters come from the input. The rest is the query of a GET, the JSON body of another method, or a header
 * beside a body of bytes.
 */
function encodeCall(route: Route, input: object): WireRequest {
  const [method = 'GET', template = ''] = route.split(' ');
  const rest = new Map<string, unknown>(Object.entries(input));
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name);
    if (value === undefined || value === '') throw new TypeError(`${route} needs ${name}`);
    rest.delete(name);
    return encodeURIComponent(String(value));
  });
  const bytes = [...rest].find(([, value]) => value instanceof Uint8Array);
  if (bytes !== undefined) rest.delete(bytes[0]);
  const isGet = method === 'GET';
  const json = () => JSON.stringify(Object.fromEntries(rest));
  const request = { method, path: `/api/v1${path}${isGet ? queryOf(rest) : ''}`, fields: null };
  if (bytes !== undefined)
    return Object.assign(request, {
      body: bytes[1] as Uint8Array,
      contentType: 'application/octet-stream',
      fields: encodeURIComponent(json()),
    });
  return Object.assign(request, {
    body: isGet ? null : json(),
    contentType: isGet ? null : 'application/json',
  });
}

/** A list is repeated: `state=open&state=failed`. */
function queryOf(fields: ReadonlyMap<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of fields) {
    if (value === undefined || value === null) continue;
    for (const each of Array.isArray(value) ? value : [value]) query.append(name, String(each));
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

function errorOf(status: number, text: string): OperatorError {
  const body = parse(text);
  if (body === null)
    return new OperatorError('failed', `the server answered ${status} with a body that is not of this API`);
  const { kind, code, message, retryAfterMs } = body.error;
  return new OperatorError(kind, message, {
    code,
    retryAfterMs,
  });
}

function parse(text: string): ErrorBody | null {
  try {
    const body = JSON.parse(text) as Partial<ErrorBody> | null;
    return typeof body?.error?.kind === 'string' ? (body as ErrorBody) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
