// Counts the accepted events that are still open, and decides whether there is capacity for more.

import type { Queryable } from '../../../core/sql/database.ts';
import { countOpen } from '../store/events.ts';
import { type Load, NotAcceptedError } from './intake.ts';

/** Minimum time between two counts. */
const FRESH_MS = 1000;
/** Estimated number of calls per lead: a check, an upsert, a card. */
const CALLS_AN_EVENT = 3;
/** Retry-After that a refusal suggests. */
const BUSY_RETRY_MS = 10_000;

export interface CapacityOptions {
  readonly db: Queryable;
  readonly maxOpen: number;
  readonly maxDelayMs: number;
  /** Calls per minute that all tokens of the account allow together. */
  callsPerMinute(account: string): number;
  /** Milliseconds of a monotonic clock. @default performance.now */
  readonly now?: () => number;
}

export interface Capacity {
  loads(): Promise<Load[]>;
  /**
   * Checks capacity for pushed events. Their sender may not retry, so a budget that is behind refuses nothing. @throws
   * NotAcceptedError `BUSY`
   */
  requireOpenCapacity(account: string): Promise<void>;
  /** Checks whether to fetch more. Kafka keeps what Sluice does not fetch. @throws NotAcceptedError `BUSY` */
  requireTime(account: string): Promise<void>;
}

function refuse(why: string | null): void {
  if (why !== null) throw new NotAcceptedError('BUSY', BUSY_RETRY_MS, why);
}

export function createCapacity(options: CapacityOptions): Capacity {
  const { db, maxOpen, maxDelayMs, callsPerMinute, now = () => performance.now() } = options;
  let known: { at: number; loads: Promise<Load[]> } | null = null;

  function full(open: number): string | null {
    return open < maxOpen
      ? null
      : `${open === 1 ? '1 event of the account is' : `${open} events of the account are`} open, and ingress.maxOpen is ${maxOpen}`;
  }

  function behind(account: string, open: number): string | null {
    const minutes = (open * CALLS_AN_EVENT) / callsPerMinute(account);
    if (minutes * 60_000 < maxDelayMs) return null;
    return `the calls of ${open} open events take about ${Math.round(minutes)} min at the account's rate, and ingress.maxDelay is ${Math.round(maxDelayMs / 60_000)} min`;
  }

  async function count(): Promise<Load[]> {
    const rows = await countOpen(db);
    return rows.map(({ account, open, oldest }) => ({
      account,
      open,
      oldestSeconds: oldest,
      busy: full(open) ?? behind(account, open),
    }));
  }

  function loads(): Promise<Load[]> {
    if (known !== null && now() - known.at < FRESH_MS) return known.loads;
    const asked = { at: now(), loads: count() };
    known = asked;
    asked.loads.catch(() => {
      if (known === asked) known = null;
    });
    return asked.loads;
  }

  const loadOf = async (account: string) => (await loads()).find((each) => each.account === account);

  return {
    loads,
    async requireOpenCapacity(account) {
      refuse(full((await loadOf(account))?.open ?? 0));
    },
    async requireTime(account) {
      refuse((await loadOf(account))?.busy ?? null);
    },
  };
}
