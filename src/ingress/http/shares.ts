// Memory for bodies that are being received, shared out so that nobody can take all of it: of the process, of each route and
// of each peer.
import type { BodyCapacity } from './body.ts';

/**
 * Of each body this much is always there: an event of usual size comes in whatever others do. `maxConnections` bounds the sum,
 * 16 MiB by default.
 */
export const FREE_BYTES = 16_384;

export interface ShareLimits {
  /** Bytes beyond `FREE_BYTES` a body, of all bodies together. */
  readonly total: number;
  readonly perRoute: number;
  readonly perPeer: number;
}

export interface Shares {
  /** The share of one body. */
  bodyOf(route: string, peer: string): BodyCapacity;
  /** Bytes that are taken now. */
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
