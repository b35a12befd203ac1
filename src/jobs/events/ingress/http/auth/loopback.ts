// Accepts senders on this machine without proof. It refuses two cases that would bypass that: a proxy on this machine,
// which makes every sender local, and a web page whose host name resolves to this machine. It also refuses what a
// browser sends on behalf of a page: a browser asks for permission before it sends JSON, but not before it sends a
// file.
import { BlockList, isIP } from 'node:net';
import type { Authenticator, Claim } from './claim.ts';

const FORWARDED = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
];

export function loopbackOnly(): Authenticator {
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8, 'ipv4');
  loopback.addAddress('::1', 'ipv6');
  const isLoopback = (address: string): boolean => {
    const family = isIP(address);
    return family !== 0 && loopback.check(address, family === 4 ? 'ipv4' : 'ipv6');
  };
  const proves = (claim: Claim): boolean => {
    const host = hostOf(claim.header('host'));
    return (
      claim.peer !== undefined &&
      isLoopback(claim.peer) &&
      !FORWARDED.some((name) => claim.has(name)) &&
      !claim.has('origin') &&
      (host === 'localhost' || isLoopback(host))
    );
  };
  // A local address gives no right to more memory than others have.
  return { status: 403, byHeaders: false, plausible: proves, proves };
}

/** Host without port and brackets. */
function hostOf(header: string | null): string {
  return (header ?? '')
    .toLowerCase()
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1');
}
