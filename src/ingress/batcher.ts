// Groups items that arrive at about the same time, so that one start serves all of them.

export interface BatcherOptions<T, R> {
  /** A group of this size is handed on at once. */
  readonly max: number;
  /** Milliseconds that the first item of a group waits for others. 0: only while groups are in progress. */
  waitMs(): number;
  /** Number of groups in progress at once. */
  readonly groups: number;
  /** Returns the answers of the group, in its order. */
  handOn(group: readonly T[]): Promise<readonly R[]>;
}

export interface Batcher<T, R> {
  /** Returns the answers of these items, in their order. */
  add(things: readonly T[]): Promise<R[]>;
  /** Hands on what waits, and returns when every item has an answer. */
  flush(): Promise<void>;
}

interface Waiter<T, R> {
  readonly things: readonly T[];
  answer(results: R[]): void;
  fail(error: unknown): void;
}

/** Items added together stay together, so a group may exceed `max`. */
export function createBatcher<T, R>(options: BatcherOptions<T, R>): Batcher<T, R> {
  let waiting: Waiter<T, R>[] = [];
  let size = 0;
  let timer: NodeJS.Timeout | null = null;
  /** The group being gathered has waited long enough. */
  let due = false;
  let busy = 0;
  const underWay = new Set<Promise<void>>();

  function handOn(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    due = true;
    // At the limit the group keeps growing until a group in progress has its answer.
    if (waiting.length === 0 || busy >= options.groups) return;
    const group = waiting;
    waiting = [];
    size = 0;
    due = false;
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
  }

  function gather(): void {
    const waitMs = due || size >= options.max ? 0 : options.waitMs();
    if (waitMs > 0) timer ??= setTimeout(handOn, waitMs);
    else handOn();
  }

  return {
    add(things) {
      return new Promise((answer, fail) => {
        waiting.push({ things, answer, fail });
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
