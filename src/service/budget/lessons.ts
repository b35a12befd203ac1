// What a process learns from answers: at most one statement per token at a time, and none for an answer without news.
import type { Database } from '../../core/sql/database.ts';
import { isQuiet, noiseOf, type Observation } from './estimate.ts';
import { observeRate } from './statements.ts';

export type Lesson = Omit<Observation, 'now'>;

export interface Lessons {
  /** Learns from an answer unless it matches what is known. */
  teach(token: string, lesson: Lesson): Promise<void>;
  /** Calls per minute, as far as this process has learned from answers. */
  limitOf(token: string): number | undefined;
}

/** What a process knows about a token's window without asking the ledger. */
interface Known {
  readonly limit: number;
  /** The service's count minus the slot's number, while nobody else calls. */
  readonly base: number;
  readonly resetAt: number | null;
  readonly quiet: boolean;
}

/** Answers of one token that are being learned. */
interface Running {
  /** The newest of the answers that arrived meanwhile. It carries the most information. */
  next: Lesson | null;
  done: Promise<void> | null;
}

export function createLessons(db: Pick<Database, 'transaction'>): Lessons {
  const known = new Map<string, Known>();
  const all = new Map<string, Running>();

  const learnAll = async (token: string, running: Running): Promise<void> => {
    for (let lesson = running.next; lesson !== null; lesson = running.next) {
      running.next = null;
      if (fits(known.get(token), lesson)) continue;
      const learned = await observeRate(db, token, lesson);
      if (learned === null) continue;
      const { state, now } = learned;
      const { limit, windowBase: base, windowReset: resetAt } = state;
      known.set(token, { limit, base, resetAt, quiet: isQuiet(state, now) });
    }
  };

  return {
    async teach(token, lesson) {
      if (fits(known.get(token), lesson)) return;
      const running = all.get(token) ?? { next: null, done: null };
      all.set(token, running);
      const { next } = running;
      const isSpent = next !== null && next.left <= 0 && Math.abs(next.resetAt - lesson.resetAt) <= 2;
      if (next === null || lesson.left <= 0 || (lesson.slot > next.slot && !isSpent)) running.next = lesson;
      running.done ??= learnAll(token, running).finally(() => {
        running.done = null;
      });
      await running.done;
    },
    limitOf: (token) => known.get(token)?.limit,
  };
}

/** An answer of the same window that counts only our calls has no news. */
function fits(known: Known | undefined, { limit, left, used, slot, resetAt }: Lesson): boolean {
  return (
    known !== undefined &&
    known.resetAt !== null &&
    known.quiet &&
    left > 0 &&
    known.limit === limit &&
    Math.abs(resetAt - known.resetAt) <= 2 &&
    Math.abs(used - slot - known.base) <= noiseOf(limit)
  );
}
