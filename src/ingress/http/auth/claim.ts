// What authentication checks, and what each way of it answers.

/** A request as far as authentication is concerned: its headers are here, its body may not be yet. */
export interface Claim {
  readonly method: string;
  /** Absolute, as the sender wrote it: scheme, host, path and query. */
  readonly uri: string;
  /** Address of the socket's other end. */
  readonly peer: string | undefined;
  /** Of a header that is missing, or came more than once, null: what two readers may read differently proves nothing. */
  header(name: string): string | null;
  /** Is the header there at all, however often? */
  has(name: string): boolean;
}

export interface Authenticator {
  /** Status of a refusal. */
  readonly status: 401 | 403;
  /** Value of `WWW-Authenticate`, where there is a scheme with a name. */
  readonly challenge?: string;
  /** Is `plausible` all of the proof, by a secret? Then the sender is proven before its body comes. */
  readonly byHeaders: boolean;
  /** Looks at headers alone: false when no body could make it right. It spares reading one. */
  plausible(claim: Claim): boolean;
  /** Only asked where `plausible` said yes. `body` is what was signed: after decompression, before anything else. */
  proves(claim: Claim, body: Uint8Array): boolean;
}

/** A secret that can't be one. The message names its place in the list, never the secret. */
export class SecretError extends Error {
  override readonly name = 'SecretError';
}
