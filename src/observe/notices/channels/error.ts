// What keeps a notice from its channel.

/** Thrown when a channel did not take a notice. The message has no secret, no address and no text of the receiver. */
export class NoticeError extends Error {
  override readonly name = 'NoticeError';
  readonly code: string;
  /** The notice may have arrived. */
  readonly unclear: boolean;
  /** What the receiver answered, in its words: for the person who tests the channel, never stored. */
  readonly answer: string | null;
  constructor(
    code: string,
    message: string,
    more: { unclear?: boolean; answer?: string; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.code = code;
    this.unclear = more.unclear ?? false;
    this.answer = more.answer || null;
  }
}

/** The system's code of an error, or of the first error inside it. */
export function systemCode(error: unknown): string {
  const root = error instanceof AggregateError ? error.errors[0] : error;
  const { code } = (root ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}
