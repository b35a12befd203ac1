// No proof at all, for senders on this very machine. A proxy on it would make everybody one of them, and so would a web
// page whose host name was pointed at this machine: both are refused. So is what a browser sends for any page: a file
// needs no leave of ours to be sent here, as JSON does.
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
  // Whoever is on this machine proves nothing by it that would give them more memory than others.
  return { status: 403, byHeaders: false, plausible: proves, proves };
}

/** Without port and brackets. */
function hostOf(header: string | null): string {
  return (header ?? '')
    .toLowerCase()
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1');
}
