// When a run will end: its recent pace and its overall pace make the range.
import type { Eta } from '../../../contracts/operator/syncs.ts';

/** Milliseconds. The recent pace is that of this window, so that a slow start or a pause stops mattering. */
const WINDOW_MS = 120_000;
/** A shorter time says nothing about the pace. */
const LEAST_MS = 2000;
const KEPT_RUNS = 50;

interface Point {
  readonly at: number;
  readonly done: number;
}

export interface Pace {
  /** @param startedAt when the run began; null if unknown */
  eta(run: string, now: { done: number; total: number }, startedAt: Date | null): Eta | null;
}

export function createPace(clock: () => number = () => Date.now()): Pace {
  const runs = new Map<string, Point[]>();
  return {
    eta(run, { done, total }, startedAt) {
      const at = clock();
      const points = (runs.get(run) ?? []).filter((point) => at - point.at <= WINDOW_MS);
      points.push({ at, done });
      runs.delete(run);
      runs.set(run, points);
      const [oldest] = runs.keys();
      if (runs.size > KEPT_RUNS && oldest !== undefined) runs.delete(oldest);
      const left = total - done;
      if (left <= 0 || done === 0) return null;
      const first = points[0] as Point;
      const recent = rate(done - first.done, at - first.at);
      const overall = startedAt === null ? null : rate(done, at - startedAt.getTime());
      const rates = [recent, overall].filter((each) => each !== null);
      if (rates.length === 0) return null;
      const seconds = (perMs: number) => Math.ceil(left / perMs / 1000);
      return {
        seconds: seconds(rates[0] as number),
        minSeconds: seconds(Math.max(...rates)),
        maxSeconds: seconds(Math.min(...rates)),
      };
    },
  };
}

function rate(count: number, ms: number): number | null {
  return count <= 0 || ms < LEAST_MS ? null : count / ms;
}
