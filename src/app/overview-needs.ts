// The needs of the overview for metrics. Some of them only Temporal, Kafka or the service knows, so reading them takes
// longer than a scrape may: it shows what the reading of the scrape before found.
import type { LedgerSnapshot } from '../observe/metrics/backlog.ts';

/** Older needs are not shown: the ledger's own are newer. */
const FRESH_MS = 120_000;

type Needs = LedgerSnapshot['needs'];

/**
 * @param read what needs a person now
 * @param failed receives why it could not be read
 * @returns begins a reading unless one is under way, and returns the last one; null: none is new enough
 */
export function createNeedsMemory(
  read: () => Promise<Needs>,
  failed: (error: unknown) => void,
  now: () => number = () => performance.now(),
): () => Needs | null {
  let last: { readonly needs: Needs; readonly at: number } | null = null;
  let isReading = false;
  return () => {
    if (!isReading) {
      isReading = true;
      read()
        .then((needs) => {
          last = { needs, at: now() };
        }, failed)
        .finally(() => {
          isReading = false;
        });
    }
    return last !== null && now() - last.at < FRESH_MS ? last.needs : null;
  };
}
