// Sends one group of events to a sink. The sending ends in time whatever the sink does, and reports what is known of
// each event.

import { type Sent, type Sink, SinkError } from '../../src/connectors/sinks/sink.ts';
import type { SinkEvent } from '../../src/jobs/events/contract/envelope.ts';
import type { Failure, Tried } from '../../src/jobs/outbox/store/circuit.ts';

export interface Sending {
  readonly sink: Sink;
  readonly events: readonly { readonly seq: number; readonly event: SinkEvent }[];
  /** Aborts when the activity is cancelled. */
  readonly cancelled: AbortSignal;
  /** Milliseconds until the sink is asked to stop. */
  readonly deadlineMs: number;
  /** Milliseconds that the sink has to stop. */
  readonly graceMs: number;
}

export interface SendingEnd {
  readonly tried: readonly Tried[];
  /** The sink accepts no more events now, for a reason that concerns neither it nor the events. */
  readonly over: boolean;
  /** The sink violated its contract, and it is unclear with which event, so events must be sent one at a time. */
  readonly fault: Failure | null;
}

const MAX_REASON = 500;
const HUNG = Symbol('hung');

/**
 * Sends a group and never throws. The result leaves out events that the sink did not try. A sink that throws or
 * returns an invalid result is at fault: with a single event the fault is that event's failure; with several it can't
 * be assigned yet.
 */
export async function sendEvents(sending: Sending): Promise<SendingEnd> {
  const { sink, events, cancelled, deadlineMs } = sending;
  const deadline = new AbortController();
  const timer = setTimeout(
    () => deadline.abort(new DOMException('no response in time', 'TimeoutError')),
    deadlineMs,
  );
  const signal = AbortSignal.any([cancelled, deadline.signal]);
  try {
    const published = events.map(({ event }) => event);
    const results = await orHung(
      Promise.resolve().then(() => sink.send(published, { signal })),
      signal,
      sending.graceMs,
    );
    if (results === HUNG) return cancelled.aborted ? NOTHING : late(sending);
    return outcomesOf(sending, results, deadline.signal);
  } catch (error) {
    if (cancelled.aborted) return NOTHING;
    if (deadline.signal.aborted) return late(sending);
    return faulty(sending, failureOf(error));
  } finally {
    clearTimeout(timer);
  }
}

const NOTHING: SendingEnd = { tried: [], over: true, fault: null };

/** Resolves with `HUNG` if `sending` has not ended `graceMs` after the signal. */
async function orHung<T>(
  sending: Promise<T>,
  signal: AbortSignal,
  graceMs: number,
): Promise<T | typeof HUNG> {
  // It may still reject after the race is over.
  sending.catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  try {
    return await Promise.race([
      sending,
      new Promise<typeof HUNG>((hung) => {
        onAbort = () => {
          timer = setTimeout(() => hung(HUNG), graceMs);
        };
        if (signal.aborted) onAbort();
        else signal.addEventListener('abort', onAbort, { once: true });
      }),
    ]);
  } finally {
    clearTimeout(timer);
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
  }
}

function outcomesOf(sending: Sending, results: readonly Sent[], deadline: AbortSignal): SendingEnd {
  const { events, cancelled } = sending;
  if (!isAnswer(results, events.length))
    return faulty(sending, fault(`the sink did not return one result for each of ${events.length} events`));
  const anySent = results.some(({ state }) => state === 'sent');
  const tried: Tried[] = [];
  let over = cancelled.aborted;
  for (const [n, result] of results.entries()) {
    const seq = events[n]?.seq as number;
    if (result.state === 'sent') tried.push({ seq, state: 'sent' });
    if (result.state !== 'failed') continue;
    const failure = failureOf(result.error);
    const given = failure.code === 'GIVEN_UP';
    if (failure.code === 'CLOSED' || (given && cancelled.aborted)) over = true;
    else if (given && deadline.aborted)
      tried.push({ seq, state: 'failed', failure: { ...tooLate(sending.deadlineMs), sinkWide: !anySent } });
    else tried.push({ seq, state: 'failed', failure });
  }
  if (tried.length === 0 && !over) return faulty(sending, fault('the sink tried none of the events'));
  return { tried, over, fault: null };
}

function isAnswer(results: unknown, count: number): results is readonly Sent[] {
  return (
    Array.isArray(results) &&
    results.length === count &&
    results.every((each) => ['sent', 'failed', 'skipped'].includes((each as Sent | null)?.state as string))
  );
}

/** The sink as a whole is late. The first event stands for it; the others stay as they are. */
function late(sending: Sending): SendingEnd {
  return { tried: [firstFailed(sending, tooLate(sending.deadlineMs))], over: false, fault: null };
}

function faulty(sending: Sending, failure: Failure): SendingEnd {
  if (sending.events.length === 1 || failure.sinkWide)
    return { tried: [firstFailed(sending, failure)], over: false, fault: null };
  return { tried: [], over: false, fault: failure };
}

function firstFailed({ events }: Sending, failure: Failure): Tried {
  return { seq: events[0]?.seq as number, state: 'failed', failure };
}

function tooLate(ms: number): Failure {
  const reason = `the sink did not respond within ${ms / 1000} s; the event may have arrived`;
  return { code: 'DEADLINE', reason, retryable: true, sinkWide: true, retryAfterMs: null };
}

/** A violation of the sink's contract. The reason leaves out the sink's own text, because it could quote an event. */
function fault(reason: string): Failure {
  return { code: 'SINK_FAULT', reason, retryable: true, sinkWide: false, retryAfterMs: null };
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof SinkError))
    return fault(`the sink threw an unexpected error: ${error instanceof Error ? error.name : typeof error}`);
  const { code, message, retryable, sinkWide, retryAfterMs } = error;
  return { code, reason: message.slice(0, MAX_REASON), retryable, sinkWide, retryAfterMs };
}
