// Divides the memory for arriving bodies between all of the process, each route and each peer, so that no sender can
// take all of it.
import type { BodyCapacity } from './body.ts';

/**
 * Memory that every body always has: an event of usual size arrives whatever others do. `maxConnections` bounds the
 * sum, 16 MiB by default.
 */
export const FREE_BYTES = 16_384;

export interface ShareLimits {
  /** Bytes of all bodies together, beyond `FREE_BYTES` each. */
  readonly total: number;
  readonly perRoute: number;
  readonly perPeer: number;
}

export interface Shares {
  /** Opens the share of one body. */
  bodyOf(route: string, peer: string): BodyCapacity;
  /** Bytes taken now. */
  used(): number;
}

export function createShares({ total, perRoute, perPeer }: ShareLimits): Shares {
  let used = 0;
  let charged = 0;
  const routes = new Map<string, number>();
  const peers = new Map<string, number>();
  const add = (to: Map<string, number>, key: string, bytes: number): void => {
    const sum = (to.get(key) ?? 0) + bytes;
    if (sum === 0) to.delete(key);
    else to.set(key, sum);
  };
  return {
    used: () => used,
    bodyOf(route, peer) {
      let length = 0;
      const beyond = (bytes: number): number => Math.max(0, bytes - FREE_BYTES);
      const set = (next: number): void => {
        const more = beyond(next) - beyond(length);
        used += next - length;
        length = next;
        charged += more;
        add(routes, route, more);
        add(peers, peer, more);
      };
      return {
        take(bytes) {
          const more = beyond(length + bytes) - beyond(length);
          const fits =
            charged + more <= total &&
            (routes.get(route) ?? 0) + more <= perRoute &&
            (peers.get(peer) ?? 0) + more <= perPeer;
          if (more > 0 && !fits) return false;
          set(length + bytes);
          return true;
        },
        release: (bytes) => set(length - bytes),
      };
    },
  };
}
