// The interface of a sink: a destination outside Sluice that receives events.
import type { CloudEvent } from './event.ts';

/**
 * Outcome of one event of a send. `skipped`: Sluice did not try it, because an earlier event with the same
 * `partitionkey` failed and may be retried, or because the send was over. A permanent failure (`retryable: false`, not
 * `sinkWide`) blocks no other event: later events of its key are sent, and arrive before it if an operator resends it.
 */
export type Sent =
  | { readonly state: 'sent' }
  | { readonly state: 'failed'; readonly error: SinkError }
  | { readonly state: 'skipped' };

export interface Sink {
  /**
   * Sends events, in their order within one `partitionkey`. Returns one outcome per event, in the same order. A resent
   * event may be delivered twice, under the same id.
   * @param options.signal gives up: events in progress fail as `GIVEN_UP`, the rest is skipped
   */
  send(events: readonly CloudEvent[], options: { signal: AbortSignal }): Promise<readonly Sent[]>;
  /** Ends sends in progress and closes connections. Later sends fail. */
  close(): Promise<void>;
}

export interface SinkErrorOptions {
  readonly retryable: boolean;
  /** Whether the destination as a whole fails, so that other events would fail too. @default false */
  readonly sinkWide?: boolean;
  /** The destination asks Sluice to wait this many milliseconds. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/**
 * Thrown when an event could not be sent, or when it is uncertain whether it was. The message names the destination and
 * the fix.
 */
export class SinkError extends Error {
  override readonly name = 'SinkError';
  /** Error code: `UNREACHABLE`, or the name in the sink's protocol. */
  readonly code: string;
  /** False if the same event would be rejected again until somebody changes something. */
  readonly retryable: boolean;
  readonly sinkWide: boolean;
  readonly retryAfterMs: number | null;

  constructor(code: string, message: string, options: SinkErrorOptions) {
    super(message, { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable;
    this.sinkWide = options.sinkWide ?? false;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}
