// Request to retry records of an earlier run, from the payloads that the ledger kept.

/** Statuses whose payloads are kept after a run has ended. */
const RETRIED = ['failed', 'unknown'] as const;
export type RetriedStatus = (typeof RETRIED)[number];

export const LAST_RUN = 'last';

export interface RetryRequest {
  /** Run id, or `last`: the last run that read the source, including its retries. */
  readonly from: string;
  /** Only records with one of these codes; null selects every code. */
  readonly codes: readonly string[] | null;
  readonly statuses: readonly RetriedStatus[];
  /** Only records of these rows. @default records of every row */
  readonly rows?: readonly number[];
}

/** Failure types that end a retry before it begins. */
export const RETRY_REFUSED = {
  /** There is nothing to retry. */
  nothing: 'NOTHING_TO_RETRY',
  /** A run that reads the source is open in the ledger. */
  open: 'RUN_OPEN',
  /** There is no such run, or no run at all. */
  noRun: 'NO_SUCH_RUN',
} as const;
