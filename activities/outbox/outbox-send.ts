// One sending to a sink: whatever the sink does, it ends in time, and it is known of each event what is known.
import type { SinkEvent } from '../../src/contracts/wire/events.ts';
import type { Failure, Tried } from '../../src/ledger/outbox/outbox-circuit.ts';
import { type Sent, type Sink, SinkError } from '../../src/sinks/sink.ts';

export interface Sending {
  readonly sink: Sink;
  readonly events: readonly { readonly seq: number; readonly event: SinkEvent }[];
  /** Cancellation of the sending. */
  readonly cancelled: AbortSignal;
  /** Milliseconds until the sink is asked to give up. */
  readonly deadlineMs: number;
  /** Milliseconds that it has for that. */
  readonly graceMs: number;
}

export interface SendingEnd {
  readonly tried: readonly Tried[];
  /** The sink takes no more now, and that says nothing of it or the events. */
  readonly over: boolean;
  /** The sink broke its word, and nobody knows by which event: they are to be sent one by one. */
  readonly fault: Failure | null;
}

const MAX_REASON = 500;
const HUNG = Symbol('hung');

/**
 * Sends, and never throws. What the sink did not try is left out of the answer. A sink that throws or answers amiss is at fault:
 * for a single event that is its failure, for several it is nobody's yet.
 */
export async function sendEvents(sending: Sending): Promise<SendingEnd> {
  const { sink, events, cancelled, deadlineMs } = sending;
  const deadline = new AbortController();
  const timer = setTimeout(
    () => deadline.abort(new DOMException('no answer in time', 'TimeoutError')),
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

/** Resolves with `HUNG` when `sending` has not ended so long after the signal. */
async function orHung<T>(
  sending: Promise<T>,
  signal: AbortSignal,
  graceMs: number,
): Promise<T | typeof HUNG> {
  // It may still fail when nobody listens any more.
  sending.catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  let hear: (() => void) | undefined;
  try {
    return await Promise.race([
      sending,
      new Promise<typeof HUNG>((hung) => {
        hear = () => {
          timer = setTimeout(() => hung(HUNG), graceMs);
        };
        if (signal.aborted) hear();
        else signal.addEventListener('abort', hear, { once: true });
      }),
    ]);
  } finally {
    clearTimeout(timer);
    if (hear !== undefined) signal.removeEventListener('abort', hear);
  }
}

function outcomesOf(sending: Sending, results: readonly Sent[], deadline: AbortSignal): SendingEnd {
  const { events, cancelled } = sending;
  if (!isAnswer(results, events.length))
    return faulty(sending, fault(`the sink did not answer for each of ${events.length} events`));
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

/** The place as a whole: the first event stands for it, the others are left as they are. */
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
  const reason = `the sink has not answered within ${ms / 1000} s; the event may have arrived all the same`;
  return { code: 'DEADLINE', reason, retryable: true, sinkWide: true, retryAfterMs: null };
}

/** What a sink did that no sink may do: its own text could quote an event. */
function fault(reason: string): Failure {
  return { code: 'SINK_FAULT', reason, retryable: true, sinkWide: false, retryAfterMs: null };
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof SinkError))
    return fault(
      `the sink failed in a way that it should not: ${error instanceof Error ? error.name : typeof error}`,
    );
  const { code, message, retryable, sinkWide, retryAfterMs } = error;
  return { code, reason: message.slice(0, MAX_REASON), retryable, sinkWide, retryAfterMs };
}
