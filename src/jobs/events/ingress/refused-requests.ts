// Keeps the content of refused requests for operators. It writes in bulk, away from the requests.
import type { Announcer } from '../../outbox/store/announcer.ts';
import { keepRefusedRequests, type NewRefusedRequest } from '../store/refused-requests.ts';
import { createBulkWriter } from './bulk-writer.ts';

const FLUSH_MS = 2000;
/** Bodies in memory until they are written. A flood beyond that is counted among the refusals, but not kept. */
const MOST_BYTES = 16_777_216;

export interface RefusedRequests {
  /** Costs no statement. */
  keep(request: NewRefusedRequest): void;
  /** Writes what is not written yet. */
  close(): Promise<void>;
}

export interface RefusedRequestsOptions {
  readonly announce: Announcer;
  readonly log: { warn(fields: object, message: string): void };
  /** @default 2000 */
  readonly flushMs?: number;
}

export function recordRefusedRequests({
  announce,
  log,
  flushMs = FLUSH_MS,
}: RefusedRequestsOptions): RefusedRequests {
  let waiting: NewRefusedRequest[] = [];
  let bytes = 0;
  let dropped = 0;

  async function write(): Promise<void> {
    const taken = waiting;
    const lost = dropped;
    waiting = [];
    bytes = 0;
    dropped = 0;
    if (lost > 0) log.warn({ refused: lost }, 'refused requests came faster than they could be kept');
    if (taken.length === 0) return;
    try {
      await announce(async (tx) => ({ result: null, news: await keepRefusedRequests(tx, taken) }));
    } catch (error) {
      // They must not fill the memory while the ledger is away. Their senders know that they were refused.
      log.warn({ err: error, refused: taken.length }, 'refused requests could not be written to the ledger');
    }
  }

  const writer = createBulkWriter(write, flushMs);
  return {
    keep(request) {
      const size = request.content.body.byteLength;
      if (bytes + size > MOST_BYTES) dropped += 1;
      else {
        waiting.push(request);
        bytes += size;
      }
      writer.wake();
    },
    close: writer.close,
  };
}
