// When an event is tried again, and when a sink is left alone: rules without a clock or a database.

/** How patient Sluice is with a sink. */
export interface SinkPatience {
  /** Milliseconds between the attempts for one event, after the last of which it is dead; null: it never dies of their number. */
  readonly waits: readonly number[] | null;
  /** Failures in a row, each of them the sink's own, after which the circuit opens. */
  readonly threshold: number;
}

/** A failed attempt, as the ledger keeps it: the reason names nobody. */
export interface Failure {
  readonly code: string;
  readonly reason: string;
  readonly retryable: boolean;
  /** The sink as a whole is in trouble. */
  readonly sinkWide: boolean;
  /** Milliseconds that the sink asks to be left alone for. */
  readonly retryAfterMs: number | null;
}

/** What became of one event that was tried. */
export type Tried =
  | { readonly seq: number; readonly state: 'sent' }
  | { readonly seq: number; readonly state: 'failed'; readonly failure: Failure };

export interface Circuit {
  /** Failures of the sink itself, in a row. */
  readonly failures: number;
  readonly open: boolean;
}

/** A request that fails says little of an endpoint; a broker, a disk or a database that fails does not work. */
const HTTP_THRESHOLD = 5;
const DIRECT_THRESHOLD = 1;
/** Between attempts for an event of a sink without a list of waits. */
const FIRST_WAIT_MS = 1000;
const LAST_WAIT_MS = 5 * 60_000;
/** Between the probes of a sink. */
const FIRST_PROBE_MS = 5000;
const LAST_PROBE_MS = 15 * 60_000;
/** Longer than this nobody is left alone because he asks for it. */
const LAST_ASKED_MS = 3_600_000;
const JITTER = 0.2;

/** @param waits the configured list of sinks that have one, else null */
export function patienceOf(waits: readonly number[] | null): SinkPatience {
  return { waits, threshold: waits === null ? DIRECT_THRESHOLD : HTTP_THRESHOLD };
}

/**
 * Milliseconds until the next attempt for an event; null: it is dead. What the sink as a whole refuses "for good", as a wrong
 * password, does not speak against the event.
 * @param attempts so far, the failed one included
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

/** Milliseconds until the next probe of a sink whose circuit is open. */
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
 * The circuit after a sending. An event that fails by itself shows, as one that is sent, that the sink is there. One sending
 * opens the circuit at most; each probe that fails then counts.
 * @returns with the failure that keeps it open
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
