// What a sink is: a place outside Sluice that events go to.
import type { SinkEvent } from '../contracts/wire/events.ts';

/**
 * What became of one event of a sending. `skipped`: not tried, because one before it with the same `partitionkey` failed and may
 * be tried again, or because the sending was over. One that failed for good (`retryable: false`, not `sinkWide`) blocks
 * nobody: the later ones of its key are sent, and come before it if somebody has it sent again.
 */
export type Sent =
  | { readonly state: 'sent' }
  | { readonly state: 'failed'; readonly error: SinkError }
  | { readonly state: 'skipped' };

export interface Sink {
  /**
   * Sends events; those with one `partitionkey` in the order in which they stand. Answers for each, in the same order, once the
   * sink has taken it for good or that has failed. Whoever repeats one that failed may deliver it twice, under one id.
   * @param options.signal gives up: what is under way fails as `GIVEN_UP`, the rest is skipped
   */
  send(events: readonly SinkEvent[], options: { signal: AbortSignal }): Promise<readonly Sent[]>;
  /** Ends what is under way and lets go of connections; later sends fail. */
  close(): Promise<void>;
}

export interface SinkErrorOptions {
  readonly retryable: boolean;
  /** True: the place as a whole is in trouble, so that other events would fare no better. @default false */
  readonly sinkWide?: boolean;
  /** The place asks to be left alone for so many milliseconds. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** An event could not be sent, or nobody knows whether it was: the message names the place and the way out. */
export class SinkError extends Error {
  override readonly name = 'SinkError';
  /** What went wrong, in one word: `UNREACHABLE`, or the name that the sink's protocol has for it. */
  readonly code: string;
  /** False when the same event would be refused again until somebody changes something. */
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
