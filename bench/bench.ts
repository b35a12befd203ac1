// The type of a benchmark: a function that reports progress and returns figures with goals.

export interface BenchResult {
  /** Counted by the service or the server side, never by the code under test. */
  readonly figures: Readonly<Record<string, number | string>>;
  /** The minimum or maximum that a figure must reach. */
  readonly goals: Readonly<Record<string, { readonly min?: number; readonly max?: number }>>;
}

export type Bench = (say: (line: string) => void) => Promise<BenchResult>;
