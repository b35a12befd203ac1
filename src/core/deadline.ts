// A time limit as an AbortSignal. Node 20 can garbage-collect an AbortSignal.timeout that only an AbortSignal.any
// refers to (nodejs/node#57736), so the limit never fires. The timer here keeps it alive.

/** Aborts after `ms` with a TimeoutError. It doesn't keep the process alive. */
export function deadlineSignal(ms: number): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(new DOMException(`no answer within ${ms} ms`, 'TimeoutError'));
  setTimeout(abort, ms).unref();
  return controller.signal;
}
