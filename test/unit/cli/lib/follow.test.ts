// Following a workflow for long: no listener may pile up on one signal, and the end is seen whenever it comes.
import { getEventListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Client } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { follow, withOwnSignal } from '../../../../src/cli/lib/connect/follow.ts';

const POLL_MS = 5;

/** As the SDK does: each request leaves an abort listener on the signal in force, and an abort ends the request. */
function longPolling(endsAfter: number) {
  const listeners = new Map<AbortSignal, number>();
  let current: AbortSignal | undefined;
  let polls = 0;
  const client = {
    connection: {
      withAbortSignal: async <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
        current = signal;
        return await work();
      },
    },
  } as unknown as Client;
  const handle = {
    async result(): Promise<string> {
      const signal = current as AbortSignal;
      for (;;) {
        listeners.set(signal, (listeners.get(signal) ?? 0) + 1);
        await new Promise((done) => setTimeout(done, POLL_MS));
        if (signal.aborted)
          throw Object.assign(new Error('1 CANCELLED'), { code: 1, details: '', metadata: {} });
        if (++polls >= endsAfter) return 'ended';
      }
    },
  };
  return { client, handle, most: () => Math.max(...listeners.values()), signals: () => listeners.size };
}

describe('follow', () => {
  const check = async () => {};

  it('uses a fresh abort signal again and again, so that Node never warns of a leak', async () => {
    const { client, handle, most, signals } = longPolling(60);
    const { signal } = new AbortController();
    expect(await follow({ client, handle, check, signal, waitMs: 20 })).toBe('ended');
    expect(signals()).toBeGreaterThan(3);
    expect(most()).toBeLessThanOrEqual(10);
  });

  it('answers null when the watching is ended, and passes on what the workflow failed with', async () => {
    const stop = new AbortController();
    const { client, handle } = longPolling(1000);
    const followed = follow({ client, handle, check, signal: stop.signal, waitMs: 20 });
    stop.abort();
    expect(await followed).toBeNull();
    const failing = { result: () => Promise.reject(new Error('it failed')) };
    const { signal } = new AbortController();
    await expect(follow({ client, handle: failing, check, signal })).rejects.toThrow('it failed');
  });

  it('leaves no signal and no listener behind, however often it asks', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const stop = new AbortController();
    const used: WeakRef<AbortSignal>[] = [];
    const withAbortSignal = async <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
      signal.addEventListener('abort', () => {});
      used.push(new WeakRef(signal));
      return await work();
    };
    const client = { connection: { withAbortSignal } } as unknown as Client;
    for (let n = 0; n < 20; n += 1) await withOwnSignal(client, [stop.signal], check);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
    await delay(20);
    collect();
    expect(used.filter((signal) => signal.deref() !== undefined).length).toBeLessThan(5);
  });
});
