// One clock for all relative times of the page. Without a viewer it stands still.
import { useSyncExternalStore } from 'react';

const TICK_MS = 5000;

function subscribe(onTick: () => void): () => void {
  const timer = setInterval(onTick, TICK_MS);
  return () => clearInterval(timer);
}

/** Milliseconds since 1970, in steps of 5 s. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => Math.floor(Date.now() / TICK_MS) * TICK_MS);
}
