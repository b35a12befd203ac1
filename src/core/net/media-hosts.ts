// Which hosts files may come from: asked when an event is read, and again at each redirect while one is fetched.

const OWN_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * Is the host of this address among the allowed ones? `host` stands for the scheme's own port, `host:port` for that one
 * alone, and `*.example.com` for every name below example.com. Other schemes than http and https never are.
 * @param hosts in lower case
 */
export function isAllowedHost(url: URL, hosts: readonly string[]): boolean {
  const own = OWN_PORTS[url.protocol];
  if (own === undefined) return false;
  const port = url.port || own;
  return hosts.some((pattern) => {
    const [name = '', wanted = own] = pattern.split(':');
    if (Number(wanted) !== Number(port)) return false;
    // A name that begins with a dot has nothing below the suffix.
    if (name.startsWith('*.')) return url.hostname.endsWith(name.slice(1)) && !url.hostname.startsWith('.');
    return url.hostname === name;
  });
}
