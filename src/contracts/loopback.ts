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
