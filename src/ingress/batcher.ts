// Gathers what comes in at about the same time, so that one start serves it all.

export interface BatcherOptions<T, R> {
  /** A group is handed on as soon as it has so many. */
  readonly max: number;
  /** Milliseconds that the first of a group waits for others; 0: only while groups are under way. */
  waitMs(): number;
  /** Groups handed on at once. */
  readonly groups: number;
  /** Answers of the group, in its order. */
  handOn(group: readonly T[]): Promise<readonly R[]>;
}

export interface Batcher<T, R> {
  /** Answers of these, in their order. */
  add(things: readonly T[]): Promise<R[]>;
  /** Hands on what waits, and returns when all have an answer. */
  flush(): Promise<void>;
}

interface Waiter<T, R> {
  readonly things: readonly T[];
  answer(results: R[]): void;
  fail(error: unknown): void;
}

/** Things that were added together stay together: a group may be larger than `max` for it. */
export function createBatcher<T, R>(options: BatcherOptions<T, R>): Batcher<T, R> {
  let waiting: Waiter<T, R>[] = [];
  let size = 0;
  let timer: NodeJS.Timeout | null = null;
  /** The group that is gathered has waited long enough. */
  let due = false;
  let busy = 0;
  const underWay = new Set<Promise<void>>();

  function handOn(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    due = true;
    // At the limit the group goes on growing, until one that is under way has its answer.
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
