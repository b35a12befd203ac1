// What all sinks share: giving up, closing, and the order within a partitionkey.

import type { CloudEvent } from './event.ts';
import { type Sent, type Sink, SinkError } from './sink.ts';

export const SENT: Sent = { state: 'sent' };
export const SKIPPED: Sent = { state: 'skipped' };
export const failed = (error: SinkError): Sent => ({ state: 'failed', error });

export interface Delivery {
  /** Name of the sink type in messages. */
  readonly kind: string;
  /**
   * Delivers at least one event.
   * @param signal its reason is always the SinkError that requests in progress fail with
   */
  deliver(events: readonly CloudEvent[], signal: AbortSignal): Promise<readonly Sent[]>;
  /** Closes connections. No delivery is in progress any more. */
  release?(): Promise<void>;
}

/** Builds the sink around `deliver`. */
export function sinkOf({ kind, deliver, release }: Delivery): Sink {
  const closed = new SinkError('CLOSED', `the ${kind} sink has been closed`, { retryable: true });
  const closing = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  let released: Promise<void> | undefined;
  return {
    async send(events, { signal }) {
      if (closing.signal.aborted) return events.map(() => failed(closed));
      if (signal.aborted || events.length === 0) return events.map(() => SKIPPED);
      const over = new AbortController();
      const done = new AbortController();
      const listening = { once: true, signal: done.signal };
      signal.addEventListener('abort', () => over.abort(givenUp(signal.reason)), listening);
      closing.signal.addEventListener('abort', () => over.abort(closed), listening);
      const delivering = deliver(events, over.signal);
      underWay.add(delivering);
      try {
        return await delivering;
      } finally {
        underWay.delete(delivering);
        done.abort();
      }
    },
    async close() {
      closing.abort();
      await Promise.allSettled(underWay);
      await (released ??= release?.());
    },
  };
}

function givenUp(cause: unknown): SinkError {
  const message = 'Sluice stopped waiting before the sink answered; the event may still have arrived';
  return new SinkError('GIVEN_UP', message, { retryable: true, cause });
}

/** Positions of the events of each partitionkey in their order. The keys are in the order of their first events. */
export function streamsOf(events: readonly CloudEvent[]): number[][] {
  const streams = new Map<string, number[]>();
  for (const [at, { partitionkey }] of events.entries()) {
    const stream = streams.get(partitionkey);
    if (stream === undefined) streams.set(partitionkey, [at]);
    else stream.push(at);
  }
  return [...streams.values()];
}

/** Returns whether later events of the same partitionkey must wait for this one. */
export function blocks(sent: Sent): boolean {
  return (
    sent.state === 'skipped' || (sent.state === 'failed' && (sent.error.retryable || sent.error.sinkWide))
  );
}
