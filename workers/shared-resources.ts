// Clients and sinks that configurations share: a reload keeps what it does not change, with its open connections.

export interface Closable {
  close(): Promise<void>;
}

export interface SharedResources<T extends Closable> {
  /** Returns the resource of this key, opened if there is none. Each `acquire` needs one `release`. */
  acquire(key: string, open: () => T | Promise<T>): Promise<T>;
  /** Closes the resource when nobody uses it any more. */
  release(key: string): Promise<void>;
}

export function createSharedResources<T extends Closable>(): SharedResources<T> {
  const opened = new Map<string, { users: number; readonly resource: Promise<T> }>();
  return {
    async acquire(key, open) {
      const known = opened.get(key);
      if (known !== undefined) {
        known.users++;
        return await known.resource;
      }
      const resource = (async () => await open())();
      opened.set(key, { users: 1, resource });
      try {
        return await resource;
      } catch (error) {
        opened.delete(key);
        throw error;
      }
    },
    async release(key) {
      const known = opened.get(key);
      if (known === undefined) return;
      known.users--;
      if (known.users > 0) return;
      opened.delete(key);
      await (await known.resource).close();
    },
  };
}
