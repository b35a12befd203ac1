// Groups items that arrive at about the same time, so that one start serves all of them.

export interface BatcherOptions<T, R> {
  /** Size of a group, which is handed on at once. Items added together stay together, so it may exceed this. */
  readonly max: number;
  /** Milliseconds that the first item of a group waits for others. 0: only while groups are in progress. */
  waitMs(): number;
  /** Number of groups in progress at once. */
  readonly groups: number;
  /** Returns the answers of the group, in its order. */
  handOn(group: readonly T[]): Promise<readonly R[]>;
}

export interface Batcher<T, R> {
  /**
   * Returns the answers of these items, in their order.
   * @param signal withdraws the items if no group has been handed on with them yet. @throws its reason
   */
  add(things: readonly T[], signal?: AbortSignal): Promise<R[]>;
  /** Hands on what waits, and returns when every item has an answer. */
  flush(): Promise<void>;
}

interface Waiter<T, R> {
  readonly things: readonly T[];
  answer(results: R[]): void;
  fail(error: unknown): void;
}

export function createBatcher<T, R>(options: BatcherOptions<T, R>): Batcher<T, R> {
  const waiting: Waiter<T, R>[] = [];
  let size = 0;
  let timer: NodeJS.Timeout | null = null;
  /** The group being gathered has waited long enough. */
  let due = false;
  let busy = 0;
  const underWay = new Set<Promise<void>>();

  function nextGroup(): Waiter<T, R>[] {
    let count = 0;
    const end = waiting.findIndex(({ things }, n) => {
      count += things.length;
      return n > 0 && count > options.max;
    });
    return waiting.splice(0, end === -1 ? waiting.length : end);
  }

  function handOn(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (waiting.length === 0) return;
    due = true;
    // At the limit, items wait until a group in progress has its answer.
    if (busy >= options.groups) return;
    const group = nextGroup();
    for (const { things } of group) size -= things.length;
    // Whoever is left over has waited as long.
    due = waiting.length > 0;
    busy += 1;
    const sent = options
      .handOn(group.flatMap(({ things }) => things))
      .then(
        (results) => {
          let from = 0;
          for (const { things, answer } of group) {
            answer(results.slice(from, from + things.length));
            from += things.length;
          }
        },
        (error: unknown) => {
          for (const { fail } of group) fail(error);
        },
      )
      .finally(() => {
        busy -= 1;
        underWay.delete(sent);
        if (waiting.length > 0) gather();
      });
    underWay.add(sent);
    if (waiting.length > 0) gather();
  }

  function withdraw(waiter: Waiter<T, R>, reason: unknown): void {
    const at = waiting.indexOf(waiter);
    if (at === -1) return;
    waiting.splice(at, 1);
    size -= waiter.things.length;
    due &&= waiting.length > 0;
    waiter.fail(reason);
  }

  function gather(): void {
    const waitMs = due || size >= options.max ? 0 : options.waitMs();
    if (waitMs > 0) timer ??= setTimeout(handOn, waitMs);
    else handOn();
  }

  return {
    add(things, signal) {
      return new Promise((answer, fail) => {
        if (signal?.aborted) return fail(signal.reason);
        const waiter = { things, answer, fail };
        signal?.addEventListener('abort', () => withdraw(waiter, signal.reason), { once: true });
        waiting.push(waiter);
        size += things.length;
        gather();
      });
    },
    async flush() {
      while (waiting.length > 0 || underWay.size > 0) {
        handOn();
        await Promise.allSettled(underWay);
      }
    },
  };
}
