// Labels and distances of the lines of an axis, so that no two lines have the same label.

/** Writes a time, which is ISO 8601. */
interface Writers {
  clock(at: string): string;
  /** With seconds. */
  clockSeconds(at: string): string;
  date(at: string): string;
}

/** Distances on an axis of counts: a half would be shown as the whole beside it. */
export const WHOLE_STEPS: number[] = Array.from({ length: 10 }, (_, power) =>
  [1, 2, 5].map((n) => n * 10 ** power),
).flat();

/** A midnight is named by its day. Lines less than a minute apart have seconds. */
export function timeLabels(seconds: readonly number[], format: Writers): string[] {
  const hasSeconds = seconds.some((second) => second % 60 !== 0);
  return seconds.map((second) => {
    const at = new Date(second * 1000).toISOString();
    if (hasSeconds) return format.clockSeconds(at);
    const clock = format.clock(at);
    return clock === '00:00' ? format.date(at) : clock;
  });
}
