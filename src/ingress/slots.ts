// At most so many at once, first come, first served.

export interface Slots {
  /** @throws the signal's reason, when it aborts before there is room */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  /** Would the next one have to wait? */
  isFull(): boolean;
}

export function createSlots(count: number): Slots {
  let free = count;
  const waiting: (() => void)[] = [];
  const leave = () => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  const enter = (signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      if (free > 0) {
        free -= 1;
        resolve();
        return;
      }
      const giveUp = () => {
        waiting.splice(waiting.indexOf(take), 1);
        reject(signal.reason as Error);
      };
      const take = () => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      waiting.push(take);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  return {
    isFull: () => free === 0,
    async run(signal, work) {
      signal.throwIfAborted();
      await enter(signal);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
