// Sorts IP addresses by what a connection to them reaches: the internet, the own network, or what nothing may reach.
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

/** Metadata services, where clouds hand a machine its secrets. No setting allows a connection there. */
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

/**
 * - `public`: on the internet
 * - `private`: this machine or the own network, including IPv4-mapped forms of any address
 * - `forbidden`: metadata services, addresses that belong to no host, and what is no IP address
 */
export type AddressClass = 'public' | 'private' | 'forbidden';

/** @param address an IP address without brackets */
export function classOf(address: string): AddressClass {
  const version = isIP(address);
  // An address with a zone (fe80::1%eth0) is link-local. No host name and no URL resolves to one.
  if (version === 0 || address.includes('%')) return 'forbidden';
  if (version === 4) return ofIpv4(address);
  const { hostname } = new URL(`http://[${address}]`);
  const mapped = ipv4In(hostname, '::ffff:');
  // No name of the internet resolves to this form, so a public address in it is suspicious.
  if (mapped !== null) return ofIpv4(mapped) === 'forbidden' ? 'forbidden' : 'private';
  // NAT64: networks without IPv4 reach it through this prefix.
  const translated = ipv4In(hostname, '64:ff9b::');
  if (translated !== null) return ofIpv4(translated);
  if (METADATA.check(address, 'ipv6') || NOWHERE.check(address, 'ipv6')) return 'forbidden';
  if (OWN_NETWORK.check(address, 'ipv6')) return 'private';
  return GLOBAL_UNICAST.check(address, 'ipv6') ? 'public' : 'forbidden';
}

function ofIpv4(address: string): AddressClass {
  if (METADATA.check(address) || NOWHERE.check(address)) return 'forbidden';
  return OWN_NETWORK.check(address) ? 'private' : 'public';
}

/** Returns the IPv4 address in the last 32 bits of an IPv6 one with this prefix, or null. */
function ipv4In(hostname: string, prefix: string): string | null {
  const text = hostname.slice(1, -1);
  if (!text.startsWith(prefix)) return null;
  const parts = text.slice(prefix.length).split(':');
  if (parts.length > 2) return null;
  const [high, low] = [parts.length === 2 ? hex(parts[0]) : 0, hex(parts.at(-1))];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

const hex = (text = ''): number => Number.parseInt(text || '0', 16);
