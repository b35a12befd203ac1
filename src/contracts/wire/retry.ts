// What a retry takes up again: records of an earlier run, from the payloads that the ledger kept.

/** Statuses whose payload is kept after a run has ended. */
export const RETRIED = ['failed', 'unknown'] as const;
export type RetriedStatus = (typeof RETRIED)[number];

export const LAST_RUN = 'last';

export interface RetryRequest {
  /** Run id, or `last`: the last run that read the source, with the retries since. */
  readonly from: string;
  /** Only records with one of these codes; null: whatever the code. */
  readonly codes: readonly string[] | null;
  readonly statuses: readonly RetriedStatus[];
}

/** Types of the failures that end a retry before it has begun. */
export const RETRY_REFUSED = {
  /** There is nothing to take up again. */
  nothing: 'NOTHING_TO_RETRY',
  /** A run that reads the source is open in the ledger. */
  open: 'RUN_OPEN',
  /** No such run, or none at all. */
  noRun: 'NO_SUCH_RUN',
} as const;
