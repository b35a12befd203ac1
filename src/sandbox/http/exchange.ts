// One request under the base URL from arrival to answer: its fault, its rate headers, its row in the request log. Every
// answer is sent here, so none lacks the headers, the log row or the fault.
import { performance } from 'node:perf_hooks';
import type { Request, Response } from 'express';
import type { SandboxParts } from '../parts.ts';
import type { Caller } from './caller.ts';
import type { Fault } from './faults.ts';
import { type RateState, rateHeaders } from './rate.ts';
import type { LoggedCall } from './request-log.ts';

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

const PAGE =
  '<!doctype html><html><head><title>Please wait</title></head><body><h1>Please wait</h1></body></html>\n';

export class Exchange {
  readonly at: Date;
  readonly path: string;
  readonly fault: Fault | null;
  readonly caller: Caller;
  /** Shown in the headers; a counted call replaces it. */
  rate: RateState;
  readonly #parts: SandboxParts;
  readonly #req: Request;
  readonly #res: Response;
  readonly #started = performance.now();

  constructor(
    parts: SandboxParts,
    req: Request,
    res: Response,
    caller: Caller,
    fault: Fault | null,
    at: Date,
  ) {
    this.#parts = parts;
    this.#req = req;
    this.#res = res;
    this.caller = caller;
    this.fault = fault;
    this.at = at;
    this.path = req.path;
    this.rate = parts.rate.peek(caller.tokenHash);
  }

  /** Sends the answer, or the fault in its place. The effect is already committed. */
  answer({ status, body, headers }: Answer): void {
    const res = this.#res;
    const payload = Buffer.from(JSON.stringify(body));
    const code = typeof body['code'] === 'string' ? body['code'] : null;
    const json = { 'Content-Type': 'application/json; charset=utf-8', ...headers };
    const kind = this.fault?.kind;
    if (res.destroyed || res.socket?.destroyed !== false) {
      this.#log({ status: 0, code: null, fault: 'client-gone', served: status });
    } else if (kind === 'reset-after') {
      this.#log({ status: 0, code: null, fault: kind, served: status });
      res.socket.resetAndDestroy();
    } else if (kind === 'truncate') {
      this.#log({ status, code: null, fault: kind, served: status });
      res.writeHead(status, this.#headers(json, payload.length));
      // The socket is destroyed only after the kernel has the first half: the client must see a status and a
      // truncated body.
      res.write(payload.subarray(0, payload.length >> 1), () => res.socket?.destroy());
    } else if (kind === 'html') {
      this.#log({ status: 200, code: null, fault: kind, served: status });
      res.writeHead(
        200,
        this.#headers({ 'Content-Type': 'text/html; charset=utf-8' }, Buffer.byteLength(PAGE)),
      );
      res.end(PAGE);
    } else {
      this.#log({ status, code, ...(kind === undefined ? {} : { fault: kind, served: status }) });
      res.writeHead(status, this.#headers(json, payload.length));
      res.end(payload);
    }
  }

  /**
   * Applies the faults that keep the request from the service.
   *
   * @returns true if the request ends here; for a delayed one, `next` continues it later
   */
  intercept(next: () => void): boolean {
    const fault = this.fault;
    const unserved = { code: null, served: null };
    if (fault?.kind === 'reset-before') {
      this.#log({ ...unserved, status: 0, fault: fault.kind });
      this.#req.socket.resetAndDestroy();
    } else if (fault?.kind === 'hang') {
      // Never answered: the client's deadline or the end of the sandbox ends it.
      this.#log({ ...unserved, status: 0, fault: fault.kind });
      this.#req.resume();
    } else if (fault?.kind === 'status') {
      this.#answerFault(fault);
    } else if (fault?.kind === 'delay') {
      this.#parts.later(fault.ms ?? 0, next);
    } else return false;
    return true;
  }

  #answerFault(fault: Fault): void {
    const { status = 500, body = { error: 'Internal server error' } } = fault;
    const isText = typeof body === 'string';
    const payload = isText ? body : JSON.stringify(body);
    const code = (body as { code?: unknown } | null)?.code;
    this.#log({ status, code: typeof code === 'string' ? code : null, fault: 'status', served: null });
    const type = isText ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8';
    this.#req.resume();
    this.#res.writeHead(
      status,
      this.#headers({ 'Content-Type': type, ...fault.headers }, Buffer.byteLength(payload)),
    );
    this.#res.end(payload);
  }

  #headers(own: Record<string, string>, length: number): Record<string, string | number> {
    // The sandbox's clock, which tests may set.
    const date = this.#parts.now().toUTCString();
    return { Date: date, ...rateHeaders(this.rate), ...own, 'Content-Length': length };
  }

  #log(row: Pick<LoggedCall, 'status' | 'code' | 'fault' | 'served'>): void {
    this.#parts.log.append({
      at: this.at.toISOString(),
      tokenHash: this.caller.tokenHash,
      method: this.#req.method,
      path: this.path,
      status: row.status,
      code: row.code,
      durationMs: Math.round((performance.now() - this.#started) * 1000) / 1000,
      ...(row.fault === undefined ? {} : { fault: row.fault, served: row.served ?? null }),
    });
  }
}
