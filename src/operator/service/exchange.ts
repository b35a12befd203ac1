// The HTTP exchange of a call, for the few handlers that begin and end logins.

export interface Exchange {
  /** Of the peer, without a port; an IPv6 address as its /64 network. */
  readonly address: string;
  /** User agent; empty when the request names none. */
  readonly agent: string;
  /** Token of the session that the request came with, whether or not it is valid. */
  readonly session: string | null;
  /** Of the session, if that proved who calls. */
  readonly csrfToken: string | null;
  /** Access token of the request, whether or not it is valid. */
  readonly accessToken: string | null;
  /** Gives the browser a session; null takes it away. */
  setSession(token: string | null): void;
}
