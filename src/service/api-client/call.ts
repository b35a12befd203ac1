// One API call: arguments in, `{data, meta}` or a typed error out, and a report to the observer.
import type { Dispatcher } from 'undici';
import { type CallName, readAnswer } from './answers.ts';
import { jsonText, type Route } from './arguments.ts';
import type { AssumptionKey, Assumptions } from './assumptions.ts';
import { ACCEPT_ENCODING } from './body-reader.ts';
import type { ErrorCode } from './error-codes.ts';
import { ApiError, InvalidArgumentError, TransportError, type TransportReason } from './errors.ts';
import { type Answer, type ExchangeRequest, exchange } from './exchange.ts';
import type { JsonObject } from './json-object.ts';
import { type Form, openUpload } from './multipart.ts';
import { type RateHeaders, readDate, readRateHeaders } from './rate-headers.ts';

/** Last argument of every method. */
export interface CallOptions {
  /** Aborts the call at once and frees its socket. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for this whole call, body included. Default: the client's. */
  readonly deadlineMs?: number | undefined;
  /** Called with the report of this call when it has ended, in addition to the client's own `onResponse`. */
  readonly onResponse?: ((info: CallInfo) => void) | undefined;
}

export interface CallMeta {
  readonly status: number;
  readonly requestId: string | null;
  readonly rate: RateHeaders | null;
  /** The service's clock when it answered, by its Date header (whole seconds); null if it has none. */
  readonly date: Date | null;
  readonly durationMs: number;
}

export interface ApiResult<T> {
  readonly data: T;
  readonly meta: CallMeta;
}

/** Passed to `onResponse` after each call, including failed ones. Contains no personal data and no token. */
export interface CallInfo extends CallName {
  /** null: no status line was seen. */
  readonly status: number | null;
  readonly code: ErrorCode | null;
  /** Why there is no usable answer; null if there is one. */
  readonly reason: TransportReason | null;
  readonly requestId: string | null;
  readonly rate: RateHeaders | null;
  readonly retryAfterMs: number | null;
  readonly durationMs: number;
}

export interface CallSpec<T> {
  readonly method: Dispatcher.HttpMethod;
  readonly route: Route;
  /** With a leading `?`, or empty. */
  readonly query?: string;
  /** Sent as JSON. */
  readonly body?: object;
  /** Sent as multipart, instead of `body`. */
  readonly form?: Form;
  /** The API text does not show the response: a 200 may have no body. */
  readonly allowEmpty?: boolean;
  /** Inputs of this call whose names are assumptions. */
  readonly inputs?: readonly AssumptionKey[];
  readonly read: (body: JsonObject, status: number) => T;
}

export interface CallSettings {
  readonly dispatcher: Dispatcher;
  readonly baseUrl: URL;
  readonly token: string;
  readonly userAgent: string;
  readonly assumptions: Assumptions;
  readonly deadlineMs: number;
  readonly maxBodyBytes: number;
  readonly onResponse: ((info: CallInfo) => void) | undefined;
}

/** Function that resources make their calls with. */
export type Call = <T>(spec: CallSpec<T>, options?: CallOptions) => Promise<ApiResult<T>>;

/** Node's timers have 31 bits: a longer delay would fire at once. */
const MAX_DEADLINE_MS = 2 ** 31 - 1;

/** @throws InvalidArgumentError */
export function checkDeadline(value: number): number {
  if (!(value > 0 && value <= MAX_DEADLINE_MS)) {
    throw new InvalidArgumentError('deadlineMs', value, `send milliseconds from 1 to ${MAX_DEADLINE_MS}`);
  }
  return value;
}

/** Makes the function that all resources share. */
export function createCall(settings: CallSettings): Call {
  const prefix = settings.baseUrl.pathname.replace(/\/+$/, '');

  async function send<T>(spec: CallSpec<T>, options: CallOptions): Promise<Answer> {
    const deadlineMs = checkDeadline(options.deadlineMs ?? settings.deadlineMs);
    if (options.signal !== undefined && !(options.signal instanceof AbortSignal)) {
      throw new InvalidArgumentError('signal', options.signal, 'send the signal of an AbortController');
    }
    const headers: Record<string, string> = {
      authorization: `Bearer ${settings.token}`,
      accept: 'application/json',
      'accept-encoding': ACCEPT_ENCODING,
      'user-agent': settings.userAgent,
    };
    const request = {
      method: spec.method,
      template: spec.route.template,
      origin: settings.baseUrl.origin,
      target: `${prefix}${spec.route.target}${spec.query ?? ''}`,
      headers,
      deadlineMs,
      maxBodyBytes: settings.maxBodyBytes,
      signal: options.signal,
    };
    if (spec.form !== undefined) return upload(spec.form, request);
    if (spec.body === undefined) return exchange(settings.dispatcher, { ...request, body: null });
    headers['content-type'] = 'application/json';
    return exchange(settings.dispatcher, { ...request, body: jsonText('body', spec.body) });
  }

  async function upload(form: Form, request: Omit<ExchangeRequest, 'body'>): Promise<Answer> {
    const { body, contentType, contentLength, destroy } = await openUpload(form);
    const headers: Record<string, string> = { ...request.headers, 'content-type': contentType };
    if (contentLength !== null) headers['content-length'] = String(contentLength);
    try {
      return await exchange(settings.dispatcher, { ...request, headers, body });
    } finally {
      destroy();
    }
  }

  return async function call<T>(spec: CallSpec<T>, options: CallOptions = {}): Promise<ApiResult<T>> {
    const name = { method: spec.method, path: spec.route.template };
    const started = performance.now();
    let answer: Answer | null = null;
    try {
      answer = await send(spec, options);
      const { data, requestId, rate } = readAnswer(name, answer, spec.read, {
        token: settings.token,
        statuses: settings.assumptions['success.statuses'],
        now: Date.now(),
        envelope: settings.assumptions['answer.envelope'],
        inputs: spec.inputs ?? [],
        isWrite: spec.method !== 'GET',
        allowEmpty: spec.allowEmpty ?? false,
      });
      const seen = { status: answer.status, requestId, rate, durationMs: performance.now() - started };
      observe({ ...name, ...seen, code: null, reason: null, retryAfterMs: null }, options);
      return { data, meta: { ...seen, date: readDate(answer.headers) } };
    } catch (error) {
      if (error instanceof InvalidArgumentError) throw error;
      const durationMs = performance.now() - started;
      observe({ ...name, ...failureInfo(error, answer), durationMs }, options);
      throw error;
    }
  };

  /** An observer's bug must not make a successful call look failed, because the caller might repeat it. */
  function observe(info: CallInfo, { onResponse }: CallOptions): void {
    try {
      settings.onResponse?.(info);
      onResponse?.(info);
    } catch (error) {
      process.emitWarning(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

function failureInfo(
  error: unknown,
  answer: Answer | null,
): Omit<CallInfo, 'method' | 'path' | 'durationMs'> {
  const api = error instanceof ApiError ? error : null;
  const transport = error instanceof TransportError ? error : null;
  return {
    status: answer?.status ?? transport?.status ?? null,
    code: api?.code ?? null,
    reason: transport?.reason ?? null,
    requestId: api?.requestId ?? null,
    rate: answer === null ? null : readRateHeaders(answer.headers),
    retryAfterMs: api?.retryAfterMs ?? null,
  };
}
