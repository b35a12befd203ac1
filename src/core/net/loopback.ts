// Recognizes addresses of this machine. A name that merely resolves to this machine does not count, because it may
// resolve elsewhere tomorrow.

/** @param host a name or an IP address, with or without the brackets of IPv6; no port */
export function isLoopbackHost(host: string): boolean {
  const name = host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
  if (name === 'localhost' || name === '::1' || /^(?:[a-z0-9_-]+\.)+localhost$/.test(name)) return true;
  const octets = /^127\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(name)?.slice(1);
  return octets?.every((octet) => Number(octet) <= 255) ?? false;
}

/** The host of `host:port`; all of it where there is no port. */
export function hostOf(address: string): string {
  return address.replace(/:\d*$/, '');
}

/** Does this address send what it is given over a network, readable for everybody on the way? */
export function isPlainRemote(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !isLoopbackHost(hostname);
}

/** What the driver of PostgreSQL made of a connection string. */
interface PostgresTarget {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string;
  readonly ssl: unknown;
}

/**
 * Whether a connection to PostgreSQL would go over a network unencrypted, without `sslmode=disable` in its connection
 * string: that is as explicit as `insecure: true`.
 */
export function isPlainPostgres({ host, ssl }: PostgresTarget, url: string): boolean {
  if (ssl || host.startsWith('/') || isLoopbackHost(host)) return false;
  return !URL.canParse(url) || new URL(url).searchParams.get('sslmode') !== 'disable';
}

/** What to do instead of a connection that {@link isPlainPostgres} refuses. */
export const POSTGRES_WAYS_OUT =
  'add ?sslmode=verify-full, and sslrootcert=FILE for a private authority; connect through a Unix socket; or, in a private network, add ?sslmode=disable';
