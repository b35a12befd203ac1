// A time limit as a signal. Node 20 loses an AbortSignal.timeout that only an AbortSignal.any refers to when it collects
// garbage (nodejs/node#57736), so that the limit never comes; the timer of this one keeps it.

/** Aborts after `ms` with a TimeoutError. It doesn't keep the process alive. */
export function deadlineSignal(ms: number): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(new DOMException(`no answer within ${ms} ms`, 'TimeoutError'));
  setTimeout(abort, ms).unref();
  return controller.signal;
}
