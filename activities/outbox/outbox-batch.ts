// A batch of one sink: sends due events in groups, as long as it has the sink's lease and time.
import { randomUUID } from 'node:crypto';
import type { Sink } from '../../src/connectors/sinks/sink.ts';
import type { OutboxBatchResult } from '../../src/jobs/outbox/contract/outbox.ts';
import { patienceOf, type SinkPatience } from '../../src/jobs/outbox/store/circuit.ts';
import { dueEvents, nextDueMs, type Probe, probeEvent } from '../../src/jobs/outbox/store/due.ts';
import { settleSending } from '../../src/jobs/outbox/store/outcomes.ts';
import {
  claimSink,
  forgetTrouble,
  ledgerNow,
  noteTrouble,
  releaseSink,
  type SinkLease,
} from '../../src/jobs/outbox/store/states.ts';
import type { Deps } from '../shared/deps.ts';
import { sendEvents } from './outbox-send.ts';

export interface OutboxBatchOptions {
  /** Current time. @default the ledger's clock */
  readonly now?: () => Promise<Date>;
  /** Random number from 0 to 1. @default Math.random */
  readonly random?: () => number;
  /** Milliseconds after which no further group is sent. @default 10_000 */
  readonly takeMs?: number;
  /** Milliseconds for one group; longer than any sink's own timeout for one event. @default 75_000 */
  readonly deadlineMs?: number;
  /** Milliseconds that a sink has to stop after the deadline. @default 3_000 */
  readonly graceMs?: number;
  /** Milliseconds until the lease expires without a renewal. @default 15_000 */
  readonly leaseMs?: number;
}

const DEFAULTS = {
  random: Math.random,
  takeMs: 10_000,
  deadlineMs: 75_000,
  graceMs: 3000,
  leaseMs: 15_000,
};
/** Milliseconds between renewals of the lease. */
const RENEW_MS = 3000;
/** Size of the first group, small because the sink's speed is not known; a quick group doubles it. */
const FIRST_EVENTS = 50;
const MOST_EVENTS = 200;
const QUICK_MS = 1000;
const SLOW_MS = 4000;
/** Maximum number of bytes per group, as stored. */
const MOST_BYTES = 4_000_000;
/** Delay if the sink is not configured here; another worker may know it. */
const NO_SINK_MS = 60_000;
const IDLE_MS = 1000;
/** Delay after a sink was closed, which happens while its worker shuts down. */
const CLOSED_MS = 5000;

/** Delivers due events of one sink. Never fails because of the sink. */
export async function runOutboxBatch(
  deps: Deps,
  sink: string,
  cancelled: AbortSignal,
  options: OutboxBatchOptions = {},
): Promise<OutboxBatchResult> {
  const found = findSink(deps, sink);
  if (typeof found === 'string') {
    const next = await nextDueMs(deps.db, sink, await ledgerNow(deps.db), true);
    if (next === null) return { sent: 0, nextMs: null };
    await noteTrouble(deps.db, sink, { code: 'NO_SINK', reason: found });
    deps.log.warn({ sink, code: 'NO_SINK' }, `events cannot be delivered: ${found}`);
    return { sent: 0, nextMs: NO_SINK_MS };
  }
  return await new OutboxBatch(deps, sink, found, cancelled, options).run();
}

/** @returns the sink, or why it can't be used */
function findSink(deps: Deps, name: string): { target: Sink; patience: SinkPatience } | string {
  try {
    return { target: deps.sink(name), patience: patienceOf(deps.sinkRetry(name)) };
  } catch (error) {
    return error instanceof Error ? error.message : `there is no sink "${name}"`;
  }
}

class OutboxBatch {
  readonly #deps: Deps;
  readonly #sink: string;
  readonly #target: Sink;
  readonly #patience: SinkPatience;
  readonly #cancelled: AbortSignal;
  readonly #options: OutboxBatchOptions & typeof DEFAULTS;
  /** Identifies this batch as the holder of the lease. */
  readonly #me = randomUUID();
  #size = FIRST_EVENTS;
  #sent = 0;
  #over = false;

  constructor(
    deps: Deps,
    sink: string,
    found: { target: Sink; patience: SinkPatience },
    cancelled: AbortSignal,
    options: OutboxBatchOptions,
  ) {
    this.#deps = deps;
    this.#sink = sink;
    this.#target = found.target;
    this.#patience = found.patience;
    this.#cancelled = cancelled;
    this.#options = { ...DEFAULTS, ...options };
  }

