// What a sink is: a place outside Sluice that events go to.
import type { SinkEvent } from '../contracts/events.ts';

export interface Sink {
  /**
   * Resolves once the sink has taken the event for good. A caller that repeats it after an error may deliver it twice, under one id.
   * @param options.signal gives up: `send` then rejects at once
   * @throws SinkError
   */
  send(event: SinkEvent, options: { signal: AbortSignal }): Promise<void>;
  /** Ends what is under way and lets go of connections; later sends are refused. */
  close(): Promise<void>;
}

/** An event could not be sent, or nobody knows whether it was: the message names the place and the way out. */
export class SinkError extends Error {
  override readonly name = 'SinkError';
  /** What went wrong, in one word: `UNREACHABLE`, or the name that the sink's protocol has for it. */
  readonly code: string;
  /** False when the same event would be refused again until somebody changes something. */
  readonly retryable: boolean;

  constructor(code: string, message: string, options: { retryable: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable;
  }
}
