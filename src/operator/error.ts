// The error of the operator API, on both sides of the wire.
import type { ErrorBody, ErrorKind } from '../core/endpoint.ts';

/** Thrown by handlers and, with the same content, by the client. The message names how to correct it. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  readonly kind: ErrorKind;
  readonly code: string | undefined;
  /** Milliseconds after which a retry may succeed. */
  readonly retryAfterMs: number | undefined;
  constructor(
    kind: ErrorKind,
    message: string,
    { code, retryAfterMs, cause }: { code?: string; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.kind = kind;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

export function errorBody({ kind, code, message, retryAfterMs }: OperatorError): ErrorBody {
  return { error: { kind, code, message, retryAfterMs } };
}
