// Randomness that is the same in every run: a seed makes two benches comparable.

/** Mulberry32: uniform numbers in [0, 1). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Times of a Poisson process with this mean distance, in the same unit, from 0 on. */
export function poissonTimes(count: number, mean: number, random: () => number): number[] {
  let at = 0;
  return Array.from({ length: count }, () => {
    at += -Math.log(1 - random()) * mean;
    return at;
  });
}
