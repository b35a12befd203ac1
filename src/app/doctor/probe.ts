// One read of the API by a doctor: the parsed answer or the error, beside the raw answer.
import {
  ApiError,
  type ApiResult,
  type RateHeaders,
  TransportError,
  UnexpectedShapeError,
} from '../../service/api-client/index.ts';
import type { Seen, Wire } from './wire.ts';

export type ProbeError = ApiError | TransportError | UnexpectedShapeError;

export interface Probed<T> {
  /** null: see `error`. */
  readonly data: T | null;
  readonly error: ProbeError | null;
  readonly rate: RateHeaders | null;
  readonly seen: Seen | null;
}

export type Probe = <T>(call: () => Promise<ApiResult<T>>) => Promise<Probed<T>>;

/**
 * Makes reads with one token. After a 429 it stops: other users of the token need its calls more.
 * @throws InvalidArgumentError, when the client refuses an argument
 */
export function createProbe(wire: Wire): Probe {
  let limited: ApiError | null = null;
  return async <T>(call: () => Promise<ApiResult<T>>): Promise<Probed<T>> => {
    if (limited !== null) return { data: null, error: limited, rate: null, seen: null };
    try {
      const { data, meta } = await call();
      return { data, error: null, rate: meta.rate, seen: wire.last() };
    } catch (error) {
      if (!isProbeError(error)) throw error;
      if (error instanceof ApiError && error.status === 429) limited = error;
      return { data: null, error, rate: error instanceof ApiError ? error.rate : null, seen: wire.last() };
    }
  };
}

function isProbeError(error: unknown): error is ProbeError {
  return (
    error instanceof ApiError || error instanceof TransportError || error instanceof UnexpectedShapeError
  );
}

/** Why a read failed, in few words. */
export function reasonOf(error: ProbeError): string {
  if (!(error instanceof ApiError)) return error.message;
  if (error.status === 429) {
    const wait = error.retryAfterMs === null ? 'a minute' : `${Math.ceil(error.retryAfterMs / 1000)} s`;
    return `the calls of the token are used up (429); ask again in ${wait}`;
  }
  if (error.requiredScope !== null) return `the token lacks the scope ${error.requiredScope}`;
  if (error.kind === 'forbidden')
    return `the service refuses it without a code (403): a feature outside the plan?`;
  return error.message;
}
