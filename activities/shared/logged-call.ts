// Enters a call in the call log when it ends.

import type { EndedCall } from '../../src/operator/store/calls.ts';
import type { ApiResult, CallInfo } from '../../src/service/api-client/call.ts';
import { ApiError, TransportError, UnexpectedShapeError } from '../../src/service/api-client/errors.ts';
import type { CallCounter } from './call-counter.ts';
import type { CallScope } from './call-scope.ts';
import type { TokenAccess } from './deps.ts';
import { refusalCode } from './refusal-scope.ts';

/** The call itself. It receives the client of the token that makes it, and passes the options on to the client. */
export type Call<T> = (
  client: TokenAccess['client'],
  options: { readonly signal: AbortSignal; readonly onResponse?: (info: CallInfo) => void },
) => Promise<ApiResult<T>>;

/** What the log shows of a call beside its answer. */
export interface LogContext {
  readonly account: string;
  /** Hash of the token. */
  readonly token: string;
  readonly run: string;
  readonly scope: CallScope;
  /** `performance.now()` when the call was wanted. */
  readonly wantedAt: number;
}

/** A call that the client refuses to send, because an argument is invalid, is not entered. */
export function logged<T>(log: Pick<CallCounter, 'log'>, context: LogContext, call: Call<T>): Call<T> {
  return async (client, { signal }) => {
    const sentAt = performance.now();
    let info = null as CallInfo | null;
    let code: string | null = null;
    const onResponse = (seen: CallInfo) => {
      info = seen;
    };
    try {
      return await call(client, { signal, onResponse });
    } catch (error) {
      code = codeOf(error);
      throw error;
    } finally {
      if (info !== null) log.log(entryOf(context, info, code, sentAt), sentAt);
    }
  };
}

function entryOf(
  { account, token, run, scope: { lane, about }, wantedAt }: LogContext,
  { method, path, status, requestId, durationMs }: CallInfo,
  code: string | null,
  sentAt: number,
): EndedCall {
  return {
    account,
    token,
    run_id: run,
    lane,
    method,
    route: path,
    status,
    code,
    request_id: requestId,
    person_key: about?.person ?? null,
    event_id: about?.event ?? null,
    conversation_id: about?.conversation ?? null,
    card_id: about?.card ?? null,
    wait_ms: Math.round(sentAt - wantedAt),
    took_ms: Math.round(durationMs),
  };
}

/** As the failures of steps name it. */
function codeOf(error: unknown): string {
  if (error instanceof ApiError) return refusalCode(error);
  if (error instanceof TransportError) return `TRANSPORT_${error.reason.toUpperCase()}`;
  return error instanceof UnexpectedShapeError ? 'UNEXPECTED_SHAPE' : 'INTERNAL';
}
