// Announces which topics changed, while somebody listens: one cheap statement every two seconds reads marks of all
// topics. Nothing is written when data changes, so the work itself pays nothing.
import { changedTopics, type Marks, readMarks, type Topic } from '../store/change-marks.ts';
import type { OperatorDeps } from './deps.ts';

const CHECK_MS = 2000;

export interface ChangeWatcher {
  /** Calls `announce` with the topics that changed, until the returned function is called. */
  subscribe(announce: (topics: readonly Topic[]) => void): () => void;
}

export interface WatchOptions {
  /** @default 2000 */
  readonly checkMs?: number;
}

/** All listeners of a process share one watch. */
export function watchChanges(
  { db, log }: Pick<OperatorDeps, 'db' | 'log'>,
  { checkMs = CHECK_MS }: WatchOptions = {},
): ChangeWatcher {
  const listeners = new Set<(topics: readonly Topic[]) => void>();
  let marks: Marks | null = null;
  let timer: NodeJS.Timeout | null = null;
  let failing = false;

  const check = async () => {
    try {
      const now = await readMarks(db);
      const topics = marks === null ? [] : changedTopics(marks, now);
      marks = now;
      failing = false;
      if (topics.length > 0) for (const announce of listeners) announce(topics);
    } catch (error) {
      // One line for an outage, not one every two seconds. The marks stay, so nothing is missed.
      if (!failing) log.warn({ err: error }, 'changes cannot be read; Sluice keeps trying');
      failing = true;
    }
  };
  /** The next check starts only after the last one, so a slow ledger is not asked faster than it answers. */
  const watch = async () => {
    if (listeners.size > 0) await check();
    timer = listeners.size === 0 ? null : setTimeout(() => void watch(), checkMs).unref();
  };

  return {
    subscribe(announce) {
      // Each subscription is its own, even of the same function.
      const listener = (topics: readonly Topic[]) => announce(topics);
      listeners.add(listener);
      if (timer === null) {
        // What changed while nobody listened is news to nobody: a new listener has just read everything.
        marks = null;
        timer = setTimeout(() => void watch(), 0).unref();
      }
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
