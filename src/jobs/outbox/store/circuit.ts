// Decides when to retry an event and when to leave a sink alone. Pure rules without a clock or a database.

/** How patient Sluice is with a sink. */
export interface SinkPatience {
  /**
   * Milliseconds between the attempts for one event; after the last one the event is dead. Null: no number of
   * attempts makes it dead.
   */
  readonly waits: readonly number[] | null;
  /** The circuit opens after this many failures in a row that concern the sink itself. */
  readonly threshold: number;
}

/** A failed attempt as the ledger stores it. The reason contains no personal data. */
export interface Failure {
  readonly code: string;
  readonly reason: string;
  readonly retryable: boolean;
  /** The sink as a whole has a problem. */
  readonly sinkWide: boolean;
  /** Milliseconds for which the sink asks to be left alone. */
  readonly retryAfterMs: number | null;
}

/** The result of one attempt for an event. */
export type Tried =
  | { readonly seq: number; readonly state: 'sent' }
  | { readonly seq: number; readonly state: 'failed'; readonly failure: Failure };

export interface Circuit {
  /** Failures in a row of the sink itself. */
  readonly failures: number;
  readonly open: boolean;
}

/** A failed request says little about an endpoint. A broker, disk or database that fails once is down. */
const HTTP_THRESHOLD = 5;
const DIRECT_THRESHOLD = 1;
/** First wait between attempts for an event of a sink without a list of waits. */
const FIRST_WAIT_MS = 1000;
const LAST_WAIT_MS = 5 * 60_000;
/** First wait between probes of a sink. */
const FIRST_PROBE_MS = 5000;
const LAST_PROBE_MS = 15 * 60_000;
/** Maximum wait that a sink can ask for. */
const LAST_ASKED_MS = 3_600_000;
const JITTER = 0.2;

/** @param waits the configured list; null for sinks without one */
export function patienceOf(waits: readonly number[] | null): SinkPatience {
  return { waits, threshold: waits === null ? DIRECT_THRESHOLD : HTTP_THRESHOLD };
}

/**
 * Milliseconds until the next attempt for an event; null when the event is dead. A permanent refusal that concerns
 * the whole sink, such as a wrong password, does not count against the event.
 * @param attempts attempts so far, including the failed one
 * @param random 0 to 1
 */
export function eventWaitMs(
  { waits }: SinkPatience,
  attempts: number,
  failure: Failure,
  random: number,
): number | null {
  if (!failure.retryable && !failure.sinkWide) return null;
  const wait =
    waits === null
      ? Math.min(FIRST_WAIT_MS * 2 ** Math.min(attempts - 1, 30), LAST_WAIT_MS)
      : waits[attempts - 1];
  return wait === undefined ? null : Math.max(jittered(wait, random), askedMs(failure));
}

/** Milliseconds until the next probe of a sink with an open circuit. */
export function probeWaitMs(
  { threshold }: SinkPatience,
  failures: number,
  failure: Failure,
  random: number,
): number {
  const doublings = Math.min(Math.max(0, failures - threshold), 30);
  const wait = Math.min(FIRST_PROBE_MS * 2 ** doublings, LAST_PROBE_MS);
  return Math.max(jittered(wait, random), askedMs(failure));
}

/**
 * The circuit after a sending. An event that fails by itself proves, like a sent one, that the sink is available.
 * When a sending opens the circuit, the count is set to the threshold; after that, each failed probe adds one.
 * @returns the circuit, with the failure that keeps it open
 */
export function circuitAfter(
  circuit: Circuit,
  tried: readonly Tried[],
  { threshold }: SinkPatience,
): Circuit & { readonly trouble: Failure | null } {
  let failures = circuit.failures;
  let trouble: Failure | null = null;
  let asked = false;
  for (const each of tried) {
    const failure = each.state === 'failed' && each.failure.sinkWide ? each.failure : null;
    failures = failure === null ? 0 : failures + 1;
    trouble = failure;
    asked = failure !== null && (asked || askedMs(failure) > 0);
  }
  const still = tried.length === 0 ? circuit.open : trouble !== null && circuit.open;
  const opens = trouble !== null && (asked || failures >= threshold);
  if (!still && opens) failures = threshold;
  return { failures, open: still || opens, trouble };
}

function askedMs({ retryAfterMs }: Failure): number {
  return Math.min(Math.max(0, retryAfterMs ?? 0), LAST_ASKED_MS);
}

function jittered(ms: number, random: number): number {
  return Math.round(ms * (1 - JITTER + 2 * JITTER * random));
}
