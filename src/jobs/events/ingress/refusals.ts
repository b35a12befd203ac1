// Counts refused deliveries and keeps the newest ones for operators. It writes in bulk, away from the requests.

import type { Queryable } from '../../../core/sql/database.ts';
import { type AgedRefusal, type RefusalCount, saveRefusals } from '../../../operator/store/refusals.ts';
import { createBulkWriter } from './bulk-writer.ts';
import type { RefusedError } from './intake.ts';

const FLUSH_MS = 5000;
/** Refusals of one route and code that are kept one by one between two writes: a faulty sender must not displace others. */
const NEWEST_PER_CODE = 5;
/** Maximum number of routes and codes between two writes. */
const MAX_KEYS = 1000;

export interface Refusal {
  readonly via: 'http' | 'kafka';
  /** `-`: no route has the path. */
  readonly route: string;
  readonly code: string;
  /** Null: of Kafka. */
  readonly status: number | null;
  /** Without any value of the delivery. */
  readonly reason: string;
}

export interface Refusals {
  /** Costs no statement. */
  add(refusal: Refusal): void;
  /** Writes what is not written yet. */
  close(): Promise<void>;
}

export interface RefusalsOptions {
  readonly db: Queryable;
  readonly log: { warn(fields: object, message: string): void };
  /** @default 5000 */
  readonly flushMs?: number;
}

interface Entry {
  count: number;
  readonly refusal: Refusal;
  readonly newest: { readonly reason: string; readonly at: number }[];
}

export function recordRefusals({ db, log, flushMs = FLUSH_MS }: RefusalsOptions): Refusals {
  let entries = new Map<string, Entry>();

  async function write(): Promise<void> {
    const taken = entries;
    entries = new Map();
    if (taken.size === 0) return;
    const now = performance.now();
    const counts = [...taken.values()].map(
      ({ count, refusal: { via, route, code, status } }): RefusalCount => {
        return { via, route, code, status, count };
      },
    );
    const newest = [...taken.values()]
      .flatMap(({ refusal: { via, route, code, status }, newest }) =>
        newest.map(({ reason, at }): AgedRefusal => ({ via, route, code, status, reason, age_ms: now - at })),
      )
      .toSorted((a, b) => b.age_ms - a.age_ms);
    try {
      await saveRefusals(db, counts, newest);
    } catch (error) {
      // Refusals are a help for operators. They must not fill the memory while the ledger is away.
      log.warn({ err: error, refusals: counts.length }, 'refusals could not be written to the ledger');
    }
  }

  const writer = createBulkWriter(write, flushMs);
  return {
    add(refusal) {
      const key = `${refusal.via} ${refusal.route} ${refusal.code}`;
      let entry = entries.get(key);
      if (entry === undefined) {
        if (entries.size >= MAX_KEYS) return;
        entry = { count: 0, refusal, newest: [] };
        entries.set(key, entry);
      }
      entry.count += 1;
      entry.newest.push({ reason: refusal.reason, at: performance.now() });
      if (entry.newest.length > NEWEST_PER_CODE) entry.newest.shift();
      writer.wake();
    },
    close: writer.close,
  };
}

const REASON_LENGTH = 1000;
const MOST_PROBLEMS = 5;

/** Why a delivery was refused. It lists fields by name, never with their values. */
export function reasonOf({ message, problems }: RefusedError): string {
  const shown = problems.slice(0, MOST_PROBLEMS).filter(({ field }) => !message.includes(field));
  const fields = shown.map(({ field, code }) => `${field}: ${code}`).join('; ');
  return `${message}${fields === '' ? '' : ` (${fields})`}`.slice(0, REASON_LENGTH);
}
