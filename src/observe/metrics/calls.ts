// Metrics of API calls: how many, how they ended, and how long they waited for their slot.
import { Counter, Histogram, type Registry } from 'prom-client';
import { LANE_NAMES, laneName } from '../../core/lanes.ts';

/** A call that has ended. */
export interface MeasuredCall {
  readonly account: string;
  /** 1 (reply) to 5 (backfill). */
  readonly lane: number;
  /** Null: the answer was lost. */
  readonly status: number | null;
  /** Null: the call succeeded. */
  readonly code: string | null;
  readonly wait_ms: number;
  readonly took_ms: number;
}

export interface CallMetrics {
  /**
   * Starts the 429 answers of these accounts at 0. Prometheus sees no increase in the first value of a series, so it would
   * miss the first one.
   */
  expect(accounts: Readonly<Record<string, unknown>>): void;
  ended(call: MeasuredCall): void;
}

/** A code comes from the service's answer, so its form and the number of different codes are bounded. */
const CODE = /^[A-Z][A-Z0-9_]{0,59}$/;

/** `OTHER` for what does not have the form of a code: it could be anything. */
export const codeLabel = (code: string): string => (CODE.test(code) ? code : 'OTHER');

const MAX_CODES = 100;

/** More accounts begin without a 0, as in work.ts. */
const MAX_ACCOUNTS = 200;

/** How the service refuses a call beyond the limit. */
const RATE_LIMITED = { status: '429', code: 'ERR_RATE_LIMITED' } as const;

export function createCallMetrics(registry: Registry): CallMetrics {
  const registers = [registry];
  const calls = new Counter({
    name: 'sluice_api_calls_total',
    help: 'API calls that ended, by account, lane, HTTP status (none: the answer was lost) and code (OK: success)',
    labelNames: ['account', 'lane', 'status', 'code'],
    registers,
  });
  const wait = new Histogram({
    name: 'sluice_api_slot_wait_seconds',
    help: 'Seconds that a call waited for a slot of the rate budget, by lane',
    labelNames: ['lane'],
    buckets: [0.01, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800],
    registers,
  });
  const took = new Histogram({
    name: 'sluice_api_call_seconds',
    help: 'Seconds from sending a call to its answer, by lane',
    labelNames: ['lane'],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const codes = new Set<string>();
  const codeOf = (code: string | null): string => {
    if (code === null) return 'OK';
    if (codes.has(code)) return code;
    if (codes.size >= MAX_CODES || !CODE.test(code)) return 'OTHER';
    codes.add(code);
    return code;
  };
  return {
    expect(accounts) {
      for (const account of Object.keys(accounts).slice(0, MAX_ACCOUNTS))
        for (const lane of LANE_NAMES) {
          const { status, code } = RATE_LIMITED;
          calls.inc({ account, lane, status, code }, 0);
        }
    },
    ended({ account, lane: number, status, code, wait_ms, took_ms }) {
      const lane = laneName(number);
      calls.inc({ account, lane, status: status ?? 'none', code: codeOf(code) });
      wait.observe({ lane }, wait_ms / 1000);
      took.observe({ lane }, took_ms / 1000);
    },
  };
}
