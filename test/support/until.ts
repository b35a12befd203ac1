// Waiting for something that happens elsewhere: asks again and again, up to a deadline that only a broken program reaches.
import { setTimeout as delay } from 'node:timers/promises';

const DEADLINE_MS = 120_000;
const PAUSE_MS = 20;

/**
 * Asks until the answer is neither null nor undefined nor false, and answers that.
 * @param what completes the sentence "waited in vain until …"
 * @throws Error naming `what` after the deadline
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  deadlineMs = DEADLINE_MS,
): Promise<T> {
  const deadline = Date.now() + deadlineMs;
  for (;;) {
    const answer = await ask();
    if (answer !== null && answer !== undefined && answer !== false) return answer;
    if (Date.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await delay(PAUSE_MS);
  }
}
