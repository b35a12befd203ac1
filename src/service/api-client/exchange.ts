// One HTTP exchange: sends a request and returns the whole decoded answer, within one deadline. It never retries.
//
// undici 7 resends nothing on HTTP/1.1 with pipelining 1: when a socket closes, the one running request fails, and
// only unwritten requests stay queued (client-h1.js, onHttpSocketClose). HTTP/2 would queue requests again after
// GOAWAY, so it is off. `idempotent: false` keeps every request out of pipelines. `onRequestStart` runs right before
// the first byte is written: a request that fails earlier was certainly not sent, one that fails later may have been.
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { BodyReader } from './body-reader.ts';
import { TransportError, type TransportReason } from './errors.ts';
import { UploadError } from './multipart.ts';
import { type AnswerHeaders, header } from './rate-headers.ts';

export interface ExchangeRequest {
  readonly method: Dispatcher.HttpMethod;
  /** Path template, for errors. */
  readonly template: string;
  /** Origin of the service. */
  readonly origin: string;
  /** Real path with query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Readable | null;
  /** Milliseconds for the whole exchange: the queue, the upload and the answer to its last byte. */
  readonly deadlineMs: number;
  readonly maxBodyBytes: number;
  readonly signal: AbortSignal | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** Decoded bytes. Empty if the body of an error answer is unusable: its status is enough. */
  readonly body: Buffer;
}

const CLOSED_CODES = new Set(['UND_ERR_CLOSED', 'UND_ERR_DESTROYED']);

function codeOf(error: Error): string | null {
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code)) return code;
  return error.name === 'HTTPParserError' ? 'HTTP_PARSER' : null;
}

/**
 * Returns whether the service answered with something other than HTTP. undici reports a truncated body with the same
 * class as bytes that break the protocol. Only the latter has the remaining bytes as `data`.
 */
function isNotHttp(error: Error): boolean {
  const { code, data } = error as { code?: unknown; data?: unknown };
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return true;
  return error.name === 'HTTPParserError' && typeof data === 'string' && data !== '';
}

/**
 * @throws TransportError when no usable answer came.
 */
export function exchange(dispatcher: Dispatcher, request: ExchangeRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const handler = new ExchangeHandler(request, resolve, reject);
    if (!handler.begin()) return;
    dispatcher.dispatch(
      {
        origin: request.origin,
        path: request.target,
        method: request.method,
        headers: request.headers,
        body: request.body,
        idempotent: false,
        // The deadline covers headers and body together, so undici's own timers are off.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      handler,
    );
  });
}

class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly #request: ExchangeRequest;
  readonly #resolve: (answer: Answer) => void;
  readonly #reject: (error: TransportError) => void;
  readonly #onAbort = () => this.#fail('aborted', null);
  #timer: NodeJS.Timeout | undefined;
  #controller: Dispatcher.DispatchController | null = null;
  #reader: BodyReader | null = null;
  #status: number | null = null;
  #sent = false;
  #settled = false;

  constructor(
    request: ExchangeRequest,
    resolve: (answer: Answer) => void,
    reject: (error: TransportError) => void,
  ) {
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Starts the deadline and listens to the signal. Returns false if the call is already over. */
  begin(): boolean {
    const { signal, deadlineMs } = this.#request;
    if (signal?.aborted) {
      this.#fail('aborted', null);
      return false;
    }
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    this.#timer = setTimeout(() => this.#fail('timeout', null), deadlineMs);
    return true;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The call ended in the queue. After this abort, undici writes nothing.
    if (this.#settled) return controller.abort(new Error('gave up'));
    this.#controller = controller;
    this.#sent = true;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (this.#settled || status < 200) return;
    this.#status = status;
    if (status >= 300 && status < 400) return this.#fail('redirect', null);
    this.#reader = new BodyReader(header(headers, 'content-encoding'), this.#request.maxBodyBytes, {
      pause: () => controller.pause(),
      resume: () => controller.resume(),
      done: (body) => {
        if (Buffer.isBuffer(body)) return this.#succeed({ status, headers, body });
        if (status >= 400) return this.#succeed({ status, headers, body: Buffer.alloc(0) });
        this.#fail(body === 'too_large' ? 'body_too_large' : 'invalid_body', null);
      },
    });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#reader?.write(chunk);
  }

  onResponseEnd(): void {
    // From here on the socket belongs to the next call, although decoding may still be running.
    this.#controller = null;
    this.#reader?.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#controller = null;
    const code = codeOf(error);
    if (error instanceof UploadError) return this.#fail('upload', code);
    if (code !== null && CLOSED_CODES.has(code)) return this.#fail('aborted', code);
    if (!this.#sent) return this.#fail('connect', code);
    this.#fail(isNotHttp(error) ? 'invalid_body' : 'reset', code);
  }

  #succeed(answer: Answer): void {
    if (this.#settled) return;
    this.#release();
    this.#resolve(answer);
  }

  #fail(reason: TransportReason, causeCode: string | null): void {
    if (this.#settled) return;
    this.#release();
    const { method, template } = this.#request;
    this.#reject(
      new TransportError({
        method,
        path: template,
        reason,
        sent: this.#sent,
        status: this.#status,
        causeCode,
      }),
    );
  }

  /** Removes the timer and the listener, and closes the socket if the exchange still uses it. */
  #release(): void {
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
    this.#reader?.destroy();
    this.#controller?.abort(new Error('exchange over'));
    this.#controller = null;
  }
}
