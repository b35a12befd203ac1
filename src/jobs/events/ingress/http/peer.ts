// Identifies the peer for shares of memory and connections. An IPv6 peer is its /64 network, because one host can use
// all of it.
import { isIPv6 } from 'node:net';

/** @param address of a socket or from `X-Forwarded-For`; text that is not an address stands for itself */
export function peerOf(address: string | undefined): string {
  const [plain = ''] = (address ?? '').split('%');
  if (!isIPv6(plain)) return plain;
  const groups = groupsOf(plain);
  const isMapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff';
  if (!isMapped) return `${groups.slice(0, 4).join(':')}::/64`;
  const [high, low] = groups.slice(6).map((group) => Number.parseInt(group, 16)) as [number, number];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The eight groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): string[] {
  // The URL parser normalizes addresses: lower case, hexadecimal, zeros omitted.
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = text.split('::');
  const [before, after] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':'))) as [
    string[],
    string[],
  ];
  if (tail === undefined) return before;
  return [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
}
