// Retries of Temporal calls that end with their connection. The SDK plans a retry with a timer. If the connection closes
// before the timer fires, gRPC throws from the timer, where no caller can catch it, and the process ends.
import {
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  type GrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];
type NextCall = Parameters<Interceptor>[1];
type Call = ReturnType<NextCall>;

/** The gRPC status of a call that its own side ended. The SDK never retries it. */
const CANCELLED = 1;

/**
 * Interceptors for `Connection.connect` and `Connection.lazy`: the SDK's retries, which stop when the connection closes.
 * A call that is between two attempts then fails with CANCELLED.
 * @param closing no retry begins after it aborts. @default none: retries stop when the connection is closed
 */
export function closingCalls(closing?: AbortSignal): Interceptor[] {
  const retries = defaultGrpcRetryOptions();
  const retry: GrpcRetryOptions = {
    ...retries,
    retryableDecider: (attempt, status) =>
      closing?.aborted !== true && retries.retryableDecider(attempt, status),
  };
  const retrying = makeGrpcRetryInterceptor(retry);
  return [(options, nextCall) => retrying(options, (attempt) => attemptOf(nextCall, attempt))];
}

function attemptOf(nextCall: NextCall, options: Parameters<NextCall>[0]): Call {
  try {
    return nextCall(options);
  } catch (error) {
    return ended(error instanceof Error ? error.message : String(error));
  }
}

/** A call that fails as soon as it starts. */
function ended(details: string): Call {
  return {
    start(metadata, listener) {
      listener?.onReceiveMessage?.(null);
      listener?.onReceiveStatus?.({ code: CANCELLED, details, metadata: metadata.clone() });
    },
    sendMessage() {},
    sendMessageWithContext() {},
    startRead() {},
    halfClose() {},
    cancelWithStatus() {},
    getPeer: () => 'closed',
    getAuthContext: () => null,
  };
}
