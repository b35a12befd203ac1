// The one way to an address that somebody outside may have chosen. It resolves a name once, checks every address of the
// answer, and connects to what it checked, so that the name cannot lead elsewhere on a second lookup.
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { buildConnector } from 'undici';
import { type AddressClass, classOf } from './addresses.ts';

/**
 * What a guard lets connections reach.
 * - `public`: the internet only
 * - `private`: also this machine and the own network
 * - `asFirst`: also those, unless the first connection reached the internet
 *
 * Metadata services and addresses that belong to no host are out of reach in any case.
 */
export type Reach = 'public' | 'private' | 'asFirst';

export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

export type Resolve = (name: string) => Promise<readonly HostAddress[]>;

export interface GuardOptions {
  readonly reach: Reach;
  /** Time limit for opening a connection, in milliseconds. */
  readonly connectMs: number;
  /** Resolves a host name, once per connection. @default the system's resolver */
  readonly resolve?: Resolve | undefined;
}

export interface Guard {
  /** For the option `connect` of undici's clients, pools and agents. */
  readonly connect: buildConnector.connector;
  /** What the first connection reached; null before it. */
  readonly reached: AddressClass | null;
}

/** Thrown instead of connecting to an address that is out of reach. The message contains no name and no address. */
export class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError';
  readonly code = 'ADDRESS_REFUSED';
  constructor() {
    super('the host has an address that Sluice may not connect to');
  }
}

const system: Resolve = (name) => lookup(name, { all: true, verbatim: true });

export function createGuard({ reach, connectMs, resolve = system }: GuardOptions): Guard {
  let reached: AddressClass | null = null;

  /** A name with a refused address beside a good one is refused: nobody knows which one a connection would take. */
  function check(addresses: readonly HostAddress[]): void {
    const classes = addresses.map(({ address }) => classOf(address));
    const isPrivate = classes.includes('private');
    const allowsPrivate = reach === 'private' || (reach === 'asFirst' && reached !== 'public');
    if (classes.length === 0 || classes.includes('forbidden') || (isPrivate && !allowsPrivate))
      throw new AddressRefusedError();
    reached ??= isPrivate ? 'private' : 'public';
  }

  const resolveAll = callbackify(async (name: string) => {
    const addresses = await resolve(name);
    check(addresses);
    return [...addresses];
  });
  const checked: LookupFunction = (name, { all }, callback) =>
    resolveAll(name, (error, addresses) => {
      if (error !== null) return callback(error, []);
      const [first] = addresses;
      if (all === true || first === undefined) callback(null, addresses);
      else callback(null, first.address, first.family);
    });

  const connect = buildConnector({ lookup: checked, timeout: connectMs, allowH2: false });
  return {
    connect(target, callback) {
      const literal = target.hostname.replace(/^\[|\]$/g, '');
      const family = isIP(literal);
      try {
        // An address in the URL is never looked up.
        if (family !== 0) check([{ address: literal, family }]);
      } catch (error) {
        return callback(error as Error, null);
      }
      connect(target, callback);
    },
    get reached() {
      return reached;
    },
  };
}
