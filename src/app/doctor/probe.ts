// One read of the API by a doctor: the parsed answer or the error, beside the raw answer.
import {
  ApiError,
  type ApiResult,
  type RateHeaders,
  TransportError,
  UnexpectedShapeError,
} from '../../service/api-client/index.ts';
import { quote, type Said, say } from './say.ts';
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
export function reasonOf(error: ProbeError): Said {
  if (!(error instanceof ApiError)) return quote('CHECK_READ_FAILED', error.message);
  if (error.status === 429) {
    return error.retryAfterMs === null
      ? say('CHECK_LIMITED')
      : say('CHECK_LIMITED_FOR', { seconds: Math.ceil(error.retryAfterMs / 1000) });
  }
  if (error.requiredScope !== null) return say('CHECK_SCOPE_LACKING', { scope: error.requiredScope });
  if (error.kind === 'forbidden') return say('CHECK_FORBIDDEN');
  return quote(error.code ?? 'CHECK_READ_FAILED', error.message);
}
