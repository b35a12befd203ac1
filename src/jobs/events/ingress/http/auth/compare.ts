// Comparisons in constant time.
import { createHash, timingSafeEqual } from 'node:crypto';

/** Hashes both first, so that different lengths do not show in the time. */
function equalTexts(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

/** Returns whether one of `given` equals one of `known`. It always checks all pairs. */
export function anyEqual(given: readonly string[], known: readonly string[]): boolean {
  let found = false;
  for (const one of given) for (const other of known) found = equalTexts(one, other) || found;
  return found;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
