import { CancelledFailure } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import { type BatchControl, type BatchWork, runBatch } from '../../../../activities/shared/batch.ts';
import { callScope } from '../../../../activities/shared/call-scope.ts';

interface Ledger extends BatchWork<number> {
  readonly released: number[];
  readonly done: number[];
}

/** Items 1 to `count`, all due; `work` may do something else than end them. */
function ledger(
  count: number,
  work: BatchWork<number>['work'] = async () => undefined,
  concurrencyLimit = 4,
): Ledger {
  const due = Array.from({ length: count }, (_, n) => n + 1);
  const released: number[] = [];
  const done: number[] = [];
  return {
    released,
    done,
    concurrencyLimit,
    take: async (limit) => due.splice(0, limit),
    async work(item, control) {
      await work(item, control);
      done.push(item);
    },
    async release(items) {
      released.push(...items);
      due.push(...items);
    },
    renew: async () => undefined,
    next: async () => (due.length > 0 ? 0 : null),
    progress: () => ({ done: done.length }),
  };
}

const run = (batch: BatchWork<number>, env = new MockActivityEnvironment({ attempt: 1 })) =>
  env.run(() => runBatch(batch));

/** Resolves with the call scope's reason once the work is called off. */
const untilCalledOff = () =>
  new Promise<void>((_, reject) => {
    const { signal } = callScope();
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });

describe('a batch', () => {
  it('works on all due items, never more at once than its concurrency limit', async () => {
    let active = 0;
    let most = 0;
    const batch = ledger(50, async () => {
      most = Math.max(most, ++active);
      await new Promise((resolve) => setImmediate(resolve));
      active--;
    });
    expect(await run(batch)).toEqual({ nextMs: null });
    expect(batch.done).toHaveLength(50);
    expect(most).toBe(4);
  });

  it('with nothing due ends at once and returns when something will be', async () => {
    const batch = { ...ledger(0), next: async () => 60_000 };
    expect(await run(batch)).toEqual({ nextMs: 60_000 });
  });

  it('waits inside for items that are due soon', async () => {
    let asked = 0;
    const batch = ledger(0);
    const soon: BatchWork<number> = {
      ...batch,
      take: async () => (asked++ === 1 ? [7] : []),
      next: async () => (asked > 1 ? null : 20),
    };
    expect(await run(soon)).toEqual({ nextMs: null });
    expect(batch.done).toEqual([7]);
    expect(asked).toBeGreaterThan(1);
  });

  it('continues with what an item added that ended while the ledger was queried', async () => {
    const batch = ledger(0);
    const due = [1];
    let asked = () => {};
    const askedForMore = new Promise<void>((resolve) => (asked = resolve));
    const bringing: BatchWork<number> = {
      ...batch,
      async take() {
        const found = due.splice(0);
        if (found.length > 0 || batch.done.length > 0) return found;
        asked();
        // The answer is older than what item 1 brings.
        await expect.poll(() => batch.done).toEqual([1]);
        return found;
      },
      async work(item) {
        if (item === 1) {
          await askedForMore;
          due.push(2);
        }
        batch.done.push(item);
      },
      next: async () => null,
    };
    await run(bringing);
    expect(batch.done).toEqual([1, 2]);
  });

  it('that is canceled gives back waiting items, lets the others end, and returns its result', async () => {
    const env = new MockActivityEnvironment({ attempt: 1 });
    const under: { end: () => void } = { end: () => undefined };
    const batch = ledger(10, async (item) => {
      if (item === 1) await new Promise<void>((resolve) => (under.end = resolve));
      else await untilCalledOff();
    });
    const result = run(batch, env);
    await expect.poll(() => under.end.name).not.toBe('end');
    env.cancel();
    await new Promise((resolve) => setImmediate(resolve));
    under.end();
    expect(await result).toEqual({ nextMs: 0 });
    expect(batch.done).toEqual([1]);
    expect(batch.released.toSorted((a, b) => a - b)).toEqual([2, 3, 4]);
  });

  it('that is stopped from inside takes no more items', async () => {
    const stop = async (item: number, control: BatchControl) => {
      if (item === 1) control.stop();
      else await untilCalledOff();
    };
    const batch = ledger(10, stop, 1);
    expect(await run(batch)).toEqual({ nextMs: 0 });
    expect(batch.done).toEqual([1]);
  });

  it('that fails gives back its items, and throws', async () => {
    const batch = ledger(8, async (item) => {
      if (item === 2) throw new Error('the database is away');
      await untilCalledOff();
    });
    await expect(run(batch)).rejects.toThrow('the database is away');
    expect(batch.released.toSorted((a, b) => a - b)).toEqual([1, 3, 4]);
  });

  it('is canceled with the failure that Temporal recognizes as a cancellation', async () => {
    let reason: unknown;
    const batch = ledger(2, async (item, control) => {
      if (item === 2) return control.stop();
      await untilCalledOff().catch((error: unknown) => {
        reason = error;
        throw error;
      });
    });
    await run(batch);
    expect(reason).toBeInstanceOf(CancelledFailure);
    expect(batch.released).toEqual([1]);
  });

  it('reports its progress by heartbeat', async () => {
    const env = new MockActivityEnvironment({ attempt: 1 });
    const beats: unknown[] = [];
    env.on('heartbeat', (details) => beats.push(details));
    const batch = ledger(1, async () => {
      await expect.poll(() => beats.length, { timeout: 3000 }).toBeGreaterThan(0);
    });
    await run(batch, env);
    expect(beats[0]).toEqual({ done: 0 });
  });
});
