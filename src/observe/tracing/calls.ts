// The spans of an API call: the wait for its slot, and the call itself.

import { laneName } from '../../core/lanes.ts';
import type { Tracing } from '../../core/tracing.ts';

/** A call that has ended. */
export interface TracedCall {
  readonly account: string;
  readonly run_id: string;
  /** 1 (reply) to 5 (backfill). */
  readonly lane: number;
  readonly method: string;
  /** Path template. */
  readonly route: string;
  /** Null: the answer was lost. */
  readonly status: number | null;
  /** Null: the call succeeded. */
  readonly code: string | null;
  readonly request_id: string | null;
  readonly event_id: string | null;
  readonly wait_ms: number;
  readonly took_ms: number;
}

/** A shorter wait is only an attribute of the call. */
const WAIT_MS = 100;
/** Both come from the service's answer, so their form is bounded. */
const CODE = /^[A-Z][A-Z0-9_]{0,59}$/;
const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** Call it when the call ends, where the work runs that made it. */
export function traceCall(tracing: Tracing, call: TracedCall): void {
  const { account, lane: number, method, route, status, code, request_id: request, wait_ms, took_ms } = call;
  const lane = laneName(number);
  const attributes = { 'sluice.account': account, 'sluice.lane': lane };
  if (wait_ms >= WAIT_MS)
    tracing.ended({ name: 'wait for slot', agoMs: wait_ms + took_ms, endedAgoMs: took_ms, attributes });
  tracing.ended({
    name: `${method} ${route}`,
    kind: 'client',
    agoMs: took_ms,
    failure: code === null ? null : CODE.test(code) ? code : 'OTHER',
    attributes: {
      ...attributes,
      'http.request.method': method,
      'url.template': route,
      'http.response.status_code': status ?? undefined,
      'sluice.request_id': request !== null && REQUEST_ID.test(request) ? request : undefined,
      'sluice.slot_wait_ms': wait_ms,
      'sluice.run': call.run_id,
      'sluice.event': call.event_id ?? undefined,
    },
  });
}
