// What a benchmark is: a function that says how far it is, and answers figures beside goals.

export interface BenchResult {
  /** Counted by the other side of the wire, never by the code under test. */
  readonly figures: Readonly<Record<string, number | string>>;
  /** Figure → the least or the most that is good. */
  readonly goals: Readonly<Record<string, { readonly min?: number; readonly max?: number }>>;
}

export type Bench = (say: (line: string) => void) => Promise<BenchResult>;
