// Reads the Host header of a request. The URL parser repairs what is no host (`evil@127.0.0.1`, `localhost/x`, `0x7f.1`),
// so whoever reads the header again, such as a proxy or a log, could see another host than Sluice.

/** The host and the port that a request names. */
export interface Authority {
  /** In lower case; an IPv6 address has brackets. */
  readonly hostname: string;
  /** Null: the port of the scheme. */
  readonly port: number | null;
}

const AUTHORITY = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]*[a-z0-9_-])(?::(0|[1-9][0-9]{0,4}))?$/;

/**
 * @returns null for everything that a browser would not send for a page: a user, a path, spaces, a dot at the end, the
 * zone of an IPv6 address, an IP address in another notation, a port without digits
 */
export function readAuthority(header: string): Authority | null {
  const text = header.toLowerCase();
  const [, hostname, port] = AUTHORITY.exec(text) ?? [];
  if (hostname === undefined || !URL.canParse(`http://${text}`)) return null;
  if (new URL(`http://${text}`).hostname !== hostname) return null;
  return { hostname, port: port === undefined ? null : Number(port) };
}

/** Why a request names no host that can be compared with the names of a server. */
export type HostProblem = 'HOST_TWICE' | 'HOST_INVALID' | 'HOST_DIFFERS';

export interface NamedRequest {
  readonly headersDistinct: Readonly<NodeJS.Dict<string[]>>;
  readonly url?: string | undefined;
}

/**
 * The host that a request names: in its Host header, and in its target where that is a whole address. By RFC 9112, the
 * target counts more, and Node reads the header, so both must say the same.
 */
export function hostOfRequest(request: NamedRequest): Authority | HostProblem {
  const headers = request.headersDistinct.host ?? [];
  // Node takes the first one, and a proxy in front may have checked the second one.
  if (headers.length > 1) return 'HOST_TWICE';
  const authority = readAuthority(headers[0] ?? '');
  if (authority === null) return 'HOST_INVALID';
  const target = request.url ?? '/';
  if (target.startsWith('/') || target === '*') return authority;
  const [, named] = /^https?:\/\/([^/?#]*)/i.exec(target) ?? [];
  return named?.toLowerCase() === headers[0]?.toLowerCase() ? authority : 'HOST_DIFFERS';
}