  async run(): Promise<OutboxBatchResult> {
    const { db } = this.#deps;
    const lease = await this.#lease();
    // Another batch has the lease; it will release it, or let it expire.
    if (!lease.mine) return { sent: 0, nextMs: Math.max(1000, lease.leftMs) };
    let leasing: Promise<unknown> = Promise.resolve();
    const pulse = setInterval(() => {
      // If the database is unavailable, the next statement of the batch itself fails.
      leasing = this.#lease().catch(() => undefined);
    }, RENEW_MS);
    try {
      await forgetTrouble(db, this.#sink, 'NO_SINK');
      const until = performance.now() + this.#options.takeMs;
      const cancelled = this.#cancelled;
      let more = true;
      while (more && !this.#over && !cancelled.aborted && performance.now() < until)
        more = await this.#sendSome();
      return { sent: this.#sent, nextMs: await this.#nextMs(more) };
    } finally {
      clearInterval(pulse);
      await leasing;
      await releaseSink(db, this.#sink, this.#me);
    }
  }

  /** @returns whether more events may be due */
  async #sendSome(): Promise<boolean> {
    const { db } = this.#deps;
    const { mine, openUntil } = await this.#lease();
    const now = await this.#now();
    if (!mine || (openUntil !== null && openUntil > now)) return false;
    if (openUntil !== null) {
      const probe = await probeEvent(db, this.#sink, now);
      if (probe === null) return false;
      await this.#send([probe]);
      return true;
    }
    const { due, more } = await dueEvents(db, this.#sink, now, { events: this.#size, size: MOST_BYTES });
    if (due.length === 0) return more;
    await this.#send(due.map((event) => ({ ...event, early: false })));
    return true;
  }

  async #send(events: readonly Probe[]): Promise<void> {
    const { deadlineMs, graceMs, random } = this.#options;
    const cancelled = this.#cancelled;
    const begun = performance.now();
    const end = await sendEvents({ sink: this.#target, events, cancelled, deadlineMs, graceMs });
    this.#over ||= end.over;
    this.#adapt(performance.now() - begun, end.fault !== null);
    const settled = await settleSending(this.#deps.db, {
      sink: this.#sink,
      patience: this.#patience,
      handed: events,
      tried: end.tried,
      random,
      now: await this.#now(),
    });
    this.#sent += settled.sent;
    this.#deps.outcomes?.outboxSettled(this.#sink, 'sent', settled.sent);
    this.#deps.outcomes?.outboxSettled(this.#sink, 'dead', settled.dead);
    this.#report(settled, end);
  }

  #report(
    { dead, circuit }: Awaited<ReturnType<typeof settleSending>>,
    { tried, fault }: Awaited<ReturnType<typeof sendEvents>>,
  ): void {
    const { log } = this.#deps;
    const sink = this.#sink;
    const last = tried.findLast((each) => each.state === 'failed');
    const failure = last?.state === 'failed' ? last.failure : fault;
    const why = failure === null ? {} : { code: failure.code };
    if (fault !== null) log.error({ sink, ...why }, `${fault.reason}; Sluice sends events one at a time`);
    if (dead > 0)
      log.warn(
        { sink, dead, ...why },
        'events could not be delivered; list them with `sluice outbox list --dead`',
      );
    if (circuit === 'opened')
      log.warn({ sink, ...why }, `Sluice stops sending to the sink for a while: ${failure?.reason ?? ''}`);
    if (circuit === 'closed') log.info({ sink }, 'the sink accepts events again');
  }

  #adapt(tookMs: number, fault: boolean): void {
    if (fault) this.#size = 1;
    // After a fault, events are sent one at a time until the next batch.
    else if (this.#size === 1) return;
    else if (tookMs < QUICK_MS) this.#size = Math.min(this.#size * 2, MOST_EVENTS);
    else if (tookMs > SLOW_MS) this.#size = Math.max(2, Math.floor(this.#size / 2));
  }

  /** @param more the last group sent something, so more events may be due */
  async #nextMs(more: boolean): Promise<number | null> {
    const { mine, openUntil } = await this.#lease();
    const now = await this.#now();
    const next = await nextDueMs(this.#deps.db, this.#sink, now, openUntil !== null);
    if (next === null) return null;
    if (!mine) return Math.max(1000, next);
    const closedMs = this.#over ? CLOSED_MS : 0;
    const waitMs = Math.max(next, closedMs, openUntil === null ? 0 : openUntil.getTime() - now.getTime());
    // A wake announces events that arrive meanwhile. The pause prevents a busy loop.
    return waitMs === 0 && !more ? IDLE_MS : waitMs;
  }

  async #lease(): Promise<SinkLease> {
    return await claimSink(this.#deps.db, this.#sink, this.#me, await this.#now(), this.#options.leaseMs);
  }

  async #now(): Promise<Date> {
    return await (this.#options.now?.() ?? ledgerNow(this.#deps.db));
  }
}
