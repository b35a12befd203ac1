// Since when the requests that are read now may have waited. A busy process reads a request late, and the sender's time
// runs meanwhile.

const TICK_MS = 50;

export interface LoopLag {
  /** When this process last looked for requests, two turns of its event loop ago, by `performance.now()`. */
  readAfter(): number;
  close(): void;
}

/** @param every runs `tick` at intervals, once a turn at most; returns how to end that */
export function watchLoop(
  now: () => number = () => performance.now(),
  every: (ms: number, tick: () => void) => () => void = interval,
): LoopLag {
  // A turn accepts a connection, and the next one reads its first request.
  let turns: readonly [number, number] = [now(), now()];
  const close = every(TICK_MS, () => {
    turns = [turns[1], now()];
  });
  return { readAfter: () => turns[0], close };
}

function interval(ms: number, tick: () => void): () => void {
  const timer = setInterval(tick, ms).unref();
  return () => clearInterval(timer);
}
