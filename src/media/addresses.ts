// Decides which addresses Sluice may download a file from: any public address, and a private one only on request.
import { BlockList, isIP } from 'node:net';

function listOf(...subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [net, bits] = subnet.split('/') as [string, string];
    list.addSubnet(net, Number(bits), net.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list;
}

/** This host, private, shared by a carrier's customers (CGNAT), link-local, unique-local. */
const OWN_NETWORK = listOf(
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::1/128',
  'fc00::/7',
  'fe80::/10',
);

/** Metadata services, where clouds hand a machine its secrets. No setting allows a download from there. */
const METADATA = listOf(
  '169.254.169.254/32',
  '169.254.170.0/24',
  '168.63.129.16/32',
  '100.100.100.200/32',
  'fd00:ec2::/32',
);

/** Addresses that belong to no host: unspecified, reserved for protocols and documentation, multicast. */
const NOWHERE = listOf(
  '0.0.0.0/8',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // IPv6 ranges inside 2000::/3 that lead elsewhere: protocol assignments including Teredo, documentation, 6to4.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
);

const GLOBAL_UNICAST = listOf('2000::/3');

/** Returns the IPv4 address inside an IPv6 one (`::ffff:a.b.c.d`, in either notation), or null. */
function mapped(address: string): string | null {
  const tail = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/.exec(
    new URL(`http://[${address}]`).hostname.slice(1, -1),
  );
  if (tail === null) return null;
  if (tail[1] !== undefined) return tail[1];
  const [high, low] = [Number.parseInt(tail[2] ?? '', 16), Number.parseInt(tail[3] ?? '', 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/**
 * Returns whether Sluice may download a file from this address.
 * @param address an IP address without brackets or zone
 * @param allowPrivate also allows private addresses; never metadata services, multicast or reserved addresses
 */
export function mayFetchFrom(address: string, allowPrivate: boolean): boolean {
  const version = isIP(address);
  // An address with a zone (fe80::1%eth0) is link-local. No host name and no URL resolves to one.
  if (version === 0 || address.includes('%')) return false;
  const inner = version === 6 ? mapped(address) : null;
  if (inner !== null) return allowPrivate && mayFetchFrom(inner, true);
  const family = version === 4 ? 'ipv4' : 'ipv6';
  if (METADATA.check(address, family) || NOWHERE.check(address, family)) return false;
  if (OWN_NETWORK.check(address, family)) return allowPrivate;
  return version === 4 || GLOBAL_UNICAST.check(address, 'ipv6');
}
