// What authentication checks, and what each method of it returns.

/**
 * What a signed request is for. A signature for one purpose is none for another, wherever the scheme leaves room to say
 * so.
 */
export type Purpose = 'event' | 'file';

/** A request as authentication sees it. Its headers have arrived; its body may not have. */
export interface Claim {
  readonly method: string;
  /** Absolute URL as the sender wrote it: scheme, host, path and query. */
  readonly uri: string;
  /** Address of the peer socket. */
  readonly peer: string | undefined;
  /**
   * Value of a header. Null if the header is missing or repeated: two readers could read a repeated header differently,
   * so it proves nothing.
   */
  header(name: string): string | null;
  /** Whether the header is present, even repeatedly. */
  has(name: string): boolean;
}

export interface Authenticator {
  /** Status code of a refusal. */
  readonly status: 401 | 403;
  /** Value of `WWW-Authenticate`, for schemes that have a name. */
  readonly challenge?: string;
  /**
   * Whether `plausible` alone proves that the sender has a secret. Then the sender is authenticated before its body
   * arrives.
   */
  readonly byHeaders: boolean;
  /** Checks the headers alone. False means that no body could make the request valid, so the body is not read. */
  plausible(claim: Claim): boolean;
  /**
   * Called only after `plausible` returned true. `body` holds the signed bytes: after decompression, before any
   * parsing.
   */
  proves(claim: Claim, body: Uint8Array): boolean;
}

/** Thrown for an unusable secret. The message names its position in the list, never the secret. */
export class SecretError extends Error {
  override readonly name = 'SecretError';
}
